public import MeshpipeBase
public import MeshpipeScene
import NativeLibraries
import Synchronization

/// Renders images of a scene by ray tracing on the CPU.
///
/// The same scene, style and camera give the same image on any number of threads.
public final class SceneRenderer: Sendable {
  let style: RenderStyle
  let sampler: SceneSampler
  let points: PointSurface?
  private let tracer: RayTracer?
  private let pointTracer: RayTracer?
  let coordinateSystem: CoordinateSystem
  /// The bounds of everything visible.
  let box: Box
  /// Whether the scene is a room of which only fronts are shown.
  public let isOpened: Bool
  /// The overall facing of the surface: ``SceneSurface/facing``.
  let facing: SIMD3<Double>

  /// Decodes the textures and builds the ray tracing hierarchies: about 0.5 s for a million faces.
  ///
  /// - Parameter warn: Called for a texture that can't be decoded; its faces are shown without it.
  /// - Throws: ``EmptyScene`` if there is nothing to see.
  public init(
    _ scene: Scene, style: RenderStyle = RenderStyle(), warn: (String) -> Void = { _ in }
  ) throws {
    self.style = style
    var scene = scene
    scene.makeSplatsPlain(minimumOpacity: Self.leastVisible)
    let (textures, places) = Self.decodedTextures(of: scene, style, warn)
    let looks = SurfaceLooks(scene, choice: style.colors, textures: places)
    let surface = SceneSurface(scene, looks)
    points = PointSurface(scene, looks)
    if surface.faceCount == 0, points == nil { throw EmptyScene() }
    let facing = surface.facing * (style.sides == .back ? -1 : 1)
    let up = scene.coordinateSystem.up.vector
    let level = facing - up * facing.dot(up)
    let isSheet = level.dot(level).squareRoot() > Viewpoint.sheetFacing
    isOpened = style.sides == .auto && !isSheet && surface.looksInward
    self.facing = facing
    sampler = SceneSampler(surface: surface, textures: textures)
    tracer =
      surface.faceCount == 0
      ? nil
      : try RayTracer(
        positions: surface.positions, indices: surface.indices,
        sides: style.sides.traced(isOpened: isOpened))
    pointTracer = try points.map { try RayTracer(points: $0.positions, radius: $0.radius) }
    coordinateSystem = scene.coordinateSystem
    var box = surface.usedBox
    if let points { box.add(Box(points.positions)) }
    self.box = box
  }

  /// The opacity of Gaussian splats below which they are not drawn: as solid points they would hide what they veil.
  private static let leastVisible = 0.1

  private static func decodedTextures(
    of scene: Scene, _ style: RenderStyle, _ warn: (String) -> Void
  ) -> (textures: [MipTexture], places: [Int: Int]) {
    guard style.colors.usesTextures else { return ([], [:]) }
    return scene.decodedColorTextures(reducedBy: { style.reduction(of: $0) }) {
      warn("\($0); its faces are shown without it")
    }
  }

  /// Renders a camera's view, including lens distortion; the image has the camera's size.
  ///
  /// - Parameters:
  ///   - samples: Rays per pixel; 4 give smooth edges.
  ///   - cancellation: Checked between rows.
  /// - Throws: ``Cancelled``.
  public func picture(
    from camera: Camera, samples: Int = 4, background: Background = .gradient,
    cancellation: Cancellation = Cancellation()
  ) throws(Cancelled) -> RenderedPicture {
    try picture(along: camera, samples, background, cancellation)
  }

  /// Renders what rays see, of a camera or along parallel lines.
  func picture(
    along rays: some PictureRays, _ samples: Int, _ background: Background,
    _ cancellation: Cancellation
  ) throws(Cancelled) -> RenderedPicture {
    let (width, height) = (rays.pixelCounts.x, rays.pixelCounts.y)
    let lighting = Lighting(
      style, up: SIMD3<Float>(coordinateSystem.up.vector), rays, extent: box.extent)
    let offsets = Self.offsets(samples)
    let rows = Parallel.map(count: height) { row in
      cancellation.isRequested
        ? Row() : self.row(row, rays, offsets, background, lighting)
    }
    if cancellation.isRequested { throw Cancelled() }
    return RenderedPicture(
      image: Image(width: width, height: height, pixels: Parallel.joined(rows.map(\.pixels))),
      coverage: Parallel.joined(rows.map(\.coverage)))
  }

  /// The depth seen by a camera at the centre of each pixel, in units of the scene; 0 for nothing.
  public func depths(from camera: Camera) -> DepthMap {
    let (width, height) = (Int(camera.size.x), Int(camera.size.y))
    let depths = Parallel.array(count: width * height, chunkSize: width) { index in
      let pixel = SIMD2(Float(index % width) + 0.5, Float(index / width) + 0.5)
      return self.depth(from: camera.position, along: camera.ray(through: pixel)) ?? 0
    }
    return DepthMap(width: width, height: height, meters: depths)
  }

  // MARK: Rays

  private struct Row: Sendable {
    var pixels: [UInt8] = []
    var coverage: [UInt8] = []
  }

  /// The positions of a pixel's rays, evenly distributed whatever their number.
  private static func offsets(_ count: Int) -> [SIMD2<Float>] {
    if count <= 1 { return [SIMD2(0.5, 0.5)] }
    if count == 4 {
      return [SIMD2(0.375, 0.125), SIMD2(0.875, 0.375), SIMD2(0.125, 0.625), SIMD2(0.625, 0.875)]
    }
    return (0..<count).map { index in
      let (x, y) = ((Float(index) + 0.5) / Float(count), Float(index) * 0.618034 + 0.5)
      return SIMD2(x, y - y.rounded(.down))
    }
  }

  private func row(
    _ y: Int, _ rays: some PictureRays, _ offsets: [SIMD2<Float>], _ background: Background,
    _ lighting: Lighting
  ) -> Row {
    let table = SRGBTable.shared
    let (width, height) = (rays.pixelCounts.x, rays.pixelCounts.y)
    let behind = background.light(atHeight: (Float(y) + 0.5) / Float(height), table)
    let tracers = [tracer, pointTracer].compactMap(\.self)
    var row = Row()
    row.pixels.reserveCapacity(3 * width)
    row.coverage.reserveCapacity(width)
    for x in 0..<width {
      var (sum, hits) = (SIMD3<Float>.zero, 0)
      let seed = Self.scrambled(UInt32(truncatingIfNeeded: y &* 0x9E37 &+ x &* 0x10001))
      for (sample, offset) in offsets.enumerated() {
        let ray = rays.line(through: SIMD2(Float(x), Float(y)) + offset)
        guard let sight = sight(along: ray, of: rays, samples: offsets.count) else { continue }
        hits += 1
        sum += lighting.light(of: sight, sample: sample, of: offsets.count, seed: seed, tracers)
      }
      let light =
        background == .transparent && hits > 0
        ? sum / Float(hits) : (sum + behind * Float(offsets.count - hits)) / Float(offsets.count)
      for channel in 0..<3 { row.pixels.append(table.code(light[channel])) }
      row.coverage.append(UInt8((255 * hits + offsets.count / 2) / offsets.count))
    }
    return row
  }

  private func sight(
    along line: PictureRay, of rays: some PictureRays, samples: Int
  ) -> SceneSampler.Sight? {
    let (origin, ray) = (line.origin, line.direction)
    let face = tracer?.firstHit(from: origin, along: ray, far: rays.reach)
    if let pointTracer, let points,
      let hit = pointTracer.firstHit(from: origin, along: ray, far: face?.distance ?? rays.reach)
    {
      return points.sight(of: Int(hit.face), at: origin + ray * hit.distance, along: ray)
    }
    guard let face else { return nil }
    let spread = rays.spread(at: face.distance)
    var sight = sampler.sight(
      face: Int(face.face), barycentric: face.barycentric, along: ray, depth: spread,
      area: rays.pixelArea / Float(samples))
    if style.showsEdges,
      isOnEdge(
        origin + ray * face.distance, ofFace: Int(face.face), along: ray,
        pixel: rays.pixelWidth * spread)
    {
      sight.color *= Self.edgeShade
    }
    return sight
  }

  /// What is left of a surface's colour on its edges.
  private static let edgeShade: Float = 0.25
  /// Half the width of an edge's line, in pixels.
  private static let edgeHalfWidth: Float = 0.5

  /// Whether a point of a face is within the line of an edge, as seen along a ray.
  ///
  /// - Parameter pixel: The size of a pixel at the point.
  private func isOnEdge(
    _ point: SIMD3<Float>, ofFace face: Int, along ray: SIMD3<Float>, pixel: Float
  ) -> Bool {
    let surface = sampler.surface
    func corner(_ number: Int) -> SIMD3<Float> {
      surface.positions[Int(surface.indices[3 * face + number % 3])].simd
    }
    func seen(_ vector: SIMD3<Float>) -> SIMD3<Float> { vector - ray * vector.dot(ray) }
    let reach = Self.edgeHalfWidth * pixel
    return (0..<3).contains { number in
      let start = corner(number)
      let (edge, offset) = (seen(corner(number + 1) - start), seen(point - start))
      let along = offset.dot(edge) / max(edge.dot(edge), .leastNormalMagnitude)
      let away = offset - edge * along
      return away.dot(away) < reach * reach
    }
  }

  private func depth(from origin: SIMD3<Float>, along ray: SIMD3<Float>) -> Float? {
    let face = tracer?.firstHit(from: origin, along: ray)?.distance
    let point = pointTracer?.firstHit(from: origin, along: ray, far: face ?? .infinity)?.distance
    return point ?? face
  }

  /// A hash of a number (Wellons' `lowbias32`).
  private static func scrambled(_ number: UInt32) -> UInt32 {
    var bits = number
    bits = (bits ^ bits >> 16) &* 0x7FEB_352D
    bits = (bits ^ bits >> 15) &* 0x846C_A68B
    return bits ^ bits >> 16
  }
}

extension RenderStyle.Sides {
  fileprivate func traced(isOpened: Bool) -> RayTracer.Sides {
    switch self {
    case .auto: isOpened ? .front : .both
    case .both: .both
    case .front: .front
    case .back: .back
    }
  }
}

extension RenderStyle {
  /// The fraction of its size at which a texture is decoded: 1, 2, 4 or 8.
  fileprivate func reduction(of texture: Texture) -> Int {
    guard let size = texture.pixelSize else { return 1 }
    return [1, 2, 4].first { reduction in
      max(size.x, size.y) / reduction <= largestTexture
        && size.x / reduction * (size.y / reduction) <= mostTexels
    } ?? 8
  }
}

extension Background {
  /// The brightness at a height of the image, 0 at the top and 1 at the bottom.
  fileprivate func light(atHeight height: Float, _ table: SRGBTable) -> SIMD3<Float> {
    switch self {
    case .transparent: .zero
    case .color(let color): table.linear(color.red, color.green, color.blue)
    case .gradient:
      table.linear(244, 246, 248) * (1 - height) + table.linear(206, 209, 213) * height
    }
  }
}

/// A scene without a face or a point, which can't be rendered.
public struct EmptyScene: UserError, Equatable {
  /// Creates the error.
  public init() {}
  /// ``ExitCode/data``.
  public var exitCode: ExitCode { .data }
  /// What happened.
  public var message: String { "there is nothing to see: no faces and no points" }
}
