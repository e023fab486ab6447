import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Photogrammetry

/// On grains that are all alike, and stand in no order.
struct PatchMatcherTests {
  /// A smooth field of grains some pixels wide.
  private static func grain(_ x: Float, _ y: Float) -> Float {
    var sum: Float = 0
    for (column, row) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
      let (left, top) = ((x / 3).rounded(.down), (y / 3).rounded(.down))
      var hash = UInt64(bitPattern: Int64(left) + Int64(column)) &* 0x9E37_79B9_7F4A_7C15
      hash ^= UInt64(bitPattern: Int64(top) + Int64(row)) &* 0xC2B2_AE3D_27D4_EB4F
      hash ^= hash >> 29
      hash = hash &* 0xBF58_476D_1CE4_E5B9
      let value = Float((hash >> 40) & 0xFFFF) / 65_535 - 0.5
      let (u, v) = (x / 3 - left, y / 3 - top)
      sum += value * (column == 1 ? u : 1 - u) * (row == 1 ? v : 1 - v)
    }
    return sum
  }

  private static func lattice(
    _ radius: Int, around center: SIMD2<Float>, _ value: (Float, Float) -> Float
  ) -> [Float] {
    (-radius...radius).flatMap { y in
      (-radius...radius).map { x in value(center.x + Float(x), center.y + Float(y)) }
    }
  }

  private static func match(
    reach: Int, shift: SIMD2<Float>, _ value: (Float, Float) -> Float
  ) -> PatchMatcher.Match? {
    let center = SIMD2<Float>(140, 90)
    let template = PatchMatcher(lattice(PatchMatcher.radius, around: center, value))
    let window = lattice(PatchMatcher.radius + reach, around: center - shift, value)
    return template?.match(in: window.map { 0.3 + 1.5 * $0 }, reach: reach)
  }

  @Test(arguments: [SIMD2<Float>(0, 0), SIMD2(7, -9), SIMD2(-10.6, 3.3)])
  func `a template is found many grains away`(shift: SIMD2<Float>) throws {
    let match = try #require(Self.match(reach: 12, shift: shift, Self.grain))
    #expect(abs(match.shift.x - shift.x) < 0.15 && abs(match.shift.y - shift.y) < 0.15)
    #expect(match.correlation > 0.9)
  }

  @Test func `what has its like beside it, runs along an edge or is plain is not found`() {
    let stripes: (Float, Float) -> Float = { x, y in Self.grain(x - 7 * (x / 7).rounded(.down), y) }
    #expect(Self.match(reach: 12, shift: SIMD2(1, 2), stripes) == nil)
    #expect(Self.match(reach: 8, shift: SIMD2(1, 0)) { x, _ in x > 140 ? 0.5 : 0 } == nil)
    #expect(Self.match(reach: 8, shift: .zero) { _, _ in 0.2 } == nil)
  }

  @Test func `a template beyond reach is not found`() {
    #expect(Self.match(reach: 4, shift: SIMD2(9, 0), Self.grain) == nil)
  }
}

extension PatchMatcherTests {
  /// A step across a line through the middle of the template, without what varies slowly.
  private static func edge(
    _ normal: SIMD2<Float>, from center: SIMD2<Float>
  ) -> (Float, Float) -> Float {
    { x, y in
      let distance = (normal * (SIMD2(x, y) - center)).sum()
      return distance * exp(-distance * distance / 8)
    }
  }

  @Test(arguments: [Float(0), 0.6, 1.9, -2.4])
  func `an edge is found across it`(angle: Float) throws {
    let (center, normal) = (SIMD2<Float>(140, 90), SIMD2<Float>(cos(angle), sin(angle)))
    let value = Self.edge(normal, from: center)
    let template = try #require(
      PatchMatcher(Self.lattice(PatchMatcher.radius, around: center, value)))
    let found = try #require(template.edgeNormal())
    #expect(abs((found * normal).sum()) > 0.999)
    // Moved by 1.6 pixels across, and by some along, which can't be told.
    let shift = normal * 1.6 + SIMD2(-normal.y, normal.x) * 2
    let window = Self.lattice(PatchMatcher.radius + 4, around: center - shift, value)
    let match = try #require(template.match(in: window, reach: 4, across: found))
    #expect(abs((match.shift * normal).sum() - 1.6) < 0.15)
    #expect(abs((match.shift * SIMD2(-normal.y, normal.x)).sum()) < 0.1)
  }

  @Test func `grains are no edge`() throws {
    let template = try #require(
      PatchMatcher(Self.lattice(PatchMatcher.radius, around: SIMD2(140, 90), Self.grain)))
    #expect(template.edgeNormal() == nil)
  }
}
