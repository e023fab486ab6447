import MeshpipeScene
import POSIX

/// Makes planes equal, parallel, perpendicular and level that nearly are.
struct PlaneAlignment {
  /// The planes after it, one for each region.
  private(set) var planes: [Plane]
  /// The planes that stayed, since vertices would move farther than the tolerance.
  private(set) var leftCount = 0
  private let tolerance: Double

  /// Regions whose normals differ by less are on one plane, if their distance allows it (2°).
  private static let sameCosine = 0.9994
  /// Normals are turned by at most this angle (5°).
  private static let greatestAngle = 0.0873

  /// Puts regions on one plane that are nearly on one.
  ///
  /// - Parameter tolerance: The greatest distance of a region's middle from the common plane.
  init(_ regions: [PlaneRegions.Region], tolerance: Double) {
    planes = regions.map(\.plane)
    self.tolerance = tolerance
    var isDone = [Bool](repeating: false, count: regions.count)
    // The largest region of each plane decides which others are on it.
    for largest in regions.indices.sorted(by: { regions[$0].area > regions[$1].area })
    where !isDone[largest] {
      let plane = regions[largest].plane
      let same = regions.indices.filter { index in
        !isDone[index] && plane.normal.dot(regions[index].plane.normal) >= Self.sameCosine
          && abs(plane.distance(to: regions[index].center)) <= tolerance
      }
      let area = same.reduce(0) { $0 + regions[$1].area }
      let normal = same.reduce(SIMD3<Double>.zero) {
        $0 + regions[$1].plane.normal * regions[$1].area * regions[$1].area
      }.normalized
      let center = same.reduce(.zero) { $0 + regions[$1].center * regions[$1].area } / area
      for index in same {
        isDone[index] = true
        planes[index] =
          same.count == 1 ? plane : Plane(normal: normal, through: center)
      }
    }
  }

  /// Turns planes about their regions' middles: level to the horizon, upright, and parallel or perpendicular to the
  /// direction in which most of the walls stand.
  ///
  /// - Parameter up: The unit vector upwards.
  mutating func align(_ regions: [PlaneRegions.Region], up: SIMD3<Double>) {
    let axis: SIMD3<Double> = abs(up.x) < 0.7 ? SIMD3(1, 0, 0) : SIMD3(0, 0, 1)
    let east = (axis - up * axis.dot(up)).normalized
    let north = up.cross(east)
    // Four times the azimuth is the same for all walls at right angles.
    var sum = SIMD2<Double>.zero
    for region in regions where abs(region.plane.normal.dot(up)) < Self.greatestSine {
      let flat = SIMD2(region.plane.normal.dot(east), region.plane.normal.dot(north))
      let double = SIMD2(flat.x * flat.x - flat.y * flat.y, 2 * flat.x * flat.y)
      sum +=
        SIMD2(double.x * double.x - double.y * double.y, 2 * double.x * double.y) * region.area
    }
    var directions = [up, -up]
    if sum != .zero {
      let azimuth = atan2(sum.y, sum.x) / 4
      for quarter in 0..<4 {
        let angle = azimuth + Double(quarter) * .pi / 2
        directions.append(east * cos(angle) + north * sin(angle))
      }
    }
    var isDone = [Bool](repeating: false, count: planes.count)
    for first in planes.indices where !isDone[first] {
      let plane = planes[first]
      let same = planes.indices.filter {
        planes[$0].normal == plane.normal && planes[$0].offset == plane.offset
      }
      for index in same { isDone[index] = true }
      turn(same.map { (place: $0, region: regions[$0]) }, directions, up)
    }
  }

  /// Turns the plane of some regions to the nearest direction.
  private mutating func turn(
    _ regions: [(place: Int, region: PlaneRegions.Region)], _ directions: [SIMD3<Double>],
    _ up: SIMD3<Double>
  ) {
    let normal = planes[regions[0].place].normal
    var target = directions.max { $0.dot(normal) < $1.dot(normal) } ?? normal
    if target.dot(normal) < cos(Self.greatestAngle) {
      // Walls at other angles are only made upright.
      guard abs(normal.dot(up)) < Self.greatestSine else { return }
      target = (normal - up * normal.dot(up)).normalized
    }
    let area = regions.reduce(0) { $0 + $1.region.area }
    let center = regions.reduce(.zero) { $0 + $1.region.center * $1.region.area } / area
    let plane = Plane(normal: target, through: center)
    let angle = normal.cross(target).length
    let isNear = regions.allSatisfy { entry in
      let reach = Self.reachOfExtent * entry.region.extent * angle
      return abs(plane.distance(to: entry.region.center)) + reach <= tolerance
    }
    guard isNear else {
      leftCount += 1
      return
    }
    for entry in regions { planes[entry.place] = plane }
  }

  /// Half the side of a rectangle over the root mean square of its points' distances from the middle along that side.
  private static let reachOfExtent = 3.0.squareRoot()

  private static var greatestSine: Double { sin(greatestAngle) }
}
