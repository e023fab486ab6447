import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct DetectShapesTests {
  private typealias Kind = DetectShapes.Kind

  private func detected(
    _ scene: Scene, _ kinds: [DetectShapes.Kind] = DetectShapes.Kind.allCases,
    context: StageContext = StageContext(),
    _ change: (inout DetectShapes.Parameters) -> Void = { _ in }
  ) throws -> Scene {
    var parameters = DetectShapes.Parameters()
    parameters.kinds = kinds
    // Few rounds are enough for what is large.
    parameters.minimumPoints = .fraction(0.2)
    change(&parameters)
    return try DetectShapes(parameters).run(scene, in: context)
  }

  /// Noise with a standard deviation, by the sum of twelve uniform numbers.
  private func noise(_ sigma: Double, _ random: inout SeededGenerator) -> SIMD3<Double> {
    func normal() -> Double {
      (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) } * sigma
    }
    return SIMD3(normal(), normal(), normal())
  }

  /// Points on a surface of two parameters from 0 to 1 with 2 mm of noise, of which 30 % lie anywhere around.
  private func cloud(
    seed: UInt64, count: Int = 2000, outliers: Double = 0.3,
    on surface: (Double, Double) -> SIMD3<Double>
  ) -> Scene {
    var random = SeededGenerator(seed: seed)
    func unit() -> Double { Double.random(in: 0..<1, using: &random) }
    var points = (0..<count).map { _ in surface(unit(), unit()) + noise(0.002, &random) }
    let strewn = Int(Double(count) * outliers / (1 - outliers))
    for _ in 0..<strewn {
      points.append(SIMD3(unit(), unit(), unit()) * 1.6 - SIMD3(repeating: 0.8))
    }
    points.shuffle(using: &random)
    return Scene(pointClouds: [
      PointCloud(positions: points.map { Vector3(SIMD3<Float>($0)) })
    ])
  }

  private static let axis = SIMD3(2.0, 3, 6) / 7
  private static let sides = (SIMD3(3.0, -6, 2) / 7, SIMD3(6.0, 2, -3) / 7)

  /// A direction around the axis, for a part of a turn.
  private func around(_ turn: Double) -> SIMD3<Double> {
    Self.sides.0 * cosine(turn) + Self.sides.1 * cosine(turn - 0.25)
  }

  private func cosine(_ turn: Double) -> Double { cos(2 * .pi * turn) }

  private func degrees(_ one: SIMD3<Double>, _ other: SIMD3<Double>) -> Double {
    // Small angles by the sine.
    one.cross(other).length * 180 / .pi
  }

  @Test(arguments: [Float(1), -1], [1, 2] as [UInt64])
  func `a plane looks where its points look`(side: Float, seed: UInt64) throws {
    var scene = cloud(seed: seed, outliers: 0) { u, v in
      Self.sides.0 * (u - 0.5) + Self.sides.1 * (v - 0.5)
    }
    let count = scene.pointCount
    scene.pointClouds[0].normals = [Vector3](
      repeating: Vector3(SIMD3<Float>(Self.axis) * side), count: count)
    let shape = try #require(try detected(scene, [.plane]).shapes.first)
    #expect(shape.axis.dot(Self.axis) * Double(side) > 0.999)
  }

  @Test(arguments: UInt64(1)...2)
  func `a sphere among outliers has its radius and its middle`(seed: UInt64) throws {
    let scene = try detected(
      cloud(seed: seed) { u, v in
        let height = 2 * v - 1
        return Self.axis * 0.1
          + (around(u) * (1 - height * height).squareRoot() + Self.axis * height) * 0.3
      }, [.plane, .sphere])
    #expect(scene.shapes.map(\.kind) == [.sphere])
    let shape = try #require(scene.shapes.first)
    #expect(abs(shape.radius - 0.3) < 0.0015)
    #expect((shape.center - Self.axis * 0.1).length < 0.001)
    #expect(shape.name == "sphere-1" && shape.count > 1900 && shape.area == nil)
    #expect(shape.rootMeanSquare > 0.0015 && shape.rootMeanSquare < 0.003)
    #expect(shape.largestResidual > shape.rootMeanSquare)
  }

  @Test(arguments: UInt64(1)...2)
  func `a cylinder among outliers has its radius, axis and length`(seed: UInt64) throws {
    let scene = try detected(
      cloud(seed: seed) { u, v in
        around(u) * 0.15 + Self.axis * (v - 0.5)
      }, [.plane, .sphere, .cylinder])
    #expect(scene.shapes.map(\.kind) == [.cylinder])
    let shape = try #require(scene.shapes.first)
    #expect(abs(shape.radius - 0.15) < 0.00075)
    #expect(degrees(shape.axis, Self.axis) < 0.3)
    #expect(abs(shape.heights.upperBound - 0.5) < 0.04)
    #expect(shape.angles == 0...2 * .pi)
  }

  @Test func `a cone among outliers has its angle and its tip`() throws {
    // Of 30 degrees, from 20 to 80 cm below its tip.
    let slope = 1 / 3.0.squareRoot()
    let scene = try detected(
      cloud(seed: 3) { u, v in
        let height = (0.04 + 0.6 * v).squareRoot()
        return (around(u) * slope + Self.axis) * height
      }, [.cylinder, .cone])
    #expect(scene.shapes.map(\.kind) == [.cone])
    let shape = try #require(scene.shapes.first)
    #expect(abs(shape.halfAngle * 180 / .pi - 30) < 0.2)
    #expect(degrees(shape.axis, Self.axis) < 0.3 && shape.axis.dot(Self.axis) > 0)
    #expect(try #require(shape.apex).length < 0.003)
  }

  @Test func `a torus among outliers has both radii`() throws {
    let scene = try detected(
      cloud(seed: 4, count: 4000) { u, v in
        around(u) * (0.4 + 0.1 * cosine(v)) + Self.axis * 0.1 * cosine(v - 0.25)
      }, [.cylinder, .torus])
    #expect(scene.shapes.map(\.kind) == [.torus])
    let shape = try #require(scene.shapes.first)
    #expect(abs(shape.radius - 0.4) < 0.002 && abs(shape.tubeRadius - 0.1) < 0.0005)
    #expect(degrees(shape.axis, Self.axis) < 0.3 && shape.center.length < 0.001)
  }

  @Test func `a plane among outliers has its normal and its rectangle`() throws {
    let scene = try detected(
      cloud(seed: 5) { u, v in
        Self.sides.0 * (u - 0.5) + Self.sides.1 * (v - 0.5) * 0.6
      }, [.plane, .cylinder])
    #expect(scene.shapes.map(\.kind) == [.plane])
    let shape = try #require(scene.shapes.first)
    #expect(degrees(shape.axis, Self.axis) < 0.3)
    #expect(abs(shape.size.x - 1) < 0.1 && abs(shape.size.y - 0.6) < 0.1)
    #expect(degrees(shape.reference, Self.sides.0) < 10)
  }

  @Test func `outliers alone are no shape`() throws {
    let scene = try detected(
      cloud(seed: 6, count: 1, outliers: 0.999) { _, _ in .zero }, [.plane, .cylinder])
    #expect(scene.pointCount > 900 && scene.shapes.isEmpty)
  }

  // MARK: Rooms

  @Test func `each wall, the floor and the ceiling of a room are found once, and nothing round`()
    throws
  {
    var room = SyntheticRoom.mesh(cell: 0.1)
    room.classes = nil
    var random = SeededGenerator(seed: 7)
    for vertex in room.positions.indices {
      room.positions[vertex] = Vector3(
        SIMD3<Float>(room.positions[vertex].double + noise(0.002, &random)))
    }
    let context = StageContext()
    let shapes = try detected(Scene(meshes: [room]), context: context).shapes
    #expect(shapes.allSatisfy { $0.kind == .plane })
    // Larger than what is on the furniture.
    let large = shapes.filter { $0.size.y > 1.5 }
    #expect(large.count { $0.axis.y > 0.999 } == 1)
    #expect(large.count { $0.axis.y < -0.999 } == 1)
    #expect(large.count { abs($0.axis.y) < 0.01 } == 4)
    #expect(context.notes.contains { $0.key == "shapes" })
  }

  @Test func `shapes become classes, and the meshes of these`() throws {
    var ball = MeshFixtures.sphere(segments: 48, rings: 24)
    for vertex in ball.positions.indices {
      ball.positions[vertex] = Vector3(ball.positions[vertex].simd + SIMD3(-5, 0, 0))
    }
    var scene = Scene(meshes: [MeshFixtures.grid(columns: 20, rows: 20), ball])
    scene = try detected(scene, [.plane, .sphere]) {
      $0.classify = true
      $0.maximumDistance = Length(meters: 0.02)
    }
    #expect(Set(scene.shapes.map(\.kind)) == [.plane, .sphere])
    #expect(scene.meshes[0].classes?.presentNames == ["plane-1"])
    #expect(scene.meshes[1].classes?.presentNames.contains("sphere-1") == true)
    let clean = try detected(scene, [.plane, .sphere]) {
      $0.replace = true
      $0.maximumDistance = Length(meters: 0.02)
    }
    #expect(Set(clean.meshes.map(\.name)) == ["plane-1", "sphere-1"])
    #expect(clean.meshes.allSatisfy { $0.faceCount > 1 })
    let plane = try #require(clean.meshes.first { $0.name == "plane-1" })
    #expect(plane.faceCount == 2 && abs(plane.area - 400) < 8, "\(plane.area)")
  }

  @Test func `a seed finds the one shape around it`() throws {
    let scene = cloud(seed: 8, outliers: 0.1) { u, v in
      u < 0.5
        ? Self.sides.0 * (2 * u - 0.5) + Self.sides.1 * (v - 0.5) - Self.axis * 0.3
        : around(2 * u) * 0.15 + Self.axis * (0.8 * v - 0.2)
    }
    for (place, kind) in [
      (Self.axis * -0.3 + Self.sides.0 * 0.3, Shape.Kind.plane),
      (around(0.1) * 0.15 + Self.axis * 0.2, .cylinder),
    ] {
      let found = try detected(scene, [.plane, .cylinder]) {
        $0.seed = LengthVector(meters: place)
        $0.touchRadius = Length(meters: 0.12)
      }
      #expect(found.shapes.map(\.kind) == [kind])
    }
    let context = StageContext()
    let none = try detected(scene, context: context) {
      $0.seed = LengthVector(meters: SIMD3(9, 9, 9))
    }
    #expect(none.shapes.isEmpty && context.warnings.count == 1)
  }

  @Test func `shapes go along with the scene and are the same on any number of threads`() throws {
    let scene = cloud(seed: 1, count: 3000) { u, v in around(u) * 0.15 + Self.axis * (v - 0.5) }
    let found = try detected(scene, [.cylinder])
    let alone = try Parallel.withThreads(1) { try detected(scene, [.cylinder]) }
    #expect(found == alone && !found.shapes.isEmpty)
    var turned = found
    turned.apply(
      Transform(
        x: SIMD3(0, 2, 0), y: SIMD3(-2, 0, 0), z: SIMD3(0, 0, 2), translation: SIMD3(1, 2, 3)))
    let (before, after) = (found.shapes[0], turned.shapes[0])
    #expect(abs(after.radius - 2 * before.radius) < 1e-12)
    #expect(after.axis == SIMD3(-before.axis.y, before.axis.x, before.axis.z))
    turned.apply(Transform(scale: SIMD3(1, 2, 1)))
    #expect(turned.shapes.isEmpty)
  }
}
