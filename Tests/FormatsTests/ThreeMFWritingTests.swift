import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Formats

#if canImport(FoundationXML)
  import FoundationXML
#endif

struct ThreeMFWritingTests {
  /// The model part of a written package.
  private func model(of scene: Scene) throws -> String {
    let folder = try TemporaryFolder()
    try ThreeMF.write(
      scene, to: OutputSet(folder: folder.path, mainFileName: "x.3mf"), in: WritingContext())
    let archive = try ArchiveReader(folder.path + "/x.3mf")
    while let entry = try archive.next() {
      guard entry.name == "3D/3dmodel.model" else { continue }
      var bytes: [UInt8] = []
      try archive.forEachBlock { bytes += $0 }
      return String(decoding: bytes, as: UTF8.self)
    }
    Issue.record("the package has no model")
    return ""
  }

  @Test func `a model in metres and Y-up becomes one in millimetres and Z-up`() throws {
    let text = try model(of: SceneFixtures.classifiedRoom)
    #expect(text.contains("unit=\"millimeter\""))
    // The far corner of the floor, (4, -1, 3) in metres.
    #expect(text.contains("<vertex x=\"4000\" y=\"-3000\" z=\"-1000\"/>"))
    #expect(text.components(separatedBy: "<vertex ").count == 81)
    #expect(text.components(separatedBy: "<triangle ").count == 113)
  }

  @Test func `classes are materials of their triangles, names may hold anything`() throws {
    var scene = SceneFixtures.classifiedRoom
    scene.meshes[0].name = "a \"b\" <c> & d\n"
    scene.meshes[0].indices[1] = scene.meshes[0].indices[0]
    let document = try XMLDocument(xmlString: try model(of: scene))
    let bases = try document.nodes(forXPath: "//*[local-name()='base']/@name")
    #expect(bases.map(\.stringValue) == ["wall", "floor", "table"])
    let counts = try (0..<3).map {
      try document.nodes(forXPath: "//*[local-name()='triangle'][@p1='\($0)']").count
    }
    #expect(counts == [32, 71, 8])  // the degenerate face of the floor is left out
    let name = try document.nodes(forXPath: "//*[local-name()='object']/@name").first?.stringValue
    #expect(name == "a \"b\" <c> & d ")
  }

  @Test(.needs("trimesh", "lxml", "networkx"))
  func `another reader finds the same archive, faces and size`() throws {
    let folder = try TemporaryFolder()
    var scene = SceneFixtures.room
    scene.meshes.append(MeshFixtures.cube)
    try ThreeMF.write(
      scene, to: OutputSet(folder: folder.path, mainFileName: "x.3mf"), in: WritingContext())
    let view = try #require(try ModelView.opening([folder.path + "/x.3mf"]).first)
    #expect(view.faces == 112 + 12)
    #expect(view.low == [0, -3000, -1000])
    #expect(view.high == [4000, 0, 1500])
  }

  @Test(.needs("lib3mf"))
  func `the Consortium's library finds nothing against the specification`() throws {
    let folder = try TemporaryFolder()
    var plain = SceneFixtures.room
    plain.meshes[0].colors = nil
    let bare = Scene(meshes: [MeshFixtures.cube])
    let scenes = [
      "all": SceneFixtures.room, "classes": SceneFixtures.classifiedRoom, "plain": plain,
      "bare": bare,
    ]
    for (name, scene) in scenes {
      try ThreeMF.write(
        scene, to: OutputSet(folder: folder.path, mainFileName: "\(name).3mf"),
        in: WritingContext())
    }
    let output = try Program.run(
      Checkers.python, [Checkout.path("Tools/checks/threemf.py"), folder.path, "--strict"])
    guard output.status == 0 else { throw ProgramFailure(output) }
    let found = try JSONDecoder().decode([String: Found].self, from: Data(output.output.utf8))
    for (name, scene) in scenes {
      let peer = try #require(found["\(name).3mf"])
      #expect(peer.error == nil, "\(name)")
      #expect(peer.faces == scene.faceCount, "\(name)")
      #expect(peer.warnings == [], "\(name)")
    }
    #expect(found["all.3mf"]?.textures == 1)
    #expect((found["all.3mf"]?.colors ?? 0) > 0)
    #expect((found["all.3mf"]?.layers ?? 0) > 0)
    #expect(found["bare.3mf"]?.materials == 0)
  }

  private struct Found: Decodable {
    var error: String?
    var faces: Int?
    var textures: Int?
    var colors: Int?
    var layers: Int?
    var materials: Int?
    var warnings: [String]?
  }
}
