import MeshPipeline
import NativeLibraries
import SurfaceKernels

extension DetectRooms {
  /// More photographs of one walk do not make it surer.
  private static let mostPhotographs = 200

  /// Where north is in the plan of a building; nil if neither the user, nor the map of the scan, nor its photographs know.
  ///
  /// - Parameter given: The bearing of what is at the top of the plan.
  static func north(
    of building: Building, in scene: borrowing Scene, given: Angle?, _ context: StageContext
  ) throws -> Building.North? {
    if let given { return Building.North(angle: given.radians, source: .user) }
    guard let inverse = building.placement.inverse else { return nil }
    if let system = scene.survey?.referenceSystem, !system.isLeft {
      // Without a turn, y of the file is north of its map.
      let north = CoordinateSystem.blender.transform(to: scene.coordinateSystem)
        .apply(toVector: SIMD3(0, 1, 0))
      let flat = inverse.apply(toVector: north)
      return Building.North(
        angle: SIMD2(flat.x, flat.y).angle - .pi / 2, source: .grid(system.words))
    }
    return try compassNorth(of: scene.capture?.frames ?? [], inverse, context)
  }

  /// - Parameter inverse: From the scene to the plan.
  private static func compassNorth(
    of frames: [Capture.Frame], _ inverse: Transform, _ context: StageContext
  ) throws -> Building.North? {
    let step = max(1, (frames.count + mostPhotographs - 1) / mostPhotographs)
    var views: [(view: CompassNorth.View, isMagnetic: Bool)] = []
    for index in stride(from: 0, to: frames.count, by: step) {
      try context.checkCancellation()
      guard case .file(let path) = frames[index].image,
        let file = try? MappedFile(path: path, allowsPipes: false),
        let picture = PictureLocation(file), let bearing = picture.bearing
      else { continue }
      // The camera looks along −z.
      let direction = inverse.apply(toVector: -frames[index].pose.z)
      let view = CompassNorth.View(direction: direction, bearing: bearing)
      views.append((view, picture.isMagnetic))
    }
    // True north is told by phones that know where they are.
    let isMagnetic = views.allSatisfy(\.isMagnetic)
    let usable = views.filter { $0.isMagnetic == isMagnetic }.map(\.view)
    guard let found = CompassNorth(usable) else {
      if usable.count > 2 {
        context.note("compass", JSONValue(.string("the photographs' directions disagree")))
      }
      return nil
    }
    return Building.North(
      angle: found.angle, uncertainty: found.uncertainty,
      source: .photographs(count: found.count, isMagnetic: isMagnetic))
  }
}
