import MeshPipeline

/// A capture of three tiny images of the sheets of ``CheckScenes``, in a temporary folder.
final class CheckCapture {
  let capture: Capture
  private let folder: String

  /// - Throws: ``FileError``.
  init() throws {
    folder = try FileSystem.createPrivateFolder(
      prefix: FileSystem.temporaryFolder + "/meshpipe-check-")
    capture = Capture(frames: (0..<3).map { [folder] in Self.frame($0, in: folder) })
    for frame in capture.frames {
      try FileSystem.replaceFile(
        frame.image.path, with: CheckScenes.picture, synchronizing: false)
    }
  }

  deinit { try? FileSystem.removeFolder(folder) }

  /// A camera one metre above the centre of a sheet, looking down.
  private static func frame(_ number: Int, in folder: String) -> Capture.Frame {
    Capture.Frame(
      name: "frame \(number)", image: .file("\(folder)/\(number).png"), imageSize: SIMD2(8, 8),
      intrinsics: .init(focalLength: SIMD2(8, 8), principalPoint: SIMD2(4, 4)),
      pose: Transform(
        x: SIMD3(1, 0, 0), y: SIMD3(0, 0, -1), z: SIMD3(0, 1, 0),
        translation: SIMD3(0.25 + 0.25 * Double(number), 1, 0.5)), timestamp: Double(number))
  }
}
