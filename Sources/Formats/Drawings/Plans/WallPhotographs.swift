import MeshPipeline
import NativeLibraries
import Rendering

/// A picture of a wall's face, as wide and as high as the wall.
struct WallPicture: Sendable {
  /// As JPEG.
  let bytes: [UInt8]
}

/// What a textured scan shows of each wall, seen from the front along parallel lines.
struct WallPhotographs {
  private let renderer: SceneRenderer
  private let cancellation: @Sendable () throws -> Void

  /// Of a pixel in metres, for 300 dpi at 1:50, and the most pixels of a building, above which they become larger.
  private static let pixel = 0.004
  private static let mostPixels = 24e6
  private static let quality = 85
  /// What stands nearer to a wall is on its picture, and how much deeper than the wall its reveals are seen, in metres.
  static let near = 0.25
  private static let slack = 0.05
  /// Walls of which less is seen have no picture, as a share.
  private static let leastShare = 0.1
  /// The most texels of a texture that are decoded.
  private static let mostTexels = 1 << 26

  /// Nil if nothing in the scene has a texture.
  init?(of scene: Scene, in context: StageContext) throws {
    let isTextured = scene.materials.contains { $0.baseColorTexture != nil }
    guard isTextured, scene.faceCount > 0 else { return nil }
    var style = RenderStyle(shading: .unlit, sides: .front)
    style.mostTexels = Self.mostTexels
    renderer = try SceneRenderer(scene, style: style) { context.warn($0) }
    cancellation = { try context.checkCancellation() }
  }

  /// The pictures of a building's straight walls by their names, seen from the side from which elevations show them.
  func pictures(of building: Building) throws -> [String: WallPicture] {
    let walls = building.storeys.flatMap { storey in
      storey.walls.compactMap { wall in
        wall.bulge == 0 ? PlanWall(wall).map { (wall: $0, elevation: storey.elevation) } : nil
      }
    }
    let area = walls.reduce(0) { $0 + $1.wall.length * max($1.wall.wall.height.value, 0) }
    let pixel = max(Self.pixel, (area / Self.mostPixels).squareRoot())
    var pictures: [String: WallPicture] = [:]
    for (wall, elevation) in walls {
      try cancellation()
      pictures[wall.wall.name] = try picture(
        of: wall, elevation: elevation, building.placement, pixel: pixel)
    }
    return pictures
  }

  private func picture(
    of wall: PlanWall, elevation: Double, _ placement: Transform, pixel: Double
  ) throws -> WallPicture? {
    let height = wall.wall.height.value
    let counts = SIMD2(wall.length, height) / pixel
    guard counts.min() >= 1, counts.max() < 1e5, elevation.isFinite, wall.wall.base.isFinite else {
      return nil
    }
    let frame = wall.frame(at: wall.length / 2)
    let front = frame.place + frame.left * (wall.thickness / 2 + Self.near)
    let middle = SIMD3(front.x, front.y, elevation + wall.wall.base + height / 2)
    // The elevation of a wall is seen from its left: its beginning is on the right.
    let axes = Transform(
      x: placement.apply(toVector: SIMD3(-frame.along.x, -frame.along.y, 0)).normalized,
      y: placement.apply(toVector: SIMD3(0, 0, 1)).normalized,
      z: placement.apply(toVector: SIMD3(frame.left.x, frame.left.y, 0)).normalized)
    let unitsPerMeter = placement.apply(toVector: SIMD3(0, 0, 1)).length
    let size = SIMD2<Int>(counts.rounded(.up))
    let view = ParallelView(
      axes: axes, center: placement.apply(toPoint: middle), pixelCounts: size,
      unitsPerPixel: pixel * unitsPerMeter,
      reach: (Self.near + wall.thickness + Self.slack) * unitsPerMeter)
    let picture = try renderer.picture(of: view, background: .color(.white))
    let covered = picture.coverage.reduce(0.0) { $0 + Double($1) } / 255
    guard covered >= Self.leastShare * Double(size.x * size.y) else { return nil }
    return WallPicture(bytes: try JPEG.encode(picture.image, quality: Self.quality))
  }
}
