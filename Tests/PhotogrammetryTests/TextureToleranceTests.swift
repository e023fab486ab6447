import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Photogrammetry
@testable import Stages

/// How far `decimate` goes before a texture is baked.
struct TextureToleranceTests {
  /// A square metre of 40 by 40 quads, seen from straight above, 2 m away, with a focal length of 1000 pixels.
  static func plane(height: (_ x: Double, _ z: Double) -> Double = { _, _ in 0 }) -> Scene {
    var mesh = MeshFixtures.grid(columns: 40, rows: 40)
    mesh.positions = mesh.positions.map { position in
      let (x, z) = (Double(position.x) / 40, Double(position.z) / 40)
      return Vector3(Float(x), Float(height(x, z)), Float(z))
    }
    let pose = Transform(
      x: SIMD3(1, 0, 0), y: SIMD3(0, 0, -1), z: SIMD3(0, 1, 0), translation: SIMD3(0.5, 2, 0.5))
    let frame = Capture.Frame(
      name: "above", image: .file("none.jpg"), imageSize: SIMD2(1000, 1000),
      intrinsics: .init(focalLength: SIMD2(1000, 1000), principalPoint: SIMD2(500, 500)),
      pose: pose)
    return Scene(meshes: [mesh], capture: Capture(frames: [frame]))
  }

  /// A height with the standard deviation of 2 mm, the same for each call in turn.
  static func noisy() -> Scene {
    var generator = SeededGenerator(seed: 5)
    return plane { _, _ in
      let radius = (-2 * log(Double.random(in: 1e-9..<1, using: &generator))).squareRoot()
      return 0.002 * radius * cos(Double.random(in: 0..<2 * .pi, using: &generator))
    }
  }

  static func wavy(_ x: Double, _ z: Double) -> Double {
    0.01 * sin(2 * .pi * x) * cos(2 * .pi * z)
  }

  static func thinned(
    _ scene: Scene, in context: StageContext = StageContext(),
    _ change: (inout Decimate.Parameters) -> Void = { _ in }
  ) throws -> Scene {
    var parameters = Decimate.Parameters()
    parameters.faces = .count(2)
    parameters.maximumPixelError = 0.1
    change(&parameters)
    return try Decimate(parameters).run(scene, in: context)
  }

  @Test func `a texel is what a pixel of the best frame shows`() throws {
    let scene = Self.plane()
    let frames = try #require(scene.capture?.frames)
    let tolerance = try TextureTolerance(of: ObservedSurface(scene), seenBy: frames)
    // 2 mm, foreshortened by the cosine of the median direction, which is 11° from straight below.
    #expect(try abs(#require(tolerance.texel) - 0.00204) < 0.00004)
    #expect(tolerance.noise < 1e-6)
    #expect(try TextureTolerance(of: ObservedSurface(scene), seenBy: []).texel == nil)
  }

  @Test func `noise is told from curvature`() throws {
    let noise = try ObservedSurface(Self.noisy()).noise
    #expect(noise > 0.0014 && noise < 0.0022, "\(noise)")
    // Vertices of the wave lie up to 0.06 mm from the mean of their neighbours.
    #expect(try ObservedSurface(Self.plane(height: Self.wavy)).noise < 0.000_01)
  }

  @Test func `an exact mesh keeps a tenth of a texel, and noise goes`() throws {
    let context = StageContext()
    let exact = try Self.thinned(Self.plane(height: Self.wavy), in: context)
    let error = try #require(context.notes.first { $0.key == "errorMeters" }?.value.number)
    #expect(error > 0.00002 && error <= 0.000_205)
    #expect(exact.faceCount > 100)
    // Half of the noise is more than that, and takes a quarter of the faces at the least.
    let noisy = try Self.thinned(Self.noisy())
    #expect(noisy.faceCount < 2400)
  }

  @Test func `the most faces and a capture without frames`() throws {
    let few = try Self.thinned(Self.plane(height: Self.wavy)) { $0.maximumFaces = .count(60) }
    #expect(few.faceCount <= 60)
    var scene = Self.plane(height: Self.wavy)
    scene.capture = nil
    #expect(try Self.thinned(scene) { $0.faces = .count(80) }.faceCount <= 80)
    // More than are there bounds nothing.
    #expect(try Self.thinned(scene) { $0.faces = .fraction(1) }.faceCount == 3200)
  }
}
