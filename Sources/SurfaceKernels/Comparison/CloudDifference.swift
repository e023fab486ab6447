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
  ///   - cores: Where it is measured.
  ///   - up: Normals are turned to this side where the cloud has none of its own.
  ///   - normals: Of the first cloud, to whose side the normals are turned.
  package init(
    from first: [Vector3], to second: [Vector3], at cores: [Vector3], normals: [Vector3]? = nil,
    up: SIMD3<Double>, _ settings: Settings
  ) {
    let one = PointTree(first)
    let other = PointTree(second)
    let found = Parallel.mapChunks(of: cores.count, chunkSize: 1 << 8) { range in
      range.map { index in
        Self.found(
          at: cores[index].double, core: index, one, other, normals: normals, up: up, settings)
      }
    }.flatMap(\.self)
    changes = found.compactMap(\.change)
    unmatched = found.count { $0 == .unmatched }
  }

  private static func found(
    at center: SIMD3<Double>, core: Int, _ one: borrowing PointTree,
    _ other: borrowing PointTree, normals: [Vector3]?, up: SIMD3<Double>, _ settings: Settings
  ) -> Found {
    var (sums, side) = (PointSpread.Sums(), SIMD3<Double>.zero)
    one.forEachPoint(within: settings.normalScale / 2, of: center) { point, position in
      sums.add(position - center)
      if let normals { side += normals[Int(point)].double }
    }
    guard sums.count >= 3, let spread = PointSpread(sums), var normal = spread.leastDirection
    else { return .unclear }
    if normal.dot(normals == nil ? up : side) < 0 { normal = -normal }
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
