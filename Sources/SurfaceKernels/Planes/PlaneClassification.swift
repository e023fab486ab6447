package import MeshpipeScene

/// Tells floors, ceilings, walls, tables and seats by the direction, the height and the size of planes.
package struct PlaneClassification {
  /// The thresholds that decide on a class, in metres.
  package struct Options: Sendable {
    /// The greatest distance of a vertex from its plane.
    let maximumDistance: Double
    /// The least area of a plane, in square metres.
    let leastArea: Double
    /// Heights above the floor.
    let seats: ClosedRange<Double>
    let tables: ClosedRange<Double>

    package init(
      maximumDistance: Double, leastArea: Double, seats: ClosedRange<Double>,
      tables: ClosedRange<Double>
    ) {
      self.maximumDistance = maximumDistance
      self.leastArea = leastArea
      self.seats = seats
      self.tables = tables
    }
  }

  /// The labels of the faces of each mesh, as in ``FaceClasses/arkitNames``.
  package private(set) var labels: [[UInt16]] = []
  /// The number of planes with a class.
  package private(set) var planeCount = 0
  /// Along the up axis, in metres; nil without a floor.
  package private(set) var floorHeight: Double?

  /// Planes within 15° of level or upright are so.
  private static let (level, upright) = (0.966, 0.259)
  /// Floors are within this of each other; what is higher is a step or furniture.
  private static let floorTolerance = 0.2
  /// A floor has this share of the area at the height where most is.
  private static let leastFloorShare = 0.2
  /// Ceilings are above this, and walls reach it, or this share of the height of a scan that ends below.
  private static let (headroom, leastReach) = (1.8, 0.75)
  /// Walls are this high, in metres: a skirting board is none.
  private static let leastWallHeight = 0.6
  /// Islands of less, in square metres, take the class around them.
  private static let smallIsland = 0.02

  /// A plane of one of the meshes, in metres.
  private struct Part {
    var mesh: Int
    var label: Int32
    /// The upward component of the normal.
    var rise: Double
    var area = 0.0
    /// Along the up axis.
    var heights = (lowest: Double.infinity, highest: -Double.infinity)
    var height: Double { (heights.lowest + heights.highest) / 2 }
  }

  private var parts: [Part] = []

  /// Classifies the faces of all meshes of a scene.
  ///
  /// - Parameter progress: Called with the share done; an error ends the search.
  /// - Complexity: O(faces)
  package init(
    _ scene: borrowing Scene, _ options: Options, progress: (Double) throws -> Void
  ) rethrows {
    let unit = scene.coordinateSystem.metersPerUnit
    let up = scene.coordinateSystem.up.vector
    var regions: [[Int32]] = []
    for (index, mesh) in scene.meshes.enumerated() {
      let share = 1 / Double(scene.meshes.count)
      let found = try PlaneRegions(
        mesh, tolerance: options.maximumDistance / unit,
        leastArea: options.leastArea / (unit * unit),
        progress: { try progress((Double(index) + $0) * share) })
      regions.append(found?.labels ?? [Int32](repeating: -1, count: mesh.faceCount))
      parts += Self.parts(of: found, in: mesh, index: index, up: up, unit: unit)
    }
    let classes = classes(options)
    for (index, mesh) in scene.meshes.enumerated() {
      var classOf: [Int32: UInt16] = [:]
      for (part, label) in zip(parts, classes) where part.mesh == index {
        classOf[part.label] = label
      }
      let own = regions[index].map { classOf[$0] ?? 0 }
      let area = Self.smallIsland / (unit * unit)
      labels.append(absorbingSmallIslands(of: mesh, labels: own, below: area).labels)
    }
    planeCount = classes.count { $0 > 0 }
  }

  private static func parts(
    of found: PlaneRegions?, in mesh: Mesh, index: Int, up: SIMD3<Double>, unit: Double
  ) -> [Part] {
    guard let found else { return [] }
    var parts = found.regions.enumerated().map { label, region in
      Part(mesh: index, label: Int32(label), rise: region.plane.normal.dot(up))
    }
    for face in found.labels.indices where found.labels[face] >= 0 {
      let label = Int(found.labels[face])
      let height = mesh.centroid(ofFace: face).dot(up) * unit
      parts[label].area += mesh.area(ofFace: face) * unit * unit
      parts[label].heights.lowest = min(parts[label].heights.lowest, height)
      parts[label].heights.highest = max(parts[label].heights.highest, height)
    }
    return parts
  }

  /// The label of each part.
  private mutating func classes(_ options: Options) -> [UInt16] {
    floorHeight = lowestFloor()
    // Without a floor, heights count from the lowest plane.
    let ground = floorHeight ?? parts.map(\.heights.lowest).min() ?? 0
    let top = (parts.map(\.heights.highest).max() ?? ground) - ground
    let reach = min(Self.headroom, Self.leastReach * top)
    return parts.map { part in
      let height = part.height - ground
      if part.rise > Self.level {
        if floorHeight != nil, height < Self.floorTolerance { return Self.floor }
        if options.seats.contains(height) { return Self.seat }
        return options.tables.contains(height) ? Self.table : 0
      }
      if part.rise < -Self.level { return height > Self.headroom ? Self.ceiling : 0 }
      let isWall =
        abs(part.rise) < Self.upright && part.heights.highest - ground > reach
        && part.heights.highest - part.heights.lowest > Self.leastWallHeight
      return isWall ? Self.wall : 0
    }
  }

  private static let (wall, floor, ceiling) = (UInt16(1), UInt16(2), UInt16(3))
  private static let (table, seat) = (UInt16(4), UInt16(5))

  /// The lowest height at which much of what looks up is.
  private func lowestFloor() -> Double? {
    let level = parts.filter { $0.rise > Self.level }.sorted { $0.height < $1.height }
    let areas = level.map { part in
      level.reduce(0) {
        abs($1.height - part.height) < Self.floorTolerance ? $0 + $1.area : $0
      }
    }
    guard let most = areas.max() else { return nil }
    guard let place = areas.firstIndex(where: { $0 >= Self.leastFloorShare * most }) else {
      return nil
    }
    // The mean of what is as low, by area.
    let floors = level.filter { abs($0.height - level[place].height) < Self.floorTolerance }
    let area = floors.reduce(0) { $0 + $1.area }
    return floors.reduce(0) { $0 + $1.height * $1.area } / area
  }
}
