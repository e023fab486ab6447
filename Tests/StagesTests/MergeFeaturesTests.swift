import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct MergeFeaturesTests {
  private func merged(
    _ cloud: PointCloud, context: StageContext = StageContext(),
    system: CoordinateSystem = .arkit,
    _ change: (inout MergeFeatures.Parameters) -> Void = { _ in }
  ) throws -> PointCloud {
    var parameters = MergeFeatures.Parameters()
    change(&parameters)
    let scene = Scene(pointClouds: [cloud], coordinateSystem: system)
    return try MergeFeatures(parameters).run(scene, in: context).pointClouds[0]
  }

  private func samples(
    _ positions: [Vector3], _ identifiers: [UInt64], name: String = "identifier"
  ) -> PointCloud {
    var cloud = PointCloud(name: "scan", positions: positions)
    cloud.attributes = [CustomAttribute(name, values: .uint64(identifiers))]
    return cloud
  }

  /// Samples of 40 features in turn, of which some lie far away; identifiers differ in their lowest bits only.
  private func tracks(_ count: Int = 3000) -> PointCloud {
    var random = SeededGenerator(seed: 8)
    var cloud = PointCloud()
    var identifiers: [UInt64] = []
    for _ in 0..<count {
      let feature = Int.random(in: 0..<40, using: &random)
      func noise() -> Float {
        Float.random(in: -0.01..<0.01, using: &random)
          * (Int.random(in: 0..<20, using: &random) == 0 ? 30 : 1)
      }
      cloud.positions.append(
        Vector3(Float(feature) + noise(), Float(feature % 7) + noise(), noise()))
      identifiers.append(UInt64.max - UInt64(feature))
    }
    cloud.attributes = [CustomAttribute("identifier", values: .uint64(identifiers))]
    return cloud
  }

  @Test(arguments: [(100, 2.0), (7, 2.0), (100, 1.0), (1, 2.0), (30, 1e9)])
  func `features are those of a plain computation`(window: Int, sigma: Double) throws {
    let cloud = tracks()
    guard case .uint64(let identifiers) = cloud.attributes[0].values else { return }
    var order: [UInt64] = []
    var all: [UInt64: [SIMD3<Double>]] = [:]
    for (position, identifier) in zip(cloud.positions, identifiers) {
      if all[identifier] == nil { order.append(identifier) }
      all[identifier, default: []].append(position.double)
    }
    let found = try merged(cloud) { ($0.window, $0.sigma) = (window, sigma) }
    #expect(found.attributes["identifier"]?.values == .uint64(order))
    for (place, identifier) in order.enumerated() {
      let latest = all[identifier, default: []].suffix(window)
      let mean = latest.reduce(.zero, +) / Double(latest.count)
      let distances = latest.map { ($0 - mean).length }
      let deviation = (distances.reduce(0) { $0 + $1 * $1 } / Double(latest.count)).squareRoot()
      let near = zip(latest, distances).filter { $1 <= sigma * deviation }.map(\.0)
      let center = near.reduce(.zero, +) / Double(near.count)
      #expect((found.positions[place].double - center).length < 2e-6)
      #expect(found.attributes["samples"]?.values.double(at: place) == Double(near.count))
      let spread =
        (near.reduce(0) { $0 + ($1 - center).lengthSquared } / Double(near.count)).squareRoot()
      #expect(abs((found.attributes["spread"]?.values.double(at: place) ?? -1) - spread) < 1e-5)
    }
  }

  @Test func `one far sample of six is left out, and of five it is not`() throws {
    let near = (0..<5).map { Vector3(Float($0) / 1000, 0, 0) }
    let far = Vector3(0, 100, 0)
    let six = try merged(samples(near + [far], [UInt64](repeating: 5, count: 6)))
    #expect(six.positions == [Vector3(0.002, 0, 0)])
    #expect(six.attributes["samples"]?.values == .uint32([5]))
    let five = try merged(samples(Array(near[..<4]) + [far], [UInt64](repeating: 5, count: 5)))
    #expect(five.attributes["samples"]?.values == .uint32([5]))
    #expect(five.positions[0].y == 20)
  }

  @Test func `the oldest samples are forgotten, and features stay in the order of appearance`()
    throws
  {
    let context = StageContext()
    let old = [Vector3](repeating: Vector3(9, 9, 9), count: 3)
    let new = [Vector3](repeating: Vector3(1, 0, 0), count: 2)
    let cloud = samples(
      old + [Vector3(5, 5, 5)] + new, [7, 7, 7, 1 << 63, 7, 7])
    let found = try merged(cloud, context: context) { $0.window = 2 }
    #expect(found.positions == [Vector3(1, 0, 0), Vector3(5, 5, 5)])
    #expect(found.attributes["identifier"]?.values == .uint64([7, 1 << 63]))
    #expect(found.attributes["samples"]?.values == .uint32([2, 1]))
    #expect(found.attributes["spread"]?.values == .float32([0, 0]))
    #expect(context.notes.contains { $0.key == "olderSamples" && $0.value.number == 3 })
    #expect(context.notes.contains { $0.key == "features" && $0.value.number == 2 })
  }

  @Test func `samples that are not finite are counted apart from outliers`() throws {
    let context = StageContext()
    let near = [Vector3](repeating: .zero, count: 5)
    let cloud = samples(
      near + [Vector3(0, 9, 0), Vector3(.nan, 0, 0), Vector3(0, .infinity, 0)],
      [4, 4, 4, 4, 4, 4, 4, 6])
    #expect(try merged(cloud, context: context).positions == [.zero])
    for (key, count) in [
      ("samples", 8.0), ("nonFinite", 2.0), ("outliers", 1.0), ("olderSamples", 0.0),
    ] {
      #expect(context.notes.contains { $0.key == key && $0.value.number == count }, "\(key)")
    }
  }

  @Test func `attributes are those of the samples that count`() throws {
    var cloud = samples(
      (0..<6).map { Vector3($0 == 0 ? 50 : 1, 2, 3) } + [Vector3(.nan, 0, 0), Vector3(0, 0, 8)],
      [3, 3, 3, 3, 3, 3, 3, 9])
    cloud.colors = (0..<8).map { Color(red: UInt8(20 * $0), green: 0, blue: 7) }
    cloud.normals = (0..<8).map { $0 % 2 == 0 ? Vector3(0, 0, 1) : Vector3(0, 1, 0) }
    cloud.confidences = (0..<8).map { Float($0) }
    cloud.attributes.append(CustomAttribute("frame", values: .uint32((0..<8).map { UInt32($0) })))
    cloud.attributes.append(CustomAttribute("time", values: .float64((0..<8).map { Double($0) })))
    let found = try merged(cloud)
    #expect(found.positions == [Vector3(1, 2, 3), Vector3(0, 0, 8)])
    #expect(found.colors?.map(\.red) == [60, 140])
    #expect(found.confidences == [3, 7])
    #expect(found.attributes["frame"]?.values == .uint32([1, 7]))
    #expect(found.attributes["time"]?.values == .float64([3, 7]))
    let normal = try #require(found.normals?.first)
    #expect(abs(normal.y - 0.8321) < 1e-3 && abs(normal.z - 0.5547) < 1e-3)
  }

  @Test(arguments: [
    "identifier", "id", "ID", "feature", "track", "Track_ID", "scalar_id", "feature-id",
  ])
  func `identifiers are known by many names`(name: String) throws {
    let found = try merged(samples([.zero, .zero, .zero], [1, 2, 1], name: name))
    #expect(found.attributes[name]?.values == .uint64([1, 2]))
  }

  @Test func `identifiers of other types count, too`() throws {
    let positions = [Vector3](repeating: .zero, count: 3)
    for values: CustomAttribute.Values in [
      .int32([-1, 5, -1]), .uint8([7, 5, 7]), .float32([7, 5, 7]), .float64([-1, 5, -1]),
    ] {
      var cloud = PointCloud(positions: positions)
      cloud.attributes = [CustomAttribute("own", values: values)]
      #expect(try merged(cloud) { $0.identifier = "own" }.positions.count == 2)
    }
  }

  @Test func `spread is in metres`() throws {
    let cloud = samples([Vector3(1000, 0, 0), Vector3(3000, 0, 0)], [1, 1])
    var millimetres = CoordinateSystem.arkit
    millimetres.metersPerUnit = 0.001
    let found = try merged(cloud, system: millimetres)
    #expect(found.attributes["spread"]?.values == .float32([1]))
  }

  @Test func `points without identifiers are refused, with the way out`() throws {
    var cloud = PointCloud(name: "scan", positions: [.zero])
    func message(_ change: (inout MergeFeatures.Parameters) -> Void = { _ in }) -> String {
      do {
        _ = try merged(cloud, change)
        return "no error"
      } catch let error as any UserError {
        #expect(error.exitCode == .data)
        return error.message
      } catch {
        return "another error"
      }
    }
    cloud.attributes = [CustomAttribute("intensity", values: .float32([0.5]))]
    #expect(message().contains("they have intensity"))
    #expect(
      message().contains("identifier=NAME") && message().contains("thin-points representative=mean")
    )
    #expect(message { $0.identifier = "uid" }.contains("no attribute 'uid'"))
    #expect(message { $0.identifier = "intensity" }.contains("are not identifiers"))
  }

  @Test func `identifiers that floating point has rounded are told`() throws {
    let context = StageContext()
    var cloud = PointCloud(positions: [.zero, .zero])
    cloud.attributes = [CustomAttribute("id", values: .float32([16_777_216, 16_777_216]))]
    _ = try merged(cloud, context: context)
    #expect(context.warnings.count == 1 && context.warnings[0].contains("rounded"))
  }
}
