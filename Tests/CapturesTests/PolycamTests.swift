import Captures
import Formats
import MeshPipeline
import MeshTestSupport
import MeshpipeKit
import Testing

struct PolycamTests {
  @Test(arguments: [false, true])
  func `keyframes are read, with or without corrected ones`(corrected: Bool) throws {
    let fixture = try CaptureFixture()
    try fixture.writePolycam(corrected: corrected)
    if corrected {
      // Cameras that were not corrected stand elsewhere, and some have no picture.
      try fixture.folder.write("keyframes/cameras/1000000.json", "{}")
    }
    let (scan, warnings) = try fixture.read()
    #expect(warnings == [])
    #expect(scan.capture.frames.map(\.timestamp) == [1, 1.5, 2, 2.5])
    try expectPicturesFit(scan, tolerance: 1.2)
    // They came from different folders.
    var (whole, part) = (scan.capture, try fixture.read("keyframes").scan.capture)
    (whole.origin, part.origin) = (nil, nil)
    #expect(part == whole)
  }

  @Test func `cameras follow the mesh that Polycam has turned`() throws {
    let fixture = try CaptureFixture()
    try fixture.writePolycam()
    // A turn about the vertical by a quarter, and a shift; columns one after another.
    try fixture.folder.write(
      "mesh_info.json",
      #"{ "alignmentTransform": [0,0,-1,0, 0,1,0,0, 1,0,0,0, 3,0.5,-2,1] }"#)
    let turned = BoxRoom.obj(x: [0, 0, 1], y: [0, 1, 0], z: [-1, 0, 0])
      .split(separator: "\n").map { line in
        let words = line.split(separator: " ")
        guard words[0] == "v" else { return String(line) }
        let p = words.dropFirst().compactMap { Double($0) }
        return "v \(p[0] + 3) \(p[1] + 0.5) \(p[2] - 2)"
      }.joined(separator: "\n")
    try fixture.folder.write("turned.obj", turned)
    try fixture.folder.write("plain.obj", BoxRoom.obj)
    func warnings(_ mesh: String) throws -> [String] {
      let context = ReadingContext()
      let source = ScanSource(
        path: fixture.path + "/" + mesh, format: OBJ.self,
        frames: try builtInCaptures.find(fixture.path))
      _ = try source.read(in: context)
      let fit = context.stage.notes.first { $0.key == "framesDepthOnMesh" }?.value.number ?? 0
      #expect(fit > 0.98, "\(mesh)")
      return context.stage.warnings
    }
    #expect(try warnings("turned.obj") == [])
    #expect(try warnings("plain.obj") == [])
  }
}
