import MeshpipeScene
import NativeLibraries
import SurfaceKernels

/// The measurements of a surface's vertices in one frame.
package struct FrameAnalysis: Sendable {
  private(set) var seen = VertexMeasurements()
  /// The data needed to sample single texels later.
  var depthBounds: DepthBounds
  /// The data that other frames' votes need: see ``ForegroundVote``.
  let thumbnail: FrameThumbnail

  /// One vertex as one frame sees it.
  struct Measurement: Sendable {
    /// Linear light in 0…65535, blurred to the distance between vertices; the fourth is the mean
    /// squared gradient around the vertex.
    var color: SIMD4<UInt16>
    /// Pixels per metre of surface, foreshortened.
    var resolution: Float
    /// The confidence that the frame shows the vertex and nothing else, 0…1.
    var confidence: Float

    var energy: Float { Float(color.w) }
    /// The quality of the measurement relative to others, as far as it depends on this frame alone.
    var quality: Float { resolution * confidence }
  }

  /// The options for the analysis of a frame.
  package struct Options: Sendable {
    package var limits = FrameObserver.Limits()
    /// The share of the image's width over which its border fades out.
    ///
    /// Smaller, the end of an image shows as an edge on the surface; larger, good pixels are lost.
    package var borderFade: Float = 0.04
    /// The reduction of the image for the analysis, whose colours are blurred to the distance between vertices anyhow:
    /// images at half size take a quarter of the time and memory.
    package var reduction = 2
    /// Pixels of the image per ray of the depth bounds, along a side: poses are off by about as much, so more rays say
    /// little about what occludes what.
    package var depthBoundsStep = 4

    package init() {}
  }

  /// The fewest rays of the depth bounds that hit a mesh which the frame shows: some 8 by 8
  /// pixels.
  private static let leastRays = 4
  /// The confidence in a measurement beside one that nothing puts in doubt: at the image's border, where any other
  /// frame is better; some pixels from an outline, since poses are off by some pixels; and where something farther is
  /// in the next pixel.
  private static let confidenceAtBorder: Float = 0.02
  private static let confidenceNearOutline: Float = 0.3
  private static let confidenceBeforeBackground: Float = 0.5
  /// The width over which a colour is averaged, in distances to the neighbours.
  ///
  /// Wide enough that levelling does not follow single grains of a texture; narrow enough to stay on the vertex's side
  /// of an edge.
  private static let blurWidth: Float = 0.35
  /// The maximum of that width near an outline, in pixels: a blurred colour would be that of what is beyond it.
  private static let greatestWidthNearOutline: Float = 2

  /// - Parameters:
  ///   - places: Where to sample each vertex: see ``BakeMeshBorders/samplePositions``.
  ///   - spacing: The distance of each vertex to its neighbours, in units of the scene.
  init(
    of mesh: BakeMesh, at places: [Vector3], spacing: [Float], on surface: ObservedSurface,
    in frame: Capture.Frame, image: Image, depth: DepthMap?, options: Options
  ) {
    let camera = Camera(frame, size: image.size)
    var limits = options.limits
    limits.border = 1
    let size = frame.imageSize
    let traced = TracedDepths(
      frame,
      size: SIMD2(
        max(1, size.x / options.depthBoundsStep), max(1, size.y / options.depthBoundsStep)),
      of: surface, inParallel: false)
    depthBounds = DepthBounds(traced, surface.scale, mask: image.mask)
    limits.depthScatter = depth.flatMap {
      traced.scatter(of: $0, surface.scale)
    }
    let observer = FrameObserver(camera, observing: surface, depth: depth, limits: limits)
    let pyramid = ImagePyramid(LinearImage(image))
    thumbnail = FrameThumbnail(pyramid, imageSize: camera.size, depthBounds, depth: depth)
    let full = Float(size.x) / Float(image.width)
    // The pixels of a mesh that is a speck in the image don't show it.
    let isSpeck = traced.faces.count { $0 != .max } < Self.leastRays
    for vertex in (isSpeck ? mesh.vertexCount - mesh.pointCount : 0)..<mesh.vertexCount {
      let point = places[vertex].simd
      var normal = mesh.normals[vertex].simd
      // A point without a normal faces every camera.
      if normal == .zero { normal = (camera.position - point).normalized }
      // A fused mesh covers gaps with a skin; a frame shows what is behind it there.
      guard let seen = observer.visibleProjection(of: point, normal: normal),
        !observer.isSeenThrough(seen),
        let (confidence, isNearOutline) = Self.confidence(
          in: seen, camera: camera, bounds: depthBounds, metric: surface.scale, options: options)
      else { continue }
      let pixelsPerUnit = camera.focalLength.x / seen.depth
      let width = pixelsPerUnit * spacing[vertex] * Self.blurWidth
      let color = pyramid.sample(
        seen.pixel, width: isNearOutline ? min(width, Self.greatestWidthNearOutline) : width)
      self.seen.append(
        vertex,
        Measurement(
          color: color,
          resolution: surface.scale.perMeter(pixelsPerUnit * full) * seen.cosine.squareRoot(),
          confidence: confidence))
    }
    depthBounds.dropExtremes()
  }

  /// The confidence in a measurement, and whether an outline is near it in the image; nil directly next to an occluder,
  /// whose colour would spread over all the unseen surface behind it.
  private static func confidence(
    in seen: FrameObserver.Projection, camera: Camera, bounds map: DepthBounds, metric: MetricScale,
    options: Options
  ) -> (Float, Bool)? {
    let inner = pointwiseMin(seen.pixel, camera.size - seen.pixel)
    let border = min(inner.x, inner.y) / (options.borderFade * camera.size.x)
    let index = map.index(of: seen.pixel, camera)
    let millimeters = min(metric.millimeters(seen.depth), DepthBounds.greatestDepth)
    let step = map.step(at: millimeters, cosine: seen.cosine, camera)
    let error = DepthBounds.tolerance(options.limits.meshError)
    var confidence = min(1, max(Self.confidenceAtBorder, border))
    let isWidelyClear =
      Float(map.widelyNearest[index]) >= millimeters - error - DepthBounds.wideNearSteps * step
      && Float(map.widelyFarthest[index]) <= millimeters + DepthBounds.farErrors * error
        + DepthBounds.wideFarSteps * step
    if Float(map.nearest[index]) < millimeters - error - DepthBounds.nearSteps * step { return nil }
    if !isWidelyClear { confidence *= Self.confidenceNearOutline }
    if Float(map.farthest[index]) > millimeters + DepthBounds.farErrors * error + DepthBounds
      .farSteps * step
    {
      confidence *= Self.confidenceBeforeBackground
    }
    return (confidence, !isWidelyClear)
  }
}

/// The vertices that a frame sees, ascending, with their measurements.
struct VertexMeasurements: Sendable {
  private(set) var vertices: [UInt32] = []
  private(set) var measurements: [FrameAnalysis.Measurement] = []

  /// Adds a vertex with a higher number than those before.
  mutating func append(_ vertex: Int, _ measurement: FrameAnalysis.Measurement) {
    vertices.append(UInt32(truncatingIfNeeded: vertex))
    measurements.append(measurement)
  }

  /// The range of the measurements of a range of vertices.
  func places(of range: Range<Int>) -> Range<Int> {
    firstPlace(from: range.lowerBound)..<firstPlace(from: range.upperBound)
  }

  /// The index of the first measurement of a vertex of this number or a higher one.
  private func firstPlace(from vertex: Int) -> Int {
    var (low, high) = (0, vertices.count)
    while low < high {
      let middle = (low + high) / 2
      if Int(vertices[middle]) < vertex { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// An image pyramid, with the energy of its gradients.
struct ImagePyramid: Sendable {
  /// The fourth channel is the root of the gradient's energy.
  private let levels: [LinearImage]

  /// Levels end where an image has few pixels, or each is the mean of 256 by 256: no vertex stands for more.
  private static let (fewPixels, mostLevels) = (4, 9)
  /// The factor of squared gradients of the root of light, which is 0 to 256, over two pixels: those of more
  /// than 0.7 of the range are clipped to 16 bits, and faint ones gain a bit.
  private static let energyScale: Float = 2

  init(_ image: LinearImage) {
    var levels = [Self.withGradients(image)]
    while let last = levels.last, min(last.width, last.height) > Self.fewPixels,
      levels.count < Self.mostLevels
    {
      levels.append(last.halved())
    }
    self.levels = levels
  }

  /// Stores the gradient's magnitude (of the root of light, so that noise counts the same in dark
  /// and bright areas) in the fourth channel.
  private static func withGradients(_ image: LinearImage) -> LinearImage {
    let (width, height) = (image.width, image.height)
    let luma = image.pixels.map { pixel in
      LinearImage.luminance(of: pixel).squareRoot()
    }
    var pixels = image.pixels
    for y in 1..<max(2, height - 1) where height > 2 {
      for x in 1..<max(2, width - 1) where width > 2 {
        let index = y * width + x
        let across = luma[index + 1] - luma[index - 1]
        let down = luma[index + width] - luma[index - width]
        pixels[index].w = UInt16(
          min((across * across + down * down) * energyScale, LinearImage.one))
      }
    }
    return LinearImage(width: width, height: height, pixels: pixels)
  }

  /// Colour and energy averaged over about `width` pixels.
  func sample(_ position: SIMD2<Float>, width: Float) -> SIMD4<UInt16> {
    var level = 0
    var size = max(width, 1)
    while size >= 2, level < levels.count - 1 {
      size /= 2
      level += 1
    }
    // Interpolated between two levels, so that frames at different distances are equally blurred.
    var value = sample(position, level: level)
    let part = min(size - 1, 1)
    if level < levels.count - 1, part > 0 {
      value = value * (1 - part) + sample(position, level: level + 1) * part
    }
    return clampedToCode(value)
  }

  private func sample(_ position: SIMD2<Float>, level: Int) -> SIMD4<Float> {
    let image = levels[level]
    let scale = SIMD2(
      Float(image.width) / Float(levels[0].width), Float(image.height) / Float(levels[0].height))
    return image.bilinear(position * scale)
  }
}

/// Rounded and clamped to 0…65535.
@inline(__always)
package func clampedToCode(_ value: SIMD4<Float>) -> SIMD4<UInt16> {
  var held = value.replacing(with: 0, where: .!(value .> 0))
  held = held.replacing(with: 65_535, where: held .> 65_535)
  // The last bit of a float of 2²³ is 1: rounds without the checks of a conversion.
  held += 0x1p23
  return SIMD4<UInt16>(
    truncatingIfNeeded: SIMD4(
      held.x.bitPattern, held.y.bitPattern, held.z.bitPattern, held.w.bitPattern))
}
