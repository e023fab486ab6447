import Foundation
import MeshTestSupport
import MeshpipeScene
import Testing

/// `meshpipe compare`, as it is used.
struct CompareCommandTests {
  /// A square of 1 m, in 2 · 64 faces, with a bump.
  private static func bumpy(height: (Double, Double) -> Double) -> String {
    let side = 8
    var lines: [String] = []
    for row in 0...side {
      for column in 0...side {
        let (x, z) = (Double(column) / Double(side), Double(row) / Double(side))
        lines.append("v \(x) \(height(x, z)) \(z)")
      }
    }
    for row in 0..<side {
      for column in 0..<side {
        let first = row * (side + 1) + column + 1
        let below = first + side + 1
        lines.append("f \(first) \(below) \(first + 1)")
        lines.append("f \(first + 1) \(below) \(below + 1)")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(Self.bumpy { x, z in 0.1 * sin(6 * x) * cos(5 * z) }, to: "one.obj")
    try folder.write(Self.bumpy { x, z in 0.08 * sin(6 * x + 0.2) * cos(5 * z) }, to: "two.obj")
    return folder
  }

  private struct Figures: Decodable {
    struct Distance: Decodable { let mean, rms, p95, max: Double }
    let forward, backward, distance: Distance
  }

  @Test(.needs("trimesh", "numpy")) func `distances are those of trimesh`() throws {
    let folder = try folder()
    let run = try CommandProcess.run(["compare", "--json", "one.obj", "two.obj"], in: folder)
    #expect(run.status == 0, Comment(rawValue: run.errors))
    let figures = try JSONDecoder().decode(Figures.self, from: Data(run.text.utf8))
    for (own, names) in [
      (figures.forward, ["one.obj", "two.obj"]), (figures.backward, ["two.obj", "one.obj"]),
    ] {
      let text = try Checkers.run("Tools/checks/distances.py", names.map { folder.path + "/" + $0 })
      let other = try JSONDecoder().decode(Figures.Distance.self, from: Data(text.utf8))
      // Of 60,000 random points the mean is known to a percent.
      #expect(abs(own.mean - other.mean) < 0.02 * other.mean)
      #expect(abs(own.rms - other.rms) < 0.02 * other.rms)
      #expect(abs(own.p95 - other.p95) < 0.02 * other.p95)
      #expect(abs(own.max - other.max) < 0.01 * other.max)
    }
    #expect(figures.distance.max == max(figures.forward.max, figures.backward.max))
  }

  @Test func `a greater distance than allowed ends with 65`() throws {
    let folder = try folder()
    let near = try CommandProcess.run(
      ["compare", "one.obj", "two.obj", "--max-distance", "10cm"], in: folder)
    #expect(near.status == 0, Comment(rawValue: near.errors))
    #expect(near.text.contains("maximum"))
    let far = try CommandProcess.run(
      ["compare", "one.obj", "two.obj", "--max-distance=1mm"], in: folder)
    #expect(far.status == 65)
    #expect(far.text.contains("maximum"))
    #expect(far.errors.contains("apart, more than '--max-distance' 1mm"))
    let wrong = try CommandProcess.run(
      ["compare", "one.obj", "two.obj", "--max-distance=thin"], in: folder)
    #expect(wrong.status == 64)
    #expect(wrong.errors.contains("'--max-distance'"))
  }

  @Test func `a scan that was moved is aligned`() throws {
    let folder = try folder()
    let move = "transform translate=[30cm,10cm,-20cm] rotate=[0,7deg,2deg]"
    let moving = try CommandProcess.run(
      ["run", "one.obj", "-s", move, "-o", "moved.obj", "-q"], in: folder)
    #expect(moving.status == 0, Comment(rawValue: moving.errors))
    let run = try CommandProcess.run(
      ["compare", "one.obj", "moved.obj", "--align", "--max-distance=0.01mm"], in: folder)
    #expect(run.status == 0, Comment(rawValue: run.errors))
    #expect(run.text.contains("aligned by"))
  }

  @Test(.needs("PIL")) func `a heat map is a model or a picture, and never replaces an input`()
    throws
  {
    let folder = try folder()
    let model = try CommandProcess.run(
      ["compare", "one.obj", "two.obj", "-o", "heat.ply", "--range=2cm"], in: folder)
    #expect(model.status == 0, Comment(rawValue: model.errors))
    let info = try CommandProcess.run(["info", "heat.ply"], in: folder)
    #expect(info.text.contains("colors"))
    let picture = try CommandProcess.run(
      ["compare", "one.obj", "two.obj", "-o", "heat.png"], in: folder)
    #expect(picture.status == 0, Comment(rawValue: picture.errors))
    let pixels = try Checkers.colors(ofPicture: folder.path + "/heat.png")
    #expect(pixels.contains("red") && pixels.contains("blue"), "\(pixels)")
    for output in ["one.obj", "two.obj"] {
      let before = try Data(contentsOf: folder.url.appendingPathComponent(output))
      let run = try CommandProcess.run(
        ["compare", "one.obj", "two.obj", "-o", output], in: folder)
      #expect(run.status != 0)
      #expect(try Data(contentsOf: folder.url.appendingPathComponent(output)) == before)
    }
    try folder.write("mtllib heat.mtl\n" + Self.bumpy { x, _ in 0.1 * x }, to: "three.obj")
    try folder.write("newmtl a\n", to: "heat.mtl")
    let beside = try CommandProcess.run(
      ["compare", "one.obj", "three.obj", "-o", "heat.obj"], in: folder)
    #expect(beside.status == 64)
    #expect(beside.errors.contains("heat.mtl"))
    let pointless = try CommandProcess.run(
      ["compare", "one.obj", "two.obj", "--range=2cm"], in: folder)
    #expect(pointless.status == 64)
  }

  @Test func `units that were not said are suspected, and can be said`() throws {
    let folder = try folder()
    try folder.write(
      Self.bumpy { _, _ in 0 }.split(separator: "\n").map { line in
        let words = line.split(separator: " ")
        guard words[0] == "v" else { return String(line) }
        return "v " + words.dropFirst().map { "\((Double($0) ?? 0) * 1000)" }.joined(separator: " ")
      }.joined(separator: "\n"), to: "mm.obj")
    let wrong = try CommandProcess.run(["compare", "one.obj", "mm.obj"], in: folder)
    #expect(wrong.errors.contains("'--second-unit'"))
    let right = try CommandProcess.run(
      ["compare", "one.obj", "mm.obj", "--second-unit", "mm", "--max-distance=11cm"], in: folder)
    #expect(right.status == 0, Comment(rawValue: right.errors))
    #expect(right.errors == "")
  }

  @Test func `points changed where they are told from noise`() throws {
    let folder = try folder()
    func cloud(_ name: String, raised: Bool) throws {
      var generator = SeededGenerator(seed: raised ? 2 : 1)
      let lines = (0..<8000).map { _ -> String in
        let (x, z) = (
          Double.random(in: 0...1, using: &generator), Double.random(in: 0...1, using: &generator)
        )
        let noise = Double.random(in: -0.002...0.002, using: &generator)
        return "v \(x) \(noise + (raised && x > 0.75 ? 0.05 : 0)) \(z)"
      }
      try folder.write(lines.joined(separator: "\n") + "\n", to: name)
    }
    try cloud("before.obj", raised: false)
    try cloud("after.obj", raised: true)
    let run = try CommandProcess.run(
      ["compare", "before.obj", "after.obj", "--m3c2", "--json"], in: folder)
    #expect(run.status == 0, Comment(rawValue: run.errors))
    struct Report: Decodable {
      struct Changes: Decodable { let significant, max, unmatched: Double }
      let changes: Changes
    }
    let changes = try JSONDecoder().decode(Report.self, from: Data(run.text.utf8)).changes
    // A quarter was raised; of the rest one in twenty is significant by chance.
    #expect(abs(changes.significant - 0.29) < 0.03)
    #expect(abs(changes.max - 0.05) < 0.002)
    #expect(changes.unmatched < 0.02)
  }

  @Test func `what is not there or empty is named`() throws {
    let folder = try folder()
    try folder.write("# nothing\n", to: "empty.obj")
    let missing = try CommandProcess.run(["compare", "one.obj", "three.obj"], in: folder)
    #expect(missing.status == 66)
    #expect(missing.errors.contains("three.obj"))
    let empty = try CommandProcess.run(["compare", "one.obj", "empty.obj"], in: folder)
    #expect(empty.status == 65)
    #expect(empty.errors.contains("empty.obj"))
    let clouds = try CommandProcess.run(["compare", "one.obj", "two.obj", "--m3c2"], in: folder)
    #expect(clouds.status == 65)
    #expect(clouds.errors.contains("sample-points"))
    let files = try CommandProcess.run(
      ["compare", "one.obj", "two.obj", "--mesh", "other.obj"], in: folder)
    #expect(files.status == 64)
    #expect(files.errors.contains("'--mesh'"))
  }
}

extension Checkers {
  /// The hues that a picture has in more than a hundred pixels.
  fileprivate static func colors(ofPicture path: String) throws -> [String] {
    let script = """
      import sys; from PIL import Image
      pixels = list(Image.open(sys.argv[1]).convert("RGB").getdata())
      if sum(r > b + 60 for r, g, b in pixels) > 100: print("red")
      if sum(b > r + 60 for r, g, b in pixels) > 100: print("blue")
      """
    let run = try Program.run(python, ["-c", script, path])
    return run.output.split(separator: "\n").map(String.init)
  }
}
