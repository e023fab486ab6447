import MeshPipeline

/// The floor from which heights of sections count, in the units of the scene along its up axis.
struct SectionLevel {
  private(set) var height = 0.0
  /// What says so, for the report.
  private(set) var source = "lowest point"
  /// What there is above the floor; nil of an empty scene.
  private(set) var range: ClosedRange<Double>?

  init(of scene: borrowing Scene) {
    let up = scene.coordinateSystem.up.vector
    var (low, high) = (Double.infinity, -Double.infinity)
    for mesh in scene.meshes where mesh.faceCount > 0 {
      for position in mesh.positions {
        let point = position.double.dot(up)
        guard point.isFinite else { continue }
        (low, high) = (min(low, point), max(high, point))
      }
    }
    guard low <= high else { return }
    if let building = Self.lowestStorey(of: scene, up) {
      (height, source) = (building, "building")
    } else if let floor = Self.floor(of: scene, up) {
      (height, source) = (floor, "class floor")
    } else {
      height = low
    }
    range = low - height...high - height
  }

  private static func lowestStorey(
    of scene: borrowing Scene, _ up: SIMD3<Double>
  ) -> Double? {
    scene.buildings.flatMap { building in
      building.storeys.map {
        building.placement.apply(toPoint: SIMD3(0, 0, $0.elevation)).dot(up)
      }
    }.min()
  }

  /// The share of all floors that makes a level, and how thick this may be in metres.
  private static let leastShare = 0.15
  private static let thickness = 0.15

  /// The middle of the lowest level with a good part of the faces of class floor, so that neither steps nor what is
  /// mirrored in the floor counts.
  private static func floor(of scene: borrowing Scene, _ up: SIMD3<Double>) -> Double? {
    var places: [(height: Double, area: Double)] = []
    for mesh in scene.meshes {
      guard let classes = mesh.classes, let label = classes.names.firstIndex(of: "floor") else {
        continue
      }
      for face in 0..<mesh.faceCount where Int(classes.labels[face]) == label {
        let (a, b, c) = mesh.vertices(ofFace: face)
        let corners = [a, b, c].map { mesh.positions[Int($0)].double }
        let area = (corners[1] - corners[0]).cross(corners[2] - corners[0]).length / 2
        let height = (corners[0] + corners[1] + corners[2]).dot(up) / 3
        if area > 0, area.isFinite, height.isFinite { places.append((height, area)) }
      }
    }
    places.sort { $0.height < $1.height }
    let total = places.reduce(0) { $0 + $1.area }
    let width = thickness / scene.coordinateSystem.metersPerUnit
    var (end, area) = (0, 0.0)
    for start in places.indices {
      while end < places.count, places[end].height <= places[start].height + width {
        area += places[end].area
        end += 1
      }
      if area >= leastShare * total { return median(of: places[start..<end], area) }
      area -= places[start].area
    }
    return nil
  }

  private static func median(
    of places: ArraySlice<(height: Double, area: Double)>, _ total: Double
  ) -> Double? {
    var sum = 0.0
    for place in places {
      sum += place.area
      if sum >= total / 2 { return place.height }
    }
    return places.last?.height
  }
}

/// The axes of a plane as its drawing shows them.
struct SectionAxes {
  private(set) var axes: Transform

  /// A plane seen against its normal, with what is up in the scene towards the top.
  init(towards normal: SIMD3<Double>, through point: SIMD3<Double>, in scene: borrowing Scene) {
    let system = scene.coordinateSystem
    let z = normal.normalized
    let up = system.up.vector
    let isLevel = abs(z.dot(up)) > 1 - 1e-9
    // From above, the scene's first horizontal axis goes to the right.
    let first = up.x == 0 ? SIMD3(1.0, 0, 0) : SIMD3(0.0, 1, 0)
    // In a left-handed scene a viewer sees the mirror image of what the products say.
    let hand = system.handedness == .right ? 1.0 : -1
    let top = isLevel ? up.cross(first) * (z.dot(up) > 0 ? hand : -hand) : up
    let y = (top - z * top.dot(z)).normalized
    axes = Transform(x: y.cross(z) * hand, y: y, z: z, translation: point)
  }

  /// A horizontal plane with the origin of the scene's own axes.
  static func horizontal(at height: Double, in scene: borrowing Scene) -> SectionAxes {
    let up = scene.coordinateSystem.up.vector
    return SectionAxes(towards: up, through: up * height, in: scene)
  }
}
