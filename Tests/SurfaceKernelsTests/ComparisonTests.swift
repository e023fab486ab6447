import Foundation
import MeshTestSupport
import MeshpipeBase
import MeshpipeScene
import Testing

@testable import SurfaceKernels

struct ComparisonTests {
  /// Pairs from the supplementary data of Sharma, Wu and Dalal (2005), each for another branch of the formula.
  @Test(arguments: [
    ([50.0000, 2.6772, -79.7751], [50.0000, 0.0000, -82.7485], 2.0425),
    ([50.0000, 3.1571, -77.2803], [50.0000, 0.0000, -82.7485], 2.8615),
    ([50.0000, -1.3802, -84.2814], [50.0000, 0.0000, -82.7485], 1.0000),
    ([50.0000, 0.0000, 0.0000], [50.0000, -1.0000, 2.0000], 2.3669),
    ([50.0000, 2.4900, -0.0010], [50.0000, -2.4900, 0.0009], 7.1792),
    ([50.0000, 2.4900, -0.0010], [50.0000, -2.4900, 0.0011], 7.2195),
    ([50.0000, -0.0010, 2.4900], [50.0000, 0.0009, -2.4900], 4.8045),
    ([50.0000, 2.5000, 0.0000], [50.0000, 0.0000, -2.5000], 4.3065),
    ([50.0000, 2.5000, 0.0000], [73.0000, 25.0000, -18.0000], 27.1492),
    ([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644),
    ([22.7233, 20.0904, -46.6940], [23.0331, 14.9730, -42.5619], 2.0373),
    ([2.0776, 0.0795, -1.1350], [0.9033, -0.0636, -0.5514], 0.9082),
  ])
  func `colours differ as published`(one: [Double], other: [Double], difference: Double) {
    let colors = [one, other].map { LabColor(lightness: $0[0], a: $0[1], b: $0[2]) }
    #expect(abs(colors[0].difference(from: colors[1]) - difference) < 5e-5)
    #expect(abs(colors[1].difference(from: colors[0]) - difference) < 5e-5)
  }

  @Test func `light becomes the colour that the standard gives it`() {
    let white = LabColor(light: SIMD3(1, 1, 1))
    #expect(white.difference(from: LabColor(lightness: 100, a: 0, b: 0)) < 0.02)
    // sRGB red, by IEC 61966-2-1 and CIE 15.
    let red = LabColor(light: SIMD3(1, 0, 0))
    #expect(red.difference(from: LabColor(lightness: 53.24, a: 80.09, b: 67.20)) < 0.02)
  }

  /// A needle: at its sharp edges the normal of a nearest face may point away from a point outside.
  private static let needle = Mesh(
    positions: [
      Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(0.5, 0.05, 0.02), Vector3(0.5, -0.05, 0.02),
    ],
    indices: [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])

  @Test func `sides are right around sharp edges`() throws {
    let mesh = Self.needle
    let surface = try NearestSurface(positions: mesh.positions, indices: mesh.indices)
    var generator = SeededGenerator(seed: 4)
    let points = (0..<20_000).map { _ in
      Vector3(
        Float.random(in: -0.3...1.3, using: &generator),
        Float.random(in: -0.2...0.2, using: &generator),
        Float.random(in: -0.1...0.1, using: &generator))
    }
    let places = surface.places(nearestTo: points)
    var inside = 0
    for (point, place) in zip(points, places) {
      // A tetrahedron is the intersection of four half-spaces.
      let isInside = (0..<4).allSatisfy { face in
        mesh.areaVector(ofFace: face)
          .dot(point.double - mesh.positions[Int(mesh.indices[3 * face])].double) < 0
      }
      inside += isInside ? 1 : 0
      guard place.distance > 1e-6 else { continue }
      #expect(place.side == (isInside ? -1 : 1), "\(point)")
    }
    #expect(inside > 20)
  }

  @Test func `beside an open border no side is clear`() throws {
    let square = Mesh(
      positions: [Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(1, 1, 0), Vector3(0, 1, 0)],
      indices: [0, 1, 2, 0, 2, 3])
    let surface = try NearestSurface(positions: square.positions, indices: square.indices)
    let sides = surface.places(nearestTo: [
      Vector3(0.5, 0.4, 0.2), Vector3(0.5, 0.5, -0.2), Vector3(2, 0.5, 0.2), Vector3(-1, -1, 0.1),
    ]).map(\.side)
    #expect(sides == [1, -1, nil, nil])
    #expect(surface.places(nearestTo: [Vector3(0.5, 0.4, 0)])[0].side == 0)
  }

  @Test func `samples stand for equal areas and follow their seed`() {
    let areas = [1.0, 3.0, .nan, 0, 4.0]
    let samples = FaceSamples(areas: areas, count: 8000)
    #expect(samples.count == 8000)
    #expect(samples.areaPerSample == 0.001)
    let counts = Dictionary(grouping: samples.faces) { $0 }.mapValues(\.count)
    #expect(counts == [0: 1000, 1: 3000, 4: 4000])
    // The mean of uniform points is the centroid.
    let mean = (0..<8000).reduce(SIMD3<Double>.zero) { $0 + samples.weights(of: $1) } / 8000
    #expect((mean - SIMD3(repeating: 1.0 / 3)).length < 0.002)
    let others = FaceSamples(areas: areas, count: 8000, seed: 3)
    #expect(others.weights(of: 5) != samples.weights(of: 5))
    #expect(
      others.weights(of: 5) == FaceSamples(areas: areas, count: 10, seed: 3).weights(of: 5))
    #expect(FaceSamples(areas: [0, .nan], count: 5).count == 0)
  }

  @Test func `statistics are those of the definition`() {
    let found = DistanceStatistics((1...100).map { Float($0) })
    #expect(found.mean == 50.5)
    #expect(abs(found.rms - (338_350.0 / 100).squareRoot()) < 1e-9)
    #expect(found.median == 50.5)
    #expect(found.percentile95 == 95)
    #expect(found.maximum == 100)
    #expect(DistanceStatistics([]).maximum == 0)
  }
}

struct CloudDifferenceTests {
  /// Points on a tilted plane with noise along its normal.
  private static func plane(
    seed: UInt64, shift: Double, noise: Double
  ) -> (points: [Vector3], normal: SIMD3<Double>) {
    var generator = SeededGenerator(seed: seed)
    let normal = SIMD3(0.3, 1, -0.2).normalized
    let across = normal.cross(SIMD3(1, 0, 0)).normalized
    let along = normal.cross(across)
    let points = (0..<20_000).map { _ in
      let (u, v) = (
        Double.random(in: 0...1, using: &generator), Double.random(in: 0...1, using: &generator)
      )
      // Twelve uniform numbers make a normally distributed one.
      let error = (0..<12).reduce(-6.0) { sum, _ in
        sum + Double.random(in: 0...1, using: &generator)
      }
      return Vector3(
        SIMD3<Float>(across * u + along * v + normal * (shift + noise * error)))
    }
    return (points, normal)
  }

  private func difference(shift: Double) -> CloudDifference {
    let one = Self.plane(seed: 1, shift: 0, noise: 0.004)
    let other = Self.plane(seed: 2, shift: shift, noise: 0.004)
    return CloudDifference(
      from: one.points, to: other.points,
      at: stride(from: 0, to: one.points.count, by: 10).map { one.points[$0] },
      up: SIMD3(0, 1, 0),
      .init(normalScale: 0.2, diameter: 0.1, reach: 0.1, registrationError: 0))
  }

  @Test func `a shift below the noise of points is found, along the normal`() throws {
    let found = difference(shift: 0.003)
    #expect(found.changes.count > 1950)
    let mean = found.changes.reduce(0) { $0 + $1.distance } / Double(found.changes.count)
    #expect(abs(mean - 0.003) < 0.0002)
    let significant = found.changes.count(where: \.isSignificant)
    #expect(Double(significant) > 0.97 * Double(found.changes.count))
  }

  @Test func `noise alone is significant in one of twenty`() throws {
    let found = difference(shift: 0)
    let share =
      Double(found.changes.count(where: \.isSignificant)) / Double(found.changes.count)
    #expect(share > 0.01 && share < 0.1)
    // Two means of about 157 points with 4 mm of noise.
    let level = 1.96 * 0.004 * (2.0 / 157).squareRoot()
    let median = try #require(found.changes.map(\.detection).median())
    #expect(abs(median - level) < 0.1 * level)
  }

  @Test func `all of a surface that up lies along has one side`() {
    var generator = SeededGenerator(seed: 3)
    func number(_ range: ClosedRange<Double>) -> Double {
      Double.random(in: range, using: &generator)
    }
    // An upright wall that waves, so that its normals look up and down, and a ball that grew.
    let wall = (0..<8000).map { _ in
      let (y, z) = (number(0...1), number(0...1))
      return SIMD3(0.02 * cos(9 * y), y, z)
    }
    let ball = (0..<8000).map { _ -> SIMD3<Double> in
      let (height, turn) = (number(-1...1), number(0...(2 * .pi)))
      let radius = (1 - height * height).squareRoot()
      return SIMD3(radius * cos(turn), height, radius * sin(turn))
    }
    func points(_ positions: [SIMD3<Double>]) -> [Vector3] {
      positions.map { Vector3(SIMD3<Float>($0)) }
    }
    func share(_ before: [SIMD3<Double>], _ after: [SIMD3<Double>]) -> Double {
      let found = CloudDifference(
        from: points(before), to: points(after), at: points(before), up: SIMD3(0, 1, 0),
        .init(normalScale: 0.2, diameter: 0.1, reach: 0.1, registrationError: 0))
      return Double(found.changes.count { $0.distance > 0 }) / Double(found.changes.count)
    }
    let onSide = share(wall, wall.map { $0 + SIMD3(0.01, 0, 0) })
    #expect(onSide == 0 || onSide == 1)
    #expect(share(ball, ball.map { $0 * 1.02 }) == 1)
    #expect(share(ball, ball.map { $0 * 0.98 }) == 0)
  }

  @Test func `what is beyond the reach has no counterpart`() {
    let found = difference(shift: 0.5)
    #expect(found.changes.isEmpty)
    #expect(found.unmatched > 1900)
  }
}

struct RigidAlignmentTests {
  /// Points spread over a mesh, and the nearest places on it.
  private static func side(_ mesh: Mesh) throws -> RigidAlignment.Side {
    let areas = (0..<mesh.faceCount).map { mesh.area(ofFace: $0) }
    let samples = FaceSamples(areas: areas, count: 3000)
    let points = samples.faces.indices.map { index -> Vector3 in
      let face = Int(samples.faces[index])
      let weights = samples.weights(of: index)
      let corners = (0..<3).map { mesh.positions[Int(mesh.indices[3 * face + $0])].double }
      return Vector3(
        SIMD3<Float>(
          corners[0] * weights.x + corners[1] * weights.y + corners[2] * weights.z))
    }
    let surface = try NearestSurface(positions: mesh.positions, indices: mesh.indices)
    return RigidAlignment.Side(points: points) { points in
      surface.places(nearestTo: points).map { place in
        let face = Int(place.face)
        let corners = (0..<3).map { mesh.positions[Int(mesh.indices[3 * face + $0])].double }
        let (second, third) = (Double(place.barycentric.x), Double(place.barycentric.y))
        return (
          corners[0] * (1 - second - third) + corners[1] * second + corners[2] * third,
          mesh.areaVector(ofFace: face).normalized
        )
      }
    }
  }

  private static func moved(_ mesh: Mesh, by transform: Transform) -> Mesh {
    var mesh = mesh
    mesh.positions = mesh.positions.map {
      Vector3(SIMD3<Float>(transform.apply(toPoint: $0.double)))
    }
    return mesh
  }

  private static let box: Mesh = {
    moved(MeshFixtures.cube, by: Transform(scale: SIMD3(2, 0.6, 1)))
  }()

  /// The greatest distance of the corners of a moved mesh from where they were.
  private func error(_ alignment: RigidAlignment, _ mesh: Mesh, _ original: Mesh) -> Double {
    zip(mesh.positions, original.positions).map {
      (alignment.transform.apply(toPoint: $0.double) - $1.double).length
    }.max() ?? .infinity
  }

  // Top and bottom fit all the while; a turn by 180 degrees is another solution.
  @Test(arguments: [20.0, 40]) func `a turned box finds back`(degrees: Double) throws {
    let turn = Transform(rotationAbout: SIMD3(0, 1, 0), by: degrees * .pi / 180)
    let moved = Self.moved(Self.box, by: Transform(translation: SIMD3(0.3, 0.1, -0.2)) * turn)
    let alignment = RigidAlignment(
      of: try Self.side(moved), onto: try Self.side(Self.box), up: SIMD3(0, 1, 0))
    #expect(alignment.median < 1e-5)
    #expect(alignment.medianBefore > 0.01)
    #expect(error(alignment, moved, Self.box) < 1e-4)
  }

  @Test func `a part finds its place, and the whole its part`() throws {
    var whole = MeshFixtures.sphere(segments: 48, rings: 24)
    whole.positions = whole.positions.map { Vector3($0.x * (1 + 0.3 * $0.y), $0.y * 1.4, $0.z) }
    var part = whole
    part.indices = (0..<whole.faceCount).filter { whole.centroid(ofFace: $0).x > 0.3 }
      .flatMap { whole.indices[3 * $0..<3 * $0 + 3] }
    let turn = Transform(rotationAbout: SIMD3(0.2, 1, 0.1).normalized, by: 0.1)
    let moved = Self.moved(part, by: Transform(translation: SIMD3(0.05, -0.04, 0.03)) * turn)
    let (first, second) = (try Self.side(moved), try Self.side(whole))
    let there = RigidAlignment(of: first, onto: second, up: SIMD3(0, 1, 0))
    #expect(error(there, moved, part) < 1e-3)
    let back = RigidAlignment(of: second, onto: first, up: SIMD3(0, 1, 0))
    let identity = back.transform * there.transform
    #expect((identity.apply(toPoint: SIMD3(1, 1, 1)) - SIMD3(1, 1, 1)).length < 2e-3)
  }
}
