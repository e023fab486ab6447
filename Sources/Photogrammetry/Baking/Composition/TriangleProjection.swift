import MeshpipeScene
import SurfaceKernels

/// A frame's image with all that is needed to sample colours from it.
struct BakedFrame: Sendable {
  var camera: Camera
  var image: LinearImage
  var depthBounds: DepthBounds?
  /// Where the image shows objects that the mesh lacks; of the size of the depth bounds.
  var foreground: ForegroundMask?
  /// The unit of the camera's pose.
  var scale: MetricScale
  /// The error of the mesh, in millimetres.
  var tolerance: Float
}

/// A triangle as a camera sees it: maps weights of its corners to colours.
struct TriangleProjection {
  /// The weight of a texel that is occluded within the error of a pose, or that an object hides which the
  /// mesh lacks: enough to fill it if no other frame sees it, and too little to be seen otherwise.
  ///
  /// With 0 such texels would get the blurred colours of the vertices; with more an occluder leaves a rim.
  private static let confidenceOfOccluded: Float = 0.03
  /// The weight of a texel with something farther in the next pixel, whose colour the filter mixes in.
  ///
  /// Larger, backgrounds bleed into outlines; smaller, thin things that every frame shows before a background get
  /// the colour of the one frame that is off by a pixel.
  private static let confidenceBeforeBackground: Float = 0.3
  /// The most samples per texel along an axis: images are decoded at a size at which 95 % of a frame's texels are
  /// less than 3 pixels wide (``FrameReduction``), so more would only slow down the texels of grazing views.
  private static let mostSamples = 4
  /// Added before the width of a texel in pixels is rounded to a number of samples: a texel of 1.25 pixels and
  /// more is supersampled, since aliasing is visible sooner than a little blur.
  private static let sampleRounding: Float = 0.25
  /// Points nearer to the plane of the camera than this, in units of the scene, have no projection.
  private static let leastDepth: Float = 1e-6
  /// The pixels by which plain perspective between the corners may miss the triangle's centre, and its longest side in
  /// pixels: a large triangle around the lens's axis is bent, and its centre is not.
  ///
  /// The lens of a phone (k1 = 0.1) bends such a side by a tenth of a pixel; of larger triangles the texture would shift
  /// against that of their neighbours.
  private static let (mostBend, longestStraightSide): (Float, Float) = (0.05, 64)
  /// Pixels beyond the image's border that a point may project to: its samples are clamped to the border, and the
  /// weights of the vertices have faded there.
  private static let border: Float = 2

  private let view: BakedFrame
  /// The corners in the camera's axes, or in the world where the lens bends the triangle.
  let a: SIMD3<Float>
  let b: SIMD3<Float>
  let c: SIMD3<Float>
  /// Whether plain perspective holds over the triangle.
  private let isStraight: Bool
  /// The change of the pixel from one texel to the next, along columns and rows.
  private let across: SIMD2<Float>
  private let down: SIMD2<Float>
  /// Samples per texel along columns and rows: more than one where the image is finer.
  private let samples: SIMD2<Int>
  /// Pixels of the depth bounds per pixel.
  private let mapScale: SIMD2<Float>
  /// The depth by which the mesh may be nearer than a texel around its pixel of that map, per millimetre of depth.
  private let slope: Float
  private let isTurnedAway: Bool
  /// The triangle's sides that are outlines.
  private var outlines: [Outline] = []

  /// - Parameter sides: See ``BakeMeshBorders/outlines(ofTriangle:in:from:)``.
  init(
    of triangle: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>), _ texelTriangle: TexelTriangle,
    in view: BakedFrame, outlines sides: UInt8
  ) {
    let camera = view.camera
    self.view = view
    let (a, b, c) = triangle
    let footprint = TexelFootprint(of: triangle, texelTriangle, in: camera)
    (across, down) = (footprint.across, footprint.down)
    let local = (camera.warpedLocal(a), camera.warpedLocal(b), camera.warpedLocal(c))
    isStraight =
      camera.distortion == .none || Self.isStraight(local, center: footprint.center, in: camera)
    (self.a, self.b, self.c) = isStraight ? local : (a, b, c)
    func count(_ move: SIMD2<Float>) -> Int {
      let length = (move * move).sum().squareRoot()
      return length.isFinite
        ? min(Self.mostSamples, max(1, Int((length + Self.sampleRounding).rounded()))) : 1
    }
    samples = SIMD2(count(across), count(down))
    let center = (a + b + c) / 3
    let toCamera = (camera.position - center).normalized
    let facing = (b - a).cross(c - a).normalized.dot(toCamera)
    // A vertex may be seen while one of its triangles faces away.
    isTurnedAway = facing < BakeMesh.leastCosine
    let cosine = max(facing, DepthBounds.leastCosine)
    let map = view.depthBounds.map { SIMD2(Float($0.width), Float($0.height)) } ?? camera.size
    mapScale = map / camera.size
    slope = (1 - cosine * cosine).squareRoot() / (cosine * camera.focalLength.x * mapScale.x)
    guard sides != 0, let pa = camera.project(a), let pb = camera.project(b),
      let pc = camera.project(c)
    else { return }
    let pixels = [SIMD2(pa.x, pa.y), SIMD2(pb.x, pb.y), SIMD2(pc.x, pc.y)]
    for side in 0..<3 where sides & 1 << side != 0 {
      let (start, end) = (pixels[side], pixels[(side + 1) % 3])
      if let outline = Outline(from: start, to: end, inner: pixels[(side + 2) % 3]) {
        outlines.append(outline)
      }
    }
  }

  /// Whether perspective between a triangle's displaced corners is as good as the lens.
  private static func isStraight(
    _ corners: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>), center: SIMD3<Float>?, in camera: Camera
  ) -> Bool {
    guard let center, min(corners.0.z, corners.1.z, corners.2.z) > leastDepth else { return false }
    func pixel(_ local: SIMD3<Float>) -> SIMD2<Float> {
      SIMD2(local.x, local.y) / local.z * camera.focalLength + camera.principalPoint
    }
    func distance(_ a: SIMD2<Float>, _ b: SIMD2<Float>) -> Float {
      ((a - b) * (a - b)).sum().squareRoot()
    }
    let (a, b, c) = (pixel(corners.0), pixel(corners.1), pixel(corners.2))
    let mean = pixel((corners.0 + corners.1 + corners.2) / 3)
    return max(distance(a, b), distance(b, c), distance(c, a)) <= longestStraightSide
      && distance(mean, SIMD2(center.x, center.y)) <= mostBend
  }

  /// The frame's colour at a point of the triangle, and its reliability; nil if the point is occluded.
  ///
  /// - Parameters:
  ///   - place: A point of the plane through ``a``, ``b`` and ``c``.
  ///   - boost: The factor by which fine detail is added again.
  @inline(__always)
  func color(at position: SIMD3<Float>, boost: Float) -> SIMD4<Float>? {
    guard !isTurnedAway else { return nil }
    var pixel: SIMD2<Float>
    var depth = position.z
    if isStraight {
      guard depth > Self.leastDepth else { return nil }
      pixel =
        SIMD2(position.x, position.y) / depth * view.camera.focalLength + view.camera.principalPoint
    } else {
      guard let projected = view.camera.project(position) else { return nil }
      pixel = SIMD2(projected.x, projected.y)
      depth = projected.z
    }
    guard pixel.x > -Self.border, pixel.y > -Self.border,
      pixel.x < view.camera.size.x + Self.border, pixel.y < view.camera.size.y + Self.border
    else { return nil }
    let confidence = view.depthBounds.map { self.confidence(pixel, depth, $0) } ?? 1
    guard confidence > 0 else { return nil }
    var color = sample(pixel)
    color += (color.w - LinearImage.noDetail) * (2 * boost)
    color.w = confidence
    return color
  }

  /// The nearest point whose pixels show nothing from beyond an outline.
  @inline(__always)
  private func inside(_ pixel: SIMD2<Float>) -> SIMD2<Float> {
    var pixel = pixel
    for outline in outlines { outline.moveInside(&pixel) }
    return pixel
  }

  @inline(__always)
  private func sample(_ pixel: SIMD2<Float>) -> SIMD4<Float> {
    guard samples.x > 1 || samples.y > 1 else {
      // The wider filter would extend over the outline.
      let isNearOutline = outlines.contains { $0.isNear(pixel) }
      return isNearOutline ? view.image.bilinear(inside(pixel)) : view.image.bicubic(pixel)
    }
    var sum = SIMD4<Float>.zero
    let step = SIMD2<Float>(1 / Float(samples.x), 1 / Float(samples.y))
    for row in 0..<samples.y {
      for column in 0..<samples.x {
        let x = (Float(column) + 0.5) * step.x - 0.5
        let y = (Float(row) + 0.5) * step.y - 0.5
        sum += view.image.bilinear(inside(pixel + across * x + down * y))
      }
    }
    return sum * (step.x * step.y)
  }

  /// 0 for an occluded texel, small if it is occluded within the error of a pose.
  @inline(__always)
  private func confidence(_ pixel: SIMD2<Float>, _ depth: Float, _ map: DepthBounds) -> Float {
    let (column, row, _) = LinearImage.split(pixel * mapScale)
    if let foreground = view.foreground, foreground.contains(column, row) {
      return Self.confidenceOfOccluded
    }
    let index =
      min(max(row, 0), map.height &- 1) &* map.width &+ min(max(column, 0), map.width &- 1)
    let millimeters = min(view.scale.millimeters(depth), DepthBounds.greatestDepth)
    let step = millimeters * slope
    let limit = millimeters - view.tolerance - DepthBounds.nearSteps * step
    if Float(map.nearest[index]) < limit {
      return Float(map.depths[index]) < limit ? 0 : Self.confidenceOfOccluded
    }
    return Float(map.farthest[index]) > millimeters + DepthBounds.farErrors * view.tolerance
      + DepthBounds.farSteps * step
      ? Self.confidenceBeforeBackground : 1
  }
}

/// A side of a triangle in an image that is an outline.
private struct Outline {
  /// The unit normal of the outline, towards the inside of the triangle.
  private let normal: SIMD2<Float>
  private let offset: Float
  /// The distance inside the outline at which colours are taken, in pixels.
  private let margin: Float

  /// In pixels: half a pixel, half of the bilinear filter, and half a pixel for the error of a refined pose.
  ///
  /// Smaller, backgrounds show as a rim along silhouettes; larger, the outermost texels repeat colours from inside.
  static let margin: Float = 1.5
  /// The additional extent of the bicubic filter over the bilinear one.
  static let reach: Float = 1
  /// The greatest margin as a part of the triangle's height in the image, so that it stays inside small triangles
  /// with outlines on two sides.
  static let greatestPartOfHeight: Float = 0.35
  /// A shorter side, in pixels, has no direction.
  static let leastLength: Float = 1e-3

  /// - Parameter inner: The corner of the triangle that is not on this side.
  init?(from start: SIMD2<Float>, to end: SIMD2<Float>, inner: SIMD2<Float>) {
    let along = end - start
    let length = (along * along).sum().squareRoot()
    guard length > Self.leastLength else { return nil }
    var normal = SIMD2(-along.y, along.x) / length
    var height = (normal * (inner - start)).sum()
    if height < 0 { (normal, height) = (-normal, -height) }
    self.normal = normal
    offset = -(normal * start).sum()
    margin = min(Self.margin, Self.greatestPartOfHeight * height)
  }

  @inline(__always)
  private func distance(_ pixel: SIMD2<Float>) -> Float { (normal * pixel).sum() + offset }

  @inline(__always)
  func isNear(_ pixel: SIMD2<Float>) -> Bool { distance(pixel) < margin + Self.reach }

  @inline(__always)
  func moveInside(_ pixel: inout SIMD2<Float>) {
    let lack = margin - distance(pixel)
    if lack > 0 { pixel += normal * lack }
  }
}
