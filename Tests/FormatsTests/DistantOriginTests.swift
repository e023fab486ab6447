import Formats
import MeshPipeline
import MeshTestSupport
import Testing

/// Files whose positions are far from zero, as in national grids.
struct DistantOriginTests {
  private static let grid = SIMD3(500_000.0, 120, -5_400_000)
  /// A square of 10 cm, to a tenth of a millimetre.
  private static let corners = [
    SIMD3(0.1234, 0, 0.5), SIMD3(0.2234, 0, 0.5), SIMD3(0.2234, 0, 0.6), SIMD3(0.1234, 0, 0.6),
  ]

  /// The square as OBJ, its corners to a micrometre.
  private func text(at origin: SIMD3<Double>, color: String = "") -> String {
    func digits(_ value: Double) -> String { "\((value * 1e6).rounded() / 1e6)" }
    let lines = Self.corners.map { corner in
      let place = corner + origin
      return "v \(digits(place.x)) \(digits(place.y)) \(digits(place.z))\(color)\n"
    }
    return "# a scan\n" + lines.joined() + "f 1 2 3 4\n"
  }

  @Test(arguments: ["", " 1 0.5 0"])
  func `an OBJ in a national grid loses nothing, and is written where it was`(color: String) throws
  {
    let folder = try TemporaryFolder()
    let reading = try Reading(folder.write("a.obj", text(at: Self.grid, color: color)))
    let mesh = try #require(reading.scene.meshes.first)
    #expect(reading.scene.origin == SIMD3(500_000, 0, -5_400_000))
    #expect((mesh.colors != nil) == !color.isEmpty)
    for (position, corner) in zip(mesh.positions, Self.corners) {
      #expect((position.double - corner - SIMD3(0, 120, 0)).length < 1e-5)
    }
    #expect(reading.warnings == [])

    let output = OutputSet(folder: folder.path, mainFileName: "b.obj")
    try OBJ.write(reading.scene, to: output, in: WritingContext())
    let again = try Reading(folder.path + "/b.obj")
    #expect(again.scene.origin == reading.scene.origin)
    for (position, other) in zip(mesh.positions, again.scene.meshes[0].positions) {
      #expect((position.double - other.double).length < 1e-6)
    }
  }

  @Test func `an OBJ near zero, or as large as it is far away, is read as it is`() throws {
    let folder = try TemporaryFolder()
    for origin in [SIMD3<Double>.zero, SIMD3(3000, 0, -4000)] {
      let reading = try Reading(folder.write("a.obj", text(at: origin)))
      #expect(reading.scene.origin == .zero && reading.warnings == [])
    }
    let wide = "v 0 0 0\nv 90000 0 0\nv 90000 90000 0\nf 1 2 3\n"
    let reading = try Reading(folder.write("wide.obj", wide))
    #expect(reading.scene.origin == .zero && reading.warnings == [])
  }

  @Test func `positions are sampled over the whole of an OBJ`() throws {
    let folder = try TemporaryFolder()
    // Only the last of many vertices show that the scene reaches back to zero.
    var lines = (0..<4000).map { "v 20000 \($0 % 7) 0" }
    lines += (0..<1000).map { "v 0 \($0 % 7) 0" }
    lines.append("f 1 2 5000\n")
    let reading = try Reading(folder.write("a.obj", lines.joined(separator: "\n")))
    #expect(reading.scene.origin == .zero)
    #expect(reading.scene.meshes[0].positions[0].x == 20_000)
  }

  @Test(
    arguments: [("las", true), ("obj", true), ("ply", true), ("pts", true), ("csv", true)]
      + ["glb", "usda", "stl", "off", "pcd"].map { ($0, false) })
  func `an output that loses the place on a map says so`(ending: String, keepsPlace: Bool) throws {
    var scene = Scene(meshes: [MeshFixtures.cube], coordinateSystem: .blender)
    scene.origin = SIMD3(500_000, 5_400_000, 0)
    let format = try #require(FormatRegistry(builtInFormats).writer(forPath: "a.\(ending)"))
    let context = WritingContext()
    let folder = try TemporaryFolder()
    try format.write(
      scene, to: OutputSet(folder: folder.path, mainFileName: "a.\(ending)"), in: context)
    let warnings = context.stage.warnings
    #expect(
      warnings.contains { $0.contains("relative to (500000, 5400000, 0), which is lost") }
        != keepsPlace, "\(warnings)")
  }

  @Test func `an option moves what an OBJ holds to a grid`() throws {
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "a.obj")
    let scene = Scene(meshes: [MeshFixtures.cube])
    let origin: JSONValue = [500_000, 0, 1.5]
    try OBJ.write(scene, to: output, in: WritingContext(options: ["origin": origin]))
    let text = try FileSystem.contents(of: folder.path + "/a.obj")
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    #expect(lines.contains("v 500001.0 0.0 1.5"))
  }

  @Test func `a file in single precision is moved near zero without a loss`() throws {
    let folder = try TemporaryFolder()
    // 32 steps of what single precision resolves there.
    let facet = "vertex 500000 0 0\nvertex 500001 0 0\nvertex 500001 0.25 0\n"
    let text = "solid a\nfacet normal 0 0 1\nouter loop\n\(facet)endloop\nendfacet\nendsolid a\n"
    let reading = try Reading(folder.write("a.stl", text))
    #expect(reading.scene.origin == SIMD3(500_000, 0, 0))
    #expect(
      reading.scene.meshes[0].positions == [.zero, Vector3(1, 0, 0), Vector3(1, 0.25, 0)])
    #expect(reading.warnings == [])

    let off = "OFF\n3 1 0\n500000 0 0\n500001 0 0\n500001 0.25 0\n3 0 1 2\n"
    #expect(try Reading(folder.write("a.off", off)).scene.origin == SIMD3(500_000, 0, 0))
    // A part that is drawn twenty metres away, in millimetres, is not far.
    let part = "OFF\n3 1 0\n20000 0 0\n20500 0 0\n20500 250 0\n3 0 1 2\n"
    #expect(try Reading(folder.write("b.off", part)).scene.origin == .zero)
  }
}
