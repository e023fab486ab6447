import Captures
import MeshPipeline
import MeshpipeKit
import NativeLibraries
import Stages

extension FuzzTarget {
  /// A capture of any app, whose text is damaged and whose pictures are there.
  ///
  /// Its seeds are in `Seeds`.
  static let capture = FuzzTarget(name: "capture") {
    []
  } read: { input in
    var bundle = FileBundle(input)
    for (index, file) in bundle.files.enumerated() where file.bytes.isEmpty {
      bundle.files[index].bytes = file.name.hasSuffix(".png") ? depthMap : photograph
    }
    try bundle.withFolder { folder in
      let capture = try builtInCaptures.find(folder)
      let scan = try capture.read(in: CaptureReadingContext { _ in })
      for frame in scan.capture.frames {
        guard frame.imageSize.x > 0, frame.intrinsics.focalLength.x.isFinite else {
          fatalError("a frame has no camera")
        }
        _ = frame.readableDepth()
      }
      try fuse(scan)
    }
  }

  /// Makes a mesh from the depth maps, which then has only finite vertices.
  private static func fuse(_ scan: CapturedScan) throws {
    guard scan.capture.hasDepth else { return }
    var parameters = FuseDepth.Parameters()
    parameters.voxelSize = Length(meters: 0.2)
    parameters.minimumWeight = 0
    let fused = try FuseDepth(parameters).run(Scene(capture: scan.capture), in: StageContext())
    guard fused.meshes.allSatisfy({ $0.positions.allSatisfy(\.isFinite) }) else {
      fatalError("a vertex is not finite")
    }
  }

  private static let photograph =
    (try? JPEG.encode(Image(width: 4, height: 3, filledWith: (200, 90, 20)), quality: 80)) ?? []
  /// A slanted plane with holes, large enough for the fits of planes.
  private static let depthMap: [UInt8] = {
    var depths = [UInt16](repeating: 0, count: 48)
    for pixel in depths.indices where pixel % 13 != 5 { depths[pixel] = UInt16(900 + 4 * pixel) }
    return (try? PNG.encodeGray16(depths, width: 8, height: 6)) ?? []
  }()
}
