import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct ThinPointsTests {
  private func thinned(
    _ cloud: PointCloud, _ change: (inout ThinPoints.Parameters) -> Void = { _ in }
  ) throws -> PointCloud {
    var parameters = ThinPoints.Parameters()
    parameters.spacing = Length(meters: 0.1)
    change(&parameters)
    return try ThinPoints(parameters).run(Scene(pointClouds: [cloud]), in: StageContext())
      .pointClouds[0]
  }

  /// Random points in a unit cube, numbered by the attribute `id`.
  private var cloud: PointCloud {
    var random = SeededGenerator(seed: 5)
    var cloud = PointCloud()
    for number in 0..<3000 {
      func coordinate() -> Float { Float.random(in: 0..<1, using: &random) }
      cloud.positions.append(Vector3(coordinate(), coordinate(), coordinate()))
      if number % 100 == 50 { cloud.positions[number].x = .infinity }
      if number % 7 == 6 { cloud.positions[number] = cloud.positions[number - 3] }
    }
    cloud.confidences = (0..<3000).map { Float(($0 * 7) % 3) }
    cloud.attributes = [CustomAttribute("id", values: .int32((0..<3000).map { Int32($0) }))]
    return cloud
  }

  /// The finite points of each cell of a grid, by number.
  private func cells(_ cloud: PointCloud) -> [SIMD3<Double>: [Int]] {
    let finite = cloud.positions.indices.filter { cloud.positions[$0].isFinite }
    let origin = SIMD3<Double>(Box(cloud.positions).minimum) - 0.05
    return Dictionary(grouping: finite) {
      ((cloud.positions[$0].double - origin) / 0.1).rounded(.down)
    }
  }

  private func ids(_ cloud: PointCloud) -> [Int] {
    cloud.attributes["id"]?.values.doubles.map { Int($0) } ?? []
  }

  @Test func `each cell keeps its first point, or the most confident`() throws {
    let cloud = cloud
    #expect(ids(try thinned(cloud)) == cells(cloud).values.map { $0[0] }.sorted())
    let confident = cells(cloud).values.map { points in
      points.min { a, b in
        let (one, other) = ((a * 7) % 3, (b * 7) % 3)
        return (-one, a) < (-other, b)
      }!
    }
    #expect(ids(try thinned(cloud) { $0.representative = .confident }) == confident.sorted())
    var plain = cloud
    plain.confidences = nil
    #expect(try thinned(plain) { $0.representative = .confident } == thinned(plain))
  }

  @Test func `the mean of a cell has the means of its points`() throws {
    let cloud = cloud
    let mean = try thinned(cloud) { $0.representative = .mean }
    let expected = cells(cloud).values.sorted { $0[0] < $1[0] }
    #expect(ids(mean) == expected.map { $0[0] })
    for (place, points) in expected.enumerated() {
      let center = points.reduce(.zero) { $0 + cloud.positions[$1].double } / Double(points.count)
      #expect((mean.positions[place].double - center).length < 1e-6)
      let confidence = points.reduce(0) { $0 + Float(($1 * 7) % 3) } / Float(points.count)
      #expect(abs((mean.confidences?[place] ?? -1) - confidence) < 1e-5)
    }
  }

  @Test func `points that stay are apart, and the others near one of them`() throws {
    let cloud = cloud
    let thin = try thinned(cloud) { $0.method = .distance }
    for (place, point) in thin.positions.enumerated() {
      #expect(thin.positions[..<place].allSatisfy { ($0.double - point.double).length > 0.1 })
    }
    for point in cloud.positions where point.isFinite {
      #expect(thin.positions.contains { ($0.double - point.double).length <= 0.1 })
    }
    #expect(try thinned(thin) { $0.method = .distance } == thin)
    // No fewer than spheres of twice the distance need to fill the cube.
    #expect(thin.positions.count > 240)
  }

  @Test func `tiny and huge spacings, and coordinates far away`() throws {
    var far = cloud
    far.positions[0] = Vector3(1e5, -1e5, 1e4)
    let finite = far.positions.count { $0.isFinite }
    for method in [ThinPoints.Method.grid, .distance] {
      let tiny = try thinned(far) {
        ($0.method, $0.spacing) = (method, Length(meters: 1e-9))
      }
      #expect(tiny.positions.count == Set(far.positions.filter(\.isFinite)).count)
      #expect(tiny.positions.count < finite)
      let huge = try thinned(cloud) { ($0.method, $0.spacing) = (method, Length(meters: 1e9)) }
      #expect(huge.positions.count == 1)
    }
  }

  @Test func `spacing is a length, and distances keep the first only`() throws {
    var scene = Scene(pointClouds: [cloud])
    scene.coordinateSystem.metersPerUnit = 0.5
    var parameters = ThinPoints.Parameters()
    parameters.spacing = Length(meters: 0.05)
    let thin = try ThinPoints(parameters).run(scene, in: StageContext())
    #expect(try thin.pointClouds[0] == thinned(cloud))
    (parameters.method, parameters.representative) = (.distance, .mean)
    #expect(parameters.faults().count == 1)
  }

  @Test func `every choice is well behaved`() {
    for choice in ThinPoints.Choice.allCases {
      var parameters = ThinPoints.Parameters()
      (parameters.representative, parameters.spacing) = (choice, Length(meters: 0.4))
      expectWellBehaved(ThinPoints(parameters))
    }
    var parameters = ThinPoints.Parameters()
    parameters.method = .distance
    expectWellBehaved(ThinPoints(parameters))
  }
}
