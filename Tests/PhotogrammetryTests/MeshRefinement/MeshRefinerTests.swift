import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Photogrammetry

/// On a wall at z = 0 whose images are computed, from cameras one metre before it.
struct MeshRefinerTests {
  /// A smooth field of grains some pixels wide, from −0.5 to 0.5.
  private static func grain(_ x: Float, _ y: Float) -> Float {
    var sum: Float = 0
    let (left, top) = (x.rounded(.down), y.rounded(.down))
    for (column, row) in [(0, 0), (1, 0), (0, 1), (1, 1)] as [(Float, Float)] {
      var hash = UInt64(bitPattern: Int64(left + column)) &* 0x9E37_79B9_7F4A_7C15
      hash ^= UInt64(bitPattern: Int64(top + row)) &* 0xC2B2_AE3D_27D4_EB4F
      hash ^= hash >> 29
      hash = hash &* 0xBF58_476D_1CE4_E5B9
      let value = Float((hash >> 40) & 0xFFFF) / 65_535 - 0.5
      let (u, v) = (x - left, y - top)
      sum += value * (column == 1 ? u : 1 - u) * (row == 1 ? v : 1 - v)
    }
    return sum
  }

  private static let size = SIMD2(320, 240)

  private static func frame(_ index: Int, at eye: SIMD3<Double>) -> Capture.Frame {
    Capture.Frame(
      name: "frame \(index)", image: .file(""), imageSize: size,
      intrinsics: Capture.Intrinsics(
        focalLength: SIMD2(300, 300), principalPoint: SIMD2<Double>(size) / 2),
      pose: SyntheticCapture.pose(at: eye, lookingAt: .zero))
  }

  /// The image of a wall whose brightness is given, with a gain.
  private static func image(
    _ frame: Capture.Frame, gain: Float, _ brightness: (Float, Float) -> Float
  ) -> GrayscaleImage {
    let camera = Camera(frame)
    var codes: [UInt8] = []
    for y in 0..<size.y {
      for x in 0..<size.x {
        let ray = camera.ray(through: SIMD2(Float(x) + 0.5, Float(y) + 0.5))
        let point = camera.position + ray * (-camera.position.z / ray.z)
        codes.append(UInt8(min(max(brightness(point.x, point.y) * gain, 0), 255)))
      }
    }
    return GrayscaleImage(width: size.x, height: size.y, codes: codes)
  }

  /// A wall of 60 by 40 cm with vertices 2 cm apart.
  private static func wall(_ height: (Int) -> Float) throws -> ObservedSurface {
    var positions: [Vector3] = []
    for row in 0...20 {
      for column in 0...30 {
        positions.append(
          Vector3(Float(column) * 0.02 - 0.3, Float(row) * 0.02 - 0.2, height(positions.count)))
      }
    }
    var indices: [UInt32] = []
    for row in 0..<20 {
      for column in 0..<30 {
        let first = UInt32(row * 31 + column)
        indices += [first, first + 1, first + 32, first, first + 32, first + 31]
      }
    }
    return try ObservedSurface(positions: positions, indices: indices)
  }

  private static let eyes = [
    SIMD3(-0.4, 0, 1), SIMD3(-0.2, 0.2, 1), SIMD3(0, -0.1, 1.05), SIMD3(0.2, 0.2, 1),
    SIMD3(0.4, -0.1, 1),
  ]
  private static let gains: [Float] = [1, 0.7, 1.2, 0.9, 1.1]

  private static func refined(
    _ surface: ObservedSurface, _ brightness: [(Float, Float) -> Float], smoothing: Float? = nil
  ) throws -> MeshRefiner.Result {
    let sources = brightness.indices.map { index in
      let frame = frame(index, at: eyes[index])
      return PoseRefiner.Source(
        frame: frame, grayscale: image(frame, gain: gains[index], brightness[index]),
        mask: ReliabilityMask(frame, width: 80, of: surface, depth: nil))
    }
    let settings = MeshRefiner.Settings(maximumShift: 0.03, smoothing: smoothing, width: 320)
    return try MeshRefiner(sources, settings).refined(surface) { _ in }
  }

  /// The heights of vertices that are not near the wall's border.
  private static func inner(_ positions: [Vector3]) -> [Float] {
    positions.filter { abs($0.x) < 0.23 && abs($0.y) < 0.13 }.map(\.z)
  }

  private static func texture(_ x: Float, _ y: Float) -> Float { 128 + 150 * grain(x * 90, y * 90) }

  @Test(arguments: [Float(0.01), -0.01])
  func `a textured wall that is 1 cm off comes back, whatever the exposures`(
    offset: Float
  ) throws {
    let result = try Self.refined(
      Self.wall { _ in offset }, Array(repeating: Self.texture, count: 5))
    let errors = Self.inner(result.positions).map(abs)
    let mean = errors.reduce(0, +) / Float(errors.count)
    #expect(mean < 0.001, "\(mean)")
    #expect(result.determined > 400)
  }

  @Test func `a frame that shows something else does not matter`() throws {
    var brightness: [(Float, Float) -> Float] = Array(repeating: Self.texture, count: 5)
    brightness[2] = { x, y in 128 + 150 * Self.grain(x * 80 + 500, y * 80) }
    let result = try Self.refined(Self.wall { _ in 0.005 }, brightness)
    let errors = Self.inner(result.positions).map(abs)
    #expect(errors.reduce(0, +) / Float(errors.count) < 0.001)
  }

  @Test func `a plain wall gets smoother, not noisier`() throws {
    var generator = SeededGenerator(seed: 3)
    let noise = (0..<31 * 21).map { _ in Float.random(in: -0.003...0.003, using: &generator) }
    let surface = try Self.wall { noise[$0] }
    // What sensors make of a plain wall: one code of noise, in each image another.
    let brightness = (0..<5).map { index in
      { (x: Float, y: Float) -> Float in
        128.5 + 1.4 * Self.grain(x * 800 + Float(index) * 999, y * 800)
      }
    }
    let result = try Self.refined(surface, brightness)
    func deviation(_ values: [Float]) -> Float {
      (values.reduce(0) { $0 + $1 * $1 } / Float(values.count)).squareRoot()
    }
    let (before, after) = (
      deviation(Self.inner(surface.positions)), deviation(Self.inner(result.positions))
    )
    #expect(after < 0.5 * before, "\(before) → \(after)")
    let steps = { (positions: [Vector3]) in
      deviation(positions.indices.dropFirst(31).map { positions[$0].z - positions[$0 - 31].z })
    }
    #expect(steps(result.positions) < 0.5 * steps(surface.positions))
  }

  @Test func `no vertex moves farther than allowed, and broken positions stay`() throws {
    let surface = try Self.wall { $0 == 300 ? .nan : 0.06 }
    let result = try Self.refined(surface, Array(repeating: Self.texture, count: 3))
    #expect(result.shifts.allSatisfy { !($0 > 0.030_01) })
    #expect(result.positions.count { !$0.isFinite } <= 1)
  }

  @Test func `the plate keeps a sphere's size where images say nothing`() throws {
    var (positions, indices): ([Vector3], [UInt32]) = ([], [])
    let (rows, columns) = (24, 48)
    for row in 1..<rows {
      for column in 0..<columns {
        let (tilt, turn) = (
          Double(row) / Double(rows) * .pi, 2 * Double(column) / Double(columns) * .pi
        )
        let ring = SIMD2(sin(tilt), cos(tilt))
        positions.append(
          Vector3(
            SIMD3<Float>(
              SIMD3(ring.x * sin(turn), ring.y, ring.x * cos(turn)) * 0.05))
        )
      }
    }
    for row in 0..<rows - 2 {
      for column in 0..<columns {
        let next = (column + 1) % columns
        let (a, b) = (UInt32(row * columns + column), UInt32(row * columns + next))
        let (c, d) = (a + UInt32(columns), b + UInt32(columns))
        indices += [a, c, b, b, c, d]
      }
    }
    var surface = RefinedSurface(positions: positions, indices: indices)
    let nothing = [HeightEstimate](repeating: .nothing, count: positions.count)
    surface.move(
      ThinPlate(surface, length: 0.03), toward: nothing,
      weights: [Float](repeating: 0, count: positions.count), atMost: 1)
    let middle = surface.positions[columns * 8..<columns * 15].map(\.length)
    #expect(
      middle.allSatisfy { abs($0 - 0.05) < 0.0015 }, "\(middle.min() ?? 0)…\(middle.max() ?? 0)")
  }

  @Test func `scattered vertices are apart, and beside all others`() {
    // A grid of 9 by 9 vertices.
    let positions = (0..<81).map { Vector3(Float($0 % 9), Float($0 / 9), 0) }
    var indices: [UInt32] = []
    for corner in 0..<81 where corner % 9 < 8 && corner < 72 {
      let a = UInt32(corner)
      indices += [a, a + 1, a + 9, a + 1, a + 10, a + 9]
    }
    let surface = RefinedSurface(positions: positions, indices: indices)
    let inner = surface.innerVertices()
    #expect(inner.count == 49)
    let chosen = Set(surface.scatteredVertices())
    #expect(chosen.isSubset(of: inner) && chosen.count < 25)
    for vertex in inner {
      let beside = surface.neighbors.places(of: vertex)
        .map { Int(surface.neighbors.neighbors[$0]) }
      #expect(beside.contains { chosen.contains($0) } != chosen.contains(vertex))
    }
  }
}
