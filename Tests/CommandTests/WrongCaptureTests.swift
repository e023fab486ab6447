import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

/// Captures that don't fit, as a user meets them.
struct WrongCaptureTests {
  /// `room/` with frames whose pictures were all turned by 180 degrees.
  private func turnedCapture() throws -> TemporaryFolder {
    let capture = try SyntheticCapture {
      ($0.frameCount, $0.size, $0.samples) = (10, SIMD2(120, 90), 1)
    }
    let folder = try TemporaryFolder()
    try folder.writeBundle(of: capture, hasPictures: true)
    for (index, frame) in capture.frames.enumerated() {
      try writeTurned(frame, as: index, in: folder)
    }
    return folder
  }

  /// Writes the picture of a frame, turned by 180 degrees, as that of a frame of `room/`.
  private func writeTurned(
    _ frame: Capture.Frame, as index: Int, in folder: TemporaryFolder
  ) throws {
    var image = try frame.loadImage()
    let pixels = image.pixels
    for place in pixels.indices {
      // The last pixel first, its channels in their order.
      image.pixels[place] = pixels[pixels.count - 3 - place + 2 * (place % 3)]
    }
    try Data(PNG.encode(image)).write(
      to: folder.url.appendingPathComponent("room/images/\(index).png"))
  }

  /// What is wrong with a capture, and what is said of it.
  enum Fault: CaseIterable {
    case slightlyMovedMesh, movedMesh, largeMesh, barrel, pincushion

    var mesh: Transform {
      switch self {
      case .slightlyMovedMesh: Transform(translation: SIMD3(0.009, 0.006, -0.006))
      case .movedMesh: Transform(translation: SIMD3(0.05, -0.04, 0.04))
      case .largeMesh: Transform(scale: SIMD3(repeating: 1.03))
      case .barrel, .pincushion: .identity
      }
    }

    var k1: Double { self == .barrel ? -0.1 : self == .pincushion ? 0.1 : 0 }

    var words: String {
      switch self {
      case .slightlyMovedMesh, .movedMesh:
        "mm from where all depth maps show it, and all frames are moved onto it"
      case .largeMesh:
        "behind the measured depths, of about 2210 mm; a mesh made from the depth maps fits them better"
      case .barrel, .pincushion: "the files record no lens distortion"
      }
    }
  }

  @Test(arguments: Fault.allCases)
  func `what is wrong with mesh or lens is said`(fault: Fault) throws {
    let capture = try SyntheticCapture {
      ($0.frameCount, $0.size, $0.samples) = (12, SIMD2(240, 180), 1)
      $0.distortion =
        fault.k1 == 0
        ? .none
        : .radialTangential(
          numerator: SIMD3(fault.k1, 0, 0), denominator: .zero, tangential: .zero)
    }
    let folder = try TemporaryFolder()
    try folder.writeBundle(of: capture, hasPictures: true, moving: fault.mesh)
    let result = try CommandProcess.run(
      ["run", "room", "-s", "report-coverage", "-o", "out/model.ply"], in: folder)
    #expect(result.status == 0)
    #expect(result.errors.contains(fault.words), "\(result.errors)")
    if let shift = result.errors.firstMatch(of: /lies ([0-9]+) mm from/).flatMap({ Double($0.1) }) {
      #expect(abs(shift - 1000 * fault.mesh.translation.length) < 3, "\(result.errors)")
    }
    let found = result.errors.firstMatch(of: /k1 = (-?[0-9.]+)/).flatMap { Double($0.1) }
    #expect(abs((found ?? 0) - fault.k1) < 0.02, "\(result.errors)")
  }

  /// What is wrong with the cameras of a capture without depth maps, and what is said of it.
  enum CameraFault: CaseIterable {
    case foreignPictures, worldToCamera, millimeters, zUp, drift

    /// The pose that is written for one of 15 frames.
    func pose(_ index: Int, _ pose: Transform) -> Transform {
      switch self {
      case .foreignPictures: return pose
      case .worldToCamera: return pose.inverse ?? .identity
      case .millimeters:
        var scaled = pose
        scaled.translation *= 1000
        return scaled
      case .zUp: return Transform(rotationAbout: SIMD3(1, 0, 0), by: .pi / 2) * pose
      case .drift: return Transform(translation: SIMD3(0.25 * Double(index) / 14, 0, 0)) * pose
      }
    }

    var words: String {
      switch self {
      case .foreignPictures:
        "7 frames ('frame_000000', 'frame_000002', 'frame_000004' and 4 more) are left out"
      case .worldToCamera: "better with --frames-convention gl,rows,w2c"
      case .millimeters: "better with --frames-unit mm"
      case .zUp: "better with --frames-up z"
      case .drift: "the path of the frames drifts"
      }
    }

    var status: Int32 {
      switch self {
      case .foreignPictures, .drift: 0
      case .worldToCamera, .millimeters, .zUp: 65
      }
    }
  }

  @Test(arguments: CameraFault.allCases)
  func `wrong cameras without depth maps are told or refused`(fault: CameraFault) throws {
    let capture = try SyntheticCapture {
      ($0.frameCount, $0.size, $0.samples, $0.depthSize) = (15, SIMD2(240, 180), 1, nil)
    }
    let folder = try TemporaryFolder()
    try folder.writeBundle(of: capture, hasPictures: true, posing: fault.pose)
    if fault == .foreignPictures {
      for index in stride(from: 0, to: 14, by: 2) {
        try writeTurned(capture.frames[(5 * index + 3) % 15], as: index, in: folder)
      }
    }
    let result = try CommandProcess.run(
      ["run", "room", "-s", "report-coverage", "-o", "out/model.glb"], in: folder)
    #expect(result.status == fault.status, "\(result.errors)")
    #expect(result.errors.contains(fault.words), "\(result.errors)")
    #expect(folder.exists("out/model.glb") == (fault.status == 0))
  }

  @Test func `a run ends with 65 and writes no model, unless poses are forced`() throws {
    let folder = try turnedCapture()
    let call = ["run", "room", "-s", "report-coverage", "-o", "out/model.ply"]
    let refused = try CommandProcess.run(call, in: folder)
    #expect(refused.status == 65)
    #expect(
      refused.errors.contains("they fit when rotated by 180 degrees; --force-poses"),
      "\(refused.errors)")
    #expect(!folder.exists("out/model.ply"))
    let forced = try CommandProcess.run(call + ["--force-poses"], in: folder)
    #expect(forced.status == 0, "\(forced.errors)")
    #expect(forced.errors.contains("warning: "))
    #expect(folder.exists("out/model.ply"))
    // Whoever asks what a capture holds is told, and not refused.
    let info = try CommandProcess.run(["info", "room"], in: folder)
    #expect(info.status == 0)
    #expect(info.errors.contains("rotated by 180 degrees"))
  }

  @Test(arguments: ["scans/room.tar", "scans/sparse"])
  func `frames that nobody named never make a run fail`(neighbor: String) throws {
    let folder = try turnedCapture()
    try folder.copy(folder.path + "/room/mesh.obj", to: "scans/mesh.obj")
    if neighbor.hasSuffix("tar") {
      let tar = try #require(CommandProcess.program("tar"))
      _ = try CommandProcess.run(tar, ["-cf", neighbor, "room"], in: folder)
    } else {
      try folder.copy(folder.path + "/room", to: neighbor)
    }
    try folder.writePipeline(stages: [#"{ "use": "report-coverage", "when": "frames" }"#])
    let call = ["run", "pipeline.json", "scans/mesh.obj", "-o", "out/"]
    let alone = try CommandProcess.run(call, in: folder)
    #expect(alone.status == 0, "\(alone.errors)")
    #expect(
      alone.errors.contains("the frames beside the scan are left out: \(neighbor)"),
      "\(alone.errors)")
    #expect(folder.exists("out/mesh.glb"))
    #expect(try CommandProcess.run(call + ["--strict"], in: folder).status == 65)
    #expect(try CommandProcess.run(call + ["--frames", neighbor], in: folder).status == 65)
    let silent = try CommandProcess.run(call + ["--frames", "none"], in: folder)
    #expect(!silent.errors.contains("beside the scan"), "\(silent.errors)")
  }
}
