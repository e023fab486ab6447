package import MeshpipeScene
import NativeLibraries
package import SurfaceKernels

/// The texture composed of the selected views: the last of the three steps of a bake, after
/// ``FrameObservations`` and ``ViewSelection``.
package struct TextureComposition {
  /// The colour of each vertex; the fourth component is 0 where no frame sees it.
  package let colors: [SIMD4<Float>]
  private let atlas: Atlas
  private let pageStarts: [Int]
  /// All pages, one after the other, as sRGB.
  private(set) var pixels: [UInt8]

  /// Decodes the selected frames again, one after the other, and composes them.
  ///
  /// Where texels are several pixels wide, images are decoded at reduced size.
  ///
  /// - Parameter unseenColor: In sRGB codes, for surface that no frame sees; nil to fill it from
  ///   its surroundings.
  package init(
    _ selection: ViewSelection, _ raster: TriangleRaster, unseenColor: SIMD3<Float>? = nil,
    progress: (Double) throws -> Void
  ) throws {
    let calibration = selection.calibration
    var accumulator = TextureAccumulator(raster, selection)
    try calibration.compose(into: &accumulator, progress: progress)
    accumulator.finish(unseen: calibration.unseenColors(unseenColor, accumulator))
    colors = accumulator.colors
    atlas = raster.atlas
    pageStarts = raster.pageStarts
    pixels = accumulator.pixels
  }

  /// The pages as images, padded around the charts.
  ///
  /// - Parameter covered: The texels of each page that a face owns.
  package consuming func pages(_ covered: [TexelMap], rings: Int) -> [Image] {
    // A page is as large as the rest of the bake: none may be in memory twice.
    var all: [UInt8] = []
    swap(&all, &pixels)
    return atlas.pages.indices.map { page in
      let size = atlas.pages[page]
      var pixels =
        atlas.pages.count == 1 ? all : Array(all[pageStarts[page]..<pageStarts[page + 1]])
      if atlas.pages.count == 1 { all = [] }
      PagePadding.fill(&pixels, covered: covered[page], rings: rings)
      return Image(width: size.x, height: size.y, pixels: pixels)
    }
  }
}

extension FrameCalibration {
  /// The most whole images in memory at the same time: painting them, one by one on all cores, takes most of the
  /// time, so that decoding more at once would save little.
  private static let mostDecoded = 2
  /// Bytes of a decoded pixel: 3 as it is decoded, 8 in linear light.
  private static let bytesPerPixel = 11

  /// Adds all frames that are needed.
  fileprivate func compose(
    into accumulator: inout TextureAccumulator, progress: (Double) throws -> Void
  ) throws {
    let wanted = frames.indices.filter { accumulator.needs($0) }
    let reductions = Parallel.map(count: wanted.count) { [accumulator] index in
      accumulator.reduction(of: wanted[index], from: Camera(frames[wanted[index]]))
    }
    let batch = min(
      Self.mostDecoded,
      options.batchSize(frames, bytesPerPixel: Self.bytesPerPixel, reduction: reductions.min() ?? 1)
    )
    for start in stride(from: 0, to: wanted.count, by: batch) {
      let range = start..<min(start + batch, wanted.count)
      let images = Parallel.map(count: range.count) { index in
        let reduction = reductions[range.lowerBound + index]
        let frame = frames[wanted[range.lowerBound + index]]
        return (try? frame.loadImage(reducedBy: reduction)).map {
          LinearImage($0).withDetail(reducedBy: reduction)
        }
      }
      for (place, image) in images.enumerated() {
        let frame = wanted[start + place]
        accumulator.add(frame, image.map { baked(frame, $0) })
      }
      try progress(Double(range.upperBound) / Double(wanted.count))
    }
  }

  private func baked(_ frame: Int, _ image: LinearImage) -> BakedFrame {
    BakedFrame(
      camera: Camera(frames[frame], size: SIMD2(image.width, image.height)), image: image,
      depthBounds: depthBounds[frame]?.withExtremes(), foreground: foregrounds[frame],
      scale: domain.surface.scale,
      tolerance: DepthBounds.tolerance(options.analysis.limits.meshError))
  }

  /// The colour of each unseen vertex: the given colour, or what is painted around it.
  fileprivate func unseenColors(
    _ color: SIMD3<Float>?, _ accumulator: TextureAccumulator
  ) -> [SIMD4<Float>] {
    if let color {
      let light = (0..<3).map {
        LinearImage.one * Float(SRGBTable.linear(ofEncoded: Double(color[$0]) / 255))
      }
      return Array(
        repeating: SIMD4(light[0], light[1], light[2], 0), count: domain.mesh.vertexCount)
    }
    var colors = accumulator.colors
    let isAtUnseen = colors.indices.map { vertex in
      colors[vertex].w > 0
        && (Int(domain.offsets[vertex])..<Int(domain.offsets[vertex + 1])).contains {
          colors[Int(domain.neighbors[$0])].w == 0
        }
    }
    for (vertex, color) in accumulator.painted(around: isAtUnseen).enumerated() where color.w > 0 {
      colors[vertex] = color
    }
    return domain.filled(colors)
  }
}
