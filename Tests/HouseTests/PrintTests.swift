import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

/// What `print.json` makes of scans and of broken meshes, by the programs that people print with.
struct PrintTests {
  /// Meshes that no slicer takes as they are.
  enum Broken: String, CaseIterable {
    case holes, soup, selfIntersecting, inverted, openRoom

    var mesh: Mesh {
      switch self {
      case .holes: MeshFixtures.sphere(holes: 3)
      case .soup: MeshFixtures.soup(of: MeshFixtures.torus())
      case .selfIntersecting: Self.cubes
      case .inverted: Self.cubes.reversed { $0 >= MeshFixtures.cube.faceCount }
      case .openRoom: Self.roomWithoutCeiling
      }
    }

    /// Two that intersect.
    private static var cubes: Mesh {
      var mesh = MeshFixtures.cube
      let other = mesh
      mesh.indices += other.indices.map { $0 + UInt32(other.vertexCount) }
      mesh.positions += other.positions.map { Vector3($0.simd + SIMD3(0.4, 0.3, 0.2)) }
      return mesh
    }

    /// Without a ceiling, seen from inside.
    private static var roomWithoutCeiling: Mesh {
      var mesh = MeshFixtures.cube.reversed { _ in true }
      mesh.keepFaces((0..<mesh.faceCount).map { mesh.areaVector($0).y > -0.1 })
      return mesh
    }
  }

  @Test(arguments: Broken.allCases)
  func `a broken mesh is printed without repair`(broken: Broken) throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/\(broken).obj"
    try Self.text(broken.mesh).write(toFile: path, atomically: true, encoding: .utf8)
    // Metres, which the bed makes smaller; coarse, for tests without optimisation.
    try expectPrintable(path, ["--var", "wall=2cm", "--set", "solid.voxelSize=4%"], in: folder)
  }

  @Test(
    .needsShared("meshes"), .enabled(if: isOptimized, "slow; runs optimised"),
    arguments: [
      "meshes/arkit-room-classified/derived/room_classified_faces.ply",
      "meshes/common/stanford-bunny.obj", "meshes/common/spot/spot_triangulated.obj",
      "meshes/banana-textured/textured_simple_reoriented.obj", "meshes/fuze-textured/capsule.obj",
      "captures/chair-3dscannerapp/export.obj",
      "captures/chair-3dscannerapp/derived/chair_tsdf_150k.ply",
    ])
  func `a scan is printed without repair`(file: String) throws {
    // PLY does not say it, and other programs assume Z up.
    let up = file.hasSuffix(".ply") ? ["--input-up", "y"] : []
    try expectPrintable(try #require(Checkout.shared(file)), up, in: TemporaryFolder())
  }

  @Test(.enabled(if: isOptimized, "slow; runs optimised"))
  func `the sample is printed without repair`() throws {
    try expectPrintable(Checkout.sample, [], in: TemporaryFolder())
  }

  private static let isOptimized = !_isDebugAssertConfiguration()

  private static func text(_ mesh: Mesh) -> String {
    let vertices = mesh.positions.map { "v \($0.x) \($0.y) \($0.z)" }
    let faces = (0..<mesh.faceCount).map { face in
      "f " + (0..<3).map { "\(mesh.indices[3 * face + $0] + 1)" }.joined(separator: " ")
    }
    return (vertices + faces).joined(separator: "\n") + "\n"
  }

  private func expectPrintable(
    _ input: String, _ options: [String], in folder: TemporaryFolder
  ) throws {
    let output = "\(folder.path)/print/"
    let pipeline = Checkout.path("pipelines/print.json")
    let run = try Program.run(
      Program.meshpipe, ["run", pipeline, input, "-o", output] + options)
    guard run.status == 0 else { throw ProgramFailure(run) }
    // `clean` tells of parts without a consistent winding; the solid has one all the same. Scans have parts in mid-air.
    let warnings = run.errors.split(separator: "\n").filter {
      !$0.contains("warning: clean: ") && !$0.contains(" in mid-air")
    }
    #expect(warnings.isEmpty, "\(run.errors)")
    let model = try #require(
      try FileManager.default.contentsOfDirectory(atPath: output).first { $0.hasSuffix(".stl") })
    let admesh = try Program.run(try Checkers.program("admesh"), [output + model])
    for fault in [
      "Total disconnected facets", "Degenerate facets", "Edges fixed", "Facets removed",
      "Facets added", "Facets reversed", "Backwards edges",
    ] {
      let line = admesh.output.split(separator: "\n").first { $0.contains(fault) } ?? ""
      let numbers = line.split { !$0.isNumber }.map(String.init)
      #expect(!numbers.isEmpty && numbers.allSatisfy { $0 == "0" }, "\(line)")
    }
    let slicer = try Checkers.program("prusa-slicer")
    let info = try Program.run(slicer, ["--info", output + model])
    #expect(info.output.contains("manifold = yes"), "\(info.output)")
    #expect(!info.output.contains("repair"), "\(info.output)")
    let code = "\(folder.path)/model.gcode"
    let sliced = try Program.run(
      slicer,
      [
        "--export-gcode", "--bed-shape", "0x0,250x0,250x210,0x210", "--center", "125,105",
        "--max-print-height",
        "300", "--output", code, output + model,
      ])
    // Of layers that are empty, as below parts in mid-air, and of a first layer without plastic.
    for word in ["print warning", "Empty layer", "no extrusions"] {
      #expect(!(sliced.output + sliced.errors).contains(word), "\(sliced.output)")
    }
    #expect(sliced.status == 0 && FileManager.default.fileExists(atPath: code), "\(sliced.output)")
  }
}

extension Mesh {
  /// With some faces looking the other way.
  fileprivate func reversed(where isReversed: (Int) -> Bool) -> Mesh {
    var mesh = self
    mesh.reverseFaces((0..<faceCount).map(isReversed))
    return mesh
  }
}
