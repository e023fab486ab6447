import MeshPipeline
import NativeLibraries
import Photogrammetry
import Synchronization

/// Reads images and depth maps of frames, for what compares photographs of a surface.
struct FrameSources {
  let surface: ObservedSurface
  /// The width of the images in pixels; less for very many frames.
  let width: Int
  /// The width of the maps that tell occluded places.
  let maskWidth: Int
  /// Whether depth maps tell what is not part of the mesh.
  let usesDepth: Bool
  /// Whether what depth maps measured is kept.
  var keepsDepth = false
  /// What becomes of a frame that can't be read, for the warning.
  let withoutImage: String

  /// The number of pixels of all images that fit into memory, at three bytes each.
  private static let mostPixels = 300_000_000
  /// Narrower images show too little.
  private static let leastWidth = 480

  /// The width at which the images of all frames fit into memory.
  static func width(atMost width: Int, _ count: Int) -> Int {
    let pixels = mostPixels / max(1, count)
    return min(width, max(leastWidth, Int((Double(pixels) * 4 / 3).squareRoot())))
  }

  /// Images and views of frames; nil for unreadable ones, which are warned of.
  ///
  /// Reports progress up to 0.2.
  func load(
    _ frames: [Capture.Frame], in context: StageContext
  ) throws -> [PoseRefiner.Source?] {
    let done = Mutex(0)
    let width = Self.width(atMost: width, frames.count)
    let loaded = Parallel.map(count: frames.count) {
      index -> Result<PoseRefiner.Source, any Error> in
      Result {
        // Under the lock, so that progress rises.
        try done.withLock { count in
          count += 1
          try context.progress(0.2 * Double(count) / Double(frames.count + 1))
        }
        return try source(frames[index], width, in: context)
      }
    }
    try context.progress(0.2)
    return try zip(frames, loaded).map { frame, result in
      do { return try result.get() } catch let error as any UserError {
        context.warn("frame '\(frame.name)' \(withoutImage): \(error.message)")
        return nil
      }
    }
  }

  private func source(
    _ frame: Capture.Frame, _ width: Int, in context: StageContext
  ) throws -> PoseRefiner.Source {
    let image = try frame.loadImage(
      reducedBy: Capture.Frame.strongestReduction { frame.imageSize.x / $0 >= width },
      from: context.frameStore)
    let depth = usesDepth ? frame.readableDepth().map : nil
    return PoseRefiner.Source(
      frame: frame, grayscale: GrayscaleImage(image),
      mask: ReliabilityMask(
        frame, width: maskWidth, of: surface, depth: depth, hidden: image.mask),
      depths: keepsDepth
        ? frame.depthFrame.flatMap { depthFrame in
          depth.map { DepthPoints($0, depthFrame, surface.scale) }
        } : nil)
  }
}
