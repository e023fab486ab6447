package import MeshpipeScene

/// The distance between two point clouds along their normals, with the distance below which a difference is noise:
/// M3C2 (Lague, Brodu and Leroux 2013).
///
/// At each core point the normal of the first cloud is that of the plane through its points within half a
/// ``Settings/normalScale``. In a cylinder along it, the mean heights of both clouds are compared; how much their points
/// scatter, and how many there are, says how sure the difference is.
package struct CloudDifference: Sendable {
  package struct Settings: Sendable, Equatable {
    /// The diameter of the ball of points whose plane gives the normal, in units of the clouds.
    package var normalScale: Double
    /// The diameter of the cylinder.
    package var diameter: Double
    /// The largest distance that is measured, half the length of the cylinder.
    package var reach: Double
    /// How well the clouds are known to be aligned.
    package var registrationError: Double

    package init(
      normalScale: Double, diameter: Double, reach: Double, registrationError: Double
    ) {
      (self.normalScale, self.diameter) = (normalScale, diameter)
      (self.reach, self.registrationError) = (reach, registrationError)
    }
  }

  /// The difference at a core point.
  package struct Change: Sendable, Equatable {
    /// The index of the core point.
    package var core: Int
    /// Along the normal, positive where the second cloud is on the side of the normal.
    package var distance: Double
    /// The level of detection at 95 %: smaller distances may be noise.
    package var detection: Double

    package var isSignificant: Bool { abs(distance) > detection }
  }

  /// Of the core points that have enough points of both clouds, in their order.
  package let changes: [Change]
  /// The number of core points without enough points of the second cloud within reach.
  package let unmatched: Int

  /// Points of each cloud in a cylinder below which its scatter says nothing.
  private static let fewest = 5
  /// Standard deviations that 95 % of normally distributed numbers do not exceed.
  private static let confidence = 1.96

  /// - Parameters:
  ///   - cores: Where it is measured, finite.
  ///   - normals: Of the first cloud, to whose side the normals are turned; nil to turn them all to one side of its
  ///     surface, the outer one.
  ///   - up: The direction to which this side is turned of a surface that is mostly flat, without normals.
  package init(
    from first: [Vector3], to second: [Vector3], at cores: [Vector3], normals: [Vector3]? = nil,
    up: SIMD3<Double>, _ settings: Settings
  ) {
    let one = PointTree(first)
    let other = PointTree(second)
    let directions = Self.directions(at: cores, one, sides: normals, up: up, settings)
    let found = Parallel.mapChunks(of: cores.count, chunkSize: 1 << 8) { range in
      range.map { index in
        Self.found(
          at: cores[index].double, core: index, along: directions[index], one, other, settings)
      }
    }.flatMap(\.self)
    changes = found.compactMap(\.change)
    unmatched = found.count { $0 == .unmatched }
  }

  // MARK: Normals

  /// The nearest cores, the core itself included, whose normals shall agree.
  private static let linked = 20

  /// The unit normals at the cores; zero where the cloud has too few points.
  private static func directions(
    at cores: [Vector3], _ cloud: borrowing PointTree, sides: [Vector3]?, up: SIMD3<Double>,
    _ settings: Settings
  ) -> [SIMD3<Double>] {
    let fitted = Parallel.mapChunks(of: cores.count, chunkSize: 1 << 8) { range in
      range.map { index in
        direction(at: cores[index].double, cloud, sides: sides, scale: settings.normalScale)
      }
    }.flatMap(\.self)
    guard sides == nil else { return fitted }
    // Turned to one direction, the normals of surfaces along it would look either way by chance.
    let clear = fitted.indices.filter { fitted[$0] != .zero }
    var turned = PointNormals(
      of: clear.map { cores[$0] }, normals: clear.map { Vector3(SIMD3<Float>(fitted[$0])) })
    turned.turnConsistently(neighbors: linked) { _ in }
    let mean = turned.normals.reduce(SIMD3<Double>.zero) { $0 + $1.double } / Double(clear.count)
    let isBelow = mean.length > 0.5 && mean.dot(up) < 0
    var directions = fitted
    for (position, core) in clear.enumerated() {
      let isTurned = turned.normals[position].double.dot(fitted[core]) < 0
      if isTurned != isBelow { directions[core] = -fitted[core] }
    }
    return directions
  }

  private static func direction(
    at center: SIMD3<Double>, _ cloud: borrowing PointTree, sides: [Vector3]?, scale: Double
  ) -> SIMD3<Double> {
    var (sums, side) = (PointSpread.Sums(), SIMD3<Double>.zero)
    cloud.forEachPoint(within: scale / 2, of: center) { point, position in
      sums.add(position - center)
      if let sides { side += sides[Int(point)].double }
    }
    guard sums.count >= 3, let spread = PointSpread(sums), let normal = spread.leastDirection
    else { return .zero }
    return normal.dot(side) < 0 ? -normal : normal
  }

  // MARK: Differences

  private static func found(
    at center: SIMD3<Double>, core: Int, along normal: SIMD3<Double>, _ one: borrowing PointTree,
    _ other: borrowing PointTree, _ settings: Settings
  ) -> Found {
    guard normal != .zero else { return .unclear }
    let own = Heights(of: one, around: center, along: normal, settings)
    let others = Heights(of: other, around: center, along: normal, settings)
    guard own.count >= fewest else { return .unclear }
    guard others.count >= fewest else { return .unmatched }
    let scatter = own.variance / Double(own.count) + others.variance / Double(others.count)
    return .change(
      Change(
        core: core, distance: others.mean - own.mean,
        detection: confidence * (scatter.squareRoot() + settings.registrationError)))
  }

  private enum Found: Sendable, Equatable {
    /// The first cloud has too few points there.
    case unclear
    case unmatched
    case change(Change)

    var change: Change? {
      if case .change(let change) = self { return change }
      return nil
    }
  }

  /// The heights of points in a cylinder.
  private struct Heights {
    private(set) var count = 0
    private var sum = 0.0
    private var squares = 0.0

    /// More and thinner slices than these take longer than the points that they spare.
    private static let mostSlices = 200.0

    var mean: Double { sum / Double(count) }
    var variance: Double {
      max(0, squares - sum * sum / Double(count)) / Double(max(count - 1, 1))
    }

    init(
      of tree: borrowing PointTree, around center: SIMD3<Double>, along normal: SIMD3<Double>,
      _ settings: Settings
    ) {
      let radius = settings.diameter / 2
      // Balls around slices of the cylinder, each as long as wide, hold fewer points besides than one around all of it.
      let slices = Int(min(max((settings.reach / radius).rounded(.up), 1), Self.mostSlices))
      let half = settings.reach / Double(slices)
      for slice in 0..<slices {
        let middle = -settings.reach + (2 * Double(slice) + 1) * half
        tree.forEachPoint(
          within: (radius * radius + half * half).squareRoot() * 1.000_001,
          of: center + normal * middle
        ) { _, position in
          let offset = position - center
          let height = offset.dot(normal)
          guard height >= middle - half, height < middle + half,
            (offset - normal * height).lengthSquared <= radius * radius
          else { return }
          count += 1
          sum += height
          squares += height * height
        }
      }
    }
  }
}
