import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct FilterPointsTests {
  private typealias Method = FilterPoints.Method

  private func filtered(
    _ cloud: PointCloud, _ method: FilterPoints.Method,
    context: StageContext = StageContext(),
    _ change: (inout FilterPoints.Parameters) -> Void = { _ in }
  ) throws -> PointCloud {
    var parameters = FilterPoints.Parameters()
    parameters.method = method
    change(&parameters)
    return try FilterPoints(parameters).run(Scene(pointClouds: [cloud]), in: context)
      .pointClouds[0]
  }

  /// Points in a cube, of which some coincide, lie far away or are not finite; numbered by the
  /// attribute `id`.
  private func cloud(_ count: Int = 700) -> PointCloud {
    var random = SeededGenerator(seed: 3)
    var cloud = PointCloud(name: "cloud")
    for number in 0..<count {
      func coordinate() -> Float { Float.random(in: 0..<1, using: &random) }
      var point = Vector3(coordinate(), coordinate(), coordinate())
      if number % 50 == 7 { point = Vector3(point.simd * 8) }
      if number % 40 == 9 { point = cloud.positions[number - 5] }
      if number % 90 == 11 { point.y = .nan }
      if number % 90 == 12 { point.z = -.infinity }
      cloud.positions.append(point)
    }
    cloud.colors = (0..<count).map { Color(red: UInt8($0 % 256), green: 1, blue: 2) }
    cloud.confidences = (0..<count).map { Float($0 % 3) }
    cloud.attributes = [
      CustomAttribute("id", values: .int32((0..<count).map { Int32($0) })),
      CustomAttribute("range", values: .float32((0..<count).map { Float($0) / 100 })),
    ]
    return cloud
  }

  private func ids(_ cloud: PointCloud) -> [Int] {
    cloud.attributes["id"]?.values.doubles.map { Int($0) } ?? []
  }

  /// The distances of each finite point from all finite points, ascending; empty for others.
  private func distances(_ cloud: PointCloud) -> [[Double]] {
    let finite = cloud.positions.filter(\.isFinite)
    return cloud.positions.map { position in
      position.isFinite
        ? finite.map { ($0.double - position.double).length }.sorted() : []
    }
  }

  @Test(arguments: [(2, 0.5), (20, 2), (700, 1)])
  func `statistical keeps what all distances say`(neighbors: Int, sigma: Double) throws {
    let cloud = cloud()
    let means = distances(cloud).map { all in
      all.isEmpty ? nil : all.prefix(neighbors).reduce(0, +) / Double(min(neighbors, all.count))
    }
    let known = means.compactMap(\.self)
    let mean = known.reduce(0, +) / Double(known.count)
    let variance =
      known.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(known.count - 1)
    let limit = mean + sigma * variance.squareRoot()
    let expected = means.indices.filter { means[$0].map { $0 <= limit } ?? false }
    let kept = try filtered(cloud, .statistical) {
      ($0.neighbors, $0.sigma) = (neighbors, sigma)
    }
    #expect(ids(kept) == expected)
    #expect(expected.count < known.count)
    #expect(kept.colors == cloud.colors.map { colors in expected.map { colors[$0] } })
    #expect(kept.confidences == expected.map { Float($0 % 3) })
  }

  @Test(arguments: [(0.1, 1), (0.2, 8), (0.5, 30), (100, 600)])
  func `radius keeps what all distances say`(radius: Double, minimum: Int) throws {
    let cloud = cloud()
    let expected = distances(cloud).enumerated().filter {
      $0.element.count { $0 < radius } > minimum
    }.map(\.offset)
    let kept = try filtered(cloud, .radius) {
      ($0.radius, $0.minimumNeighbors) = (Length(meters: radius), minimum)
    }
    #expect(ids(kept) == expected)
  }

  @Test func `a neighbour at exactly the radius does not count, as in Open3D`() throws {
    var line = PointCloud(positions: (0..<40).map { Vector3(Float($0) / 4, 0, 0) })
    let radius = { (parameters: inout FilterPoints.Parameters) in
      (parameters.radius, parameters.minimumNeighbors) = (Length(meters: 0.25), 1)
    }
    #expect(try filtered(line, .radius, radius).positions.isEmpty)
    line.positions.append(line.positions[3])
    let twice = [line.positions[3], line.positions[3]]
    #expect(try filtered(line, .radius, radius).positions == twice)
  }

  @Test func `many points at one place are no outliers`() throws {
    let cloud = PointCloud(positions: [Vector3](repeating: Vector3(1, 2, 3), count: 5000))
    for method in [Method.statistical, .radius] {
      #expect(try filtered(cloud, method).positions.count == 5000)
    }
  }

  @Test func `a line of even spacing stays, and a single point`() throws {
    let line = PointCloud(positions: (0..<500).map { Vector3(Float($0), 0, 0) })
    #expect(try filtered(line, .statistical) { $0.sigma = 50 }.positions.count == 500)
    let one = PointCloud(positions: [.zero])
    #expect(try filtered(one, .statistical) == one)
    let broken = PointCloud(positions: [Vector3(.nan, 0, 0)])
    for method in [Method.statistical, .radius] {
      #expect(try filtered(broken, method).positions.isEmpty)
    }
  }

  @Test(arguments: FilterPoints.Method.allCases)
  func `points at zero beside a cloud go, whatever the method`(
    method: FilterPoints.Method
  ) throws {
    var cloud = cloud()
    let count = cloud.positions.count
    cloud.positions = cloud.positions.map { Vector3($0.x + 20, $0.y, $0.z) }
    for point in stride(from: 0, to: count, by: 10) { cloud.positions[point] = .zero }
    let kept = try filtered(cloud, method) {
      ($0.minimumConfidence, $0.minimumNeighbors, $0.radius) = (0, 1, Length(meters: 50))
    }
    #expect(!kept.positions.isEmpty && !kept.positions.contains(.zero))
  }

  @Test func `points at zero are told by their place in the file`() throws {
    let positions = (0..<100).map { Vector3(Float($0 % 10), Float($0 / 10), 3) }
    func unseen(
      _ extra: [Vector3], shift: Vector3 = Vector3(50, 0, 0), origin: SIMD3<Double> = .zero
    ) -> Int? {
      let moved = positions.map { Vector3($0.x + shift.x, $0.y + shift.y, $0.z + shift.z) }
      return PointCloud(positions: moved + extra).unseenPoints(origin: origin)?.count { $0 }
    }
    let zeros = [Vector3](repeating: .zero, count: 5)
    #expect(unseen(zeros) == 5)
    #expect(unseen(zeros, shift: .zero) == 5)
    // The cloud surrounds the origin, or reaches it.
    #expect(unseen(zeros, shift: Vector3(-5, -5, -3)) == nil)
    #expect(unseen(zeros, shift: Vector3(0, 0, -3)) == nil)
    // A single point may be one.
    #expect(unseen([.zero], shift: .zero) == nil)
    #expect(unseen([.zero]) == 1)
    #expect(unseen([Vector3(0, 0, 1e-3), Vector3(0, 0, 1e-3)]) == nil)
    // Relative to an origin the file's zero is elsewhere.
    let origin = SIMD3(583_000.0, 4_507_000, 0)
    let far = [Vector3](repeating: Vector3(-583_000, -4_507_000, 0), count: 3)
    #expect(unseen(far, shift: .zero, origin: origin) == 3)
    #expect(unseen(zeros, origin: origin) == nil)
  }

  @Test func `a mesh without points is told that there is nothing to do`() throws {
    let stages: [any Stage] = [
      FilterPoints(FilterPoints.Parameters()), ThinPoints(ThinPoints.Parameters()),
      MergeFeatures(MergeFeatures.Parameters()),
    ]
    for stage in stages {
      let context = StageContext()
      _ = try stage.run(Scene(meshes: [MeshFixtures.cube]), in: context)
      #expect(context.warnings.count == 1 && context.warnings[0].contains("there are no points to"))
    }
  }

  @Test func `the former method names the stage that does what was meant`() {
    #expect {
      _ = try FilterPoints.Method(json: "z-score")
    } throws: {
      ($0 as? ParameterFault)?.message.contains("'merge-features'") == true
    }
    #expect(throws: ParameterFault.self) { try FilterPoints.Method(json: "z-scores") }
    #expect(throws: Never.self) { try FilterPoints.Method(json: "radius") }
  }

  @Test func `confidence and range keep what reaches the limits`() throws {
    let cloud = cloud()
    let sure = try filtered(cloud, .confidence) { $0.minimumConfidence = 1 }
    #expect(ids(sure) == (0..<700).filter { $0 % 3 >= 1 })
    let near = try filtered(cloud, .range) {
      ($0.minimumRange, $0.maximumRange) = (Length(meters: 1.5), Length(meters: 3))
    }
    #expect(ids(near) == Array(150...300))
  }

  @Test(arguments: [FilterPoints.Method.confidence, .range])
  func `points without the attribute stay, with a warning`(method: FilterPoints.Method) throws {
    let context = StageContext()
    let cloud = PointCloud(name: "scan", positions: [.zero])
    #expect(try filtered(cloud, method, context: context) == cloud)
    #expect(
      context.warnings == [
        "the points of 'scan' have no \(method.rawValue), by which to filter them: they stay"
      ])
  }

  @Test func `the same points stay on any number of threads, and lengths have units`() throws {
    let cloud = cloud(5000)
    let all = try filtered(cloud, .statistical)
    let alone = try Parallel.withThreads(1) { try filtered(cloud, .statistical) }
    #expect(ids(alone) == ids(all))
    var scene = Scene(pointClouds: [self.cloud()])
    scene.coordinateSystem.metersPerUnit = 0.1
    var parameters = FilterPoints.Parameters()
    (parameters.method, parameters.radius) = (.radius, Length(meters: 0.02))
    let inDecimeters = try FilterPoints(parameters).run(scene, in: StageContext()).pointClouds[0]
    let inMeters = try filtered(self.cloud(), .radius) { $0.radius = Length(meters: 0.2) }
    #expect(ids(inDecimeters) == ids(inMeters))
  }

  @Test func `every method is well behaved`() {
    for method in Method.allCases {
      var parameters = FilterPoints.Parameters()
      parameters.method = method
      expectWellBehaved(FilterPoints(parameters))
    }
  }
}
