import MeshPipeline
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
    let photographs = try LocatedPhotograph.all(of: frames, atMost: mostPhotographs) { _ in
      try context.checkCancellation()
    }
    let (usable, isMagnetic) = photographs.compassViews(in: inverse)
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
