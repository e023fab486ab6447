import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import ReportPage

private func html(_ run: ReportedRun, faces: Int = ReportPage.usualFaces) throws -> String {
  String(decoding: try ReportPage([run], title: run.title, faces: faces).html, as: UTF8.self)
}

/// The JSON in a page.
private func data(of page: String) throws -> JSONValue {
  let start = try #require(page.range(of: "id=\"page\">"))
  let end = try #require(page.range(of: "</script>", range: start.upperBound..<page.endIndex))
  let text = page[start.upperBound..<end.lowerBound]
  return try #require(JSONReader.read(Array(text.utf8)).value)
}

private func run(_ scene: Scene?, named title: String = "scan") -> ReportedRun {
  var run = ReportedRun(title: title)
  run.after = scene.map { ($0, "after") }
  return run
}

struct ReportPageTests {
  @Test func `nothing that comes from outside becomes a part of the markup`() throws {
    let evil = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>\u{2028}'\"&\u{1}"
    var scene = SceneFixtures.room
    scene.meshes[0].classes?.names[2] = evil
    scene.textures[0].fileName = evil
    var hostile = run(scene, named: evil)
    hostile.pipeline = evil
    hostile.report = ["warnings": [JSONValue(.string(evil))], "pipeline": [:]]
    hostile.provenance = Provenance([
      "version": 1, "meshpipe": JSONValue(.string(evil)),
      "pipeline": ["name": JSONValue(.string(evil))],
      "inputs": [["name": JSONValue(.string(evil))]],
    ])
    #expect(hostile.provenance != nil)
    let page = try html(hostile)
    let plain = try html(run(SceneFixtures.room))
    #expect(!page.contains("<script>alert") && !page.contains("<img src=x"))
    #expect(
      page.components(separatedBy: "<script").count
        == plain.components(separatedBy: "<script").count)
    #expect(!page.contains("\u{2028}"))
    let json = try data(of: page)
    #expect(json["title"]?.text == evil)
    #expect(json["runs"]?.elements.first?["report"]?["warnings"]?.elements.first?.text == evil)
    let classes = json["runs"]?.elements.first?["models"]?.elements.first?["classes"]?.elements
    #expect(classes?.contains { $0["name"]?.text == evil } == true)
  }

  @Test func `only the scripts of the page may run`() throws {
    let page = try html(run(SceneFixtures.room))
    let policy = try #require(page.firstMatch(of: /script-src ([^"]*)"/)?.1)
    #expect(policy.components(separatedBy: "'sha256-").count == 3)
    #expect(!policy.contains("unsafe"))
  }

  @Test func `the same run gives the same page`() throws {
    let capture = try html(run(SceneFixtures.room))
    #expect(try capture == html(run(SceneFixtures.room)))
  }

  @Test func `a model is reduced to what the page may have, and measured as it was`() throws {
    let mesh = MeshFixtures.grid(columns: 150, rows: 100)
    let page = try html(run(Scene(meshes: [mesh])), faces: 4000)
    let model = try #require(try data(of: page)["runs"]?.elements.first?["models"]?.elements.first)
    #expect(model["faces"]?.number == 30_000)
    #expect(model["area"]?.number == 15_000)
    let shown = try #require(model["surface"]?["faces"]?.number)
    #expect(shown <= 4000 && shown > 100)
  }

  @Test func `faces that share no edge are thinned, too`() throws {
    var mesh = Mesh(name: "soup")
    for face in 0..<6000 {
      let x = Float(3 * face)
      mesh.positions += [Vector3(x, 0, 0), Vector3(x + 1, 0, 0), Vector3(x, 1, 0)]
      mesh.indices += (0..<3).map { UInt32(3 * face + $0) }
    }
    let page = try html(run(Scene(meshes: [mesh])), faces: 1000)
    let model = try data(of: page)["runs"]?.elements.first?["models"]?.elements.first
    let shown = try #require(model?["surface"]?["faces"]?.number)
    #expect(shown <= 1250 && shown > 500)
  }

  @Test func `a page of a million uneven faces stays small`() throws {
    var mesh = MeshFixtures.grid(columns: 1000, rows: 500)
    var generator = SeededGenerator(seed: 7)
    for vertex in mesh.positions.indices {
      mesh.positions[vertex].y = Float.random(in: -0.3...0.3, using: &generator)
    }
    var both = run(Scene(meshes: [mesh]))
    both.before = (Scene(meshes: [mesh]), "before")
    let page = try ReportPage([both], title: "large").html
    #expect(page.count < 15_000_000, "\(page.count) bytes")
  }

  @Test func `distances to the scan are given where the model was not moved away`() throws {
    var lifted = SceneFixtures.room
    lifted.apply(Transform(translation: SIMD3(0, 0.01, 0)))
    var near = run(lifted)
    near.before = (SceneFixtures.room, "before")
    let models = try #require(try data(of: html(near))["runs"]?.elements.first?["models"])
    #expect(models.elements.count == 2)
    let field = try #require(models.elements.last?["fields"]?.elements.first)
    #expect(field["name"]?.text == "distance")
    #expect(try #require(field["maximum"]?.number) <= 0.0101)

    var moved = SceneFixtures.room
    moved.apply(Transform(translation: SIMD3(50, 0, 0)))
    near.after = (moved, "after")
    let apart = try #require(try data(of: html(near))["runs"]?.elements.first?["models"])
    #expect(apart.elements.first?["name"]?.text == "before (moved)")
    #expect(
      apart.elements.last?["fields"]?.elements.contains { $0["name"]?.text == "distance" } == false)
  }

  @Test func `points, a failed run and no scene at all have a page`() throws {
    var cloud = PointCloud(name: "points", positions: (0..<500).map { Vector3(Float($0), 0, 0) })
    cloud.colors = cloud.positions.map { _ in Color(red: 9, green: 99, blue: 199) }
    let page = try data(of: html(run(Scene(pointClouds: [cloud])), faces: 100))
    let model = try #require(page["runs"]?.elements.first?["models"]?.elements.first)
    #expect(model["points"]?.number == 500 && model["cloud"]?["points"]?.number == 200)
    for scene in [nil, Scene()] {
      var failed = run(scene)
      failed.report = ["outcome": "failed", "failure": "no face"]
      let models = try data(of: html(failed))["runs"]?.elements.first?["models"]
      #expect(models?.elements.isEmpty == true)
    }
  }
}
