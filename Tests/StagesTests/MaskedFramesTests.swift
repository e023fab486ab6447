import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Photogrammetry
@testable import Stages

/// Frames in part of which something magenta stands that masks leave out.
struct MaskedFramesTests {
  private static let size = SIMD2(96, 72)

  /// The lower middle of each image.
  private static func hides(_ x: Int, _ y: Int, in size: SIMD2<Int>) -> Bool {
    3 * y > size.y && 4 * x > size.x && 4 * x < 3 * size.x
  }

  /// Frames with masks beside them: the images show magenta there, and depth maps something half as far.
  private static func capture() throws -> SyntheticCapture {
    let capture = try SyntheticCapture { options in
      options.frameCount = 8
      options.size = size
      options.samples = 1
      options.depthSize = SIMD2(48, 36)
      options.cell = 0.3
    }
    for (index, frame) in capture.frames.enumerated() {
      var image = try frame.loadImage()
      var depth = try #require(try frame.loadDepth())
      var mask = [UInt8](repeating: 255, count: size.x * size.y)
      for y in 0..<size.y {
        for x in 0..<size.x where hides(x, y, in: size) {
          let pixel = y * size.x + x
          image.pixels.replaceSubrange(3 * pixel..<3 * pixel + 3, with: [255, 0, 255])
          mask[pixel] = 0
        }
      }
      for pixel in depth.meters.indices where hides(pixel % 48, pixel / 48, in: depth.size) {
        depth.meters[pixel] /= 2
      }
      let name = FileSystem.name(of: frame.image.path)
      try capture.folder.write(name, PNG.encode(image))
      try capture.folder.write(
        "depth_\(index).png",
        PNG.encodeGray16(depth.meters.map { UInt16($0 * 1000) }, width: 48, height: 36))
      try capture.folder.write(
        "masks/\(name)", PNG.encodeGray8(mask, width: size.x, height: size.y))
    }
    return capture
  }

  private static func scene(_ capture: SyntheticCapture, isMasked: Bool) -> Scene {
    var scene = capture.scene
    guard isMasked else { return scene }
    for index in capture.frames.indices {
      let name = FileSystem.name(of: capture.frames[index].image.path)
      let mask = Capture.MaskSource(path: "\(capture.folder.path)/masks/\(name)")
      scene.capture?.frames[index].masks = [mask]
      scene.capture?.frames[index].depth?.masks = [mask]
    }
    return scene
  }

  private static func isMagenta(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Bool {
    red > 190 && green < 70 && blue > 190
  }

  @Test func `masked pixels colour no vertex and no texel, and fill no hole`() throws {
    let capture = try Self.capture()
    for isMasked in [true, false] {
      let scene = Self.scene(capture, isMasked: isMasked)
      let colors = try #require(
        try BakeColors(BakeColors.Parameters()).run(scene, in: StageContext()).meshes[0].colors)
      let painted = colors.count { Self.isMagenta($0.red, $0.green, $0.blue) }
      #expect(isMasked ? painted == 0 : painted > 5, "\(isMasked): \(painted)")
      var parameters = BakeTexture.Parameters()
      parameters.size = 192
      parameters.format = .png
      let baked = try BakeTexture(parameters).run(scene, in: StageContext())
      let page = try Image.decoded(from: baked.textures[0].bytes, path: "")
      let texels = (0..<page.width * page.height).count {
        Self.isMagenta(page.pixels[3 * $0], page.pixels[3 * $0 + 1], page.pixels[3 * $0 + 2])
      }
      #expect(isMasked ? texels == 0 : texels > 100, "\(texels)")
    }
    withExtendedLifetime(capture) {}
  }

  @Test func `masked depths make no points`() throws {
    let capture = try Self.capture()
    var counts: [Int] = []
    for isMasked in [true, false] {
      let cloud = try PointsFromDepth(PointsFromDepth.Parameters()).run(
        Self.scene(capture, isMasked: isMasked), in: StageContext()
      ).pointClouds[0]
      // Points of the room are on its walls or its furniture.
      let loose = cloud.positions.count { point in
        ![SyntheticRoom.walls, SyntheticRoom.table, SyntheticRoom.cabinet].contains { box in
          (0..<3).contains { axis in
            min(
              abs(point.simd[axis] - box.minimum[axis]), abs(point.simd[axis] - box.maximum[axis]))
              < 0.06
          }
        }
      }
      counts.append(loose)
    }
    #expect(counts[0] * 20 < counts[1], "\(counts)")
    withExtendedLifetime(capture) {}
  }

  @Test func `masked surface counts as not seen, and the message says so`() throws {
    let capture = try Self.capture()
    let scene = Self.scene(capture, isMasked: true)
    let surface = try ObservedSurface(scene)
    let frame = try #require(scene.capture?.frames[0])
    let samples = SurfaceSamples(of: surface, count: 2000)
    let mask = try #require(try frame.loadMask())
    let masked = FrameObserver(Camera(frame), observing: surface, mask: mask).views(of: samples)
    let all = FrameObserver(Camera(frame), observing: surface).views(of: samples)
    #expect(masked.count < all.count)
    let visible = all.filter { !mask.hides(at: $0.place) }
    #expect(masked.map(\.sample) == visible.map(\.sample))
    withExtendedLifetime(capture) {}
  }

  @Test func `sharpness and exposure are measured outside masks`() throws {
    let capture = try Self.capture()
    let store = FrameStore(capacity: 0)
    func inspection(_ isMasked: Bool) -> FrameInspection {
      FrameInspection(
        of: Self.scene(capture, isMasked: isMasked).capture?.frames[0] ?? capture.frames[0],
        surface: nil, samples: nil, from: store)
    }
    let (masked, whole) = (inspection(true), inspection(false))
    let (own, other) = (try #require(masked.brightness), try #require(whole.brightness))
    #expect(abs(own - other) > 0.01)
    withExtendedLifetime(capture) {}
  }
}
