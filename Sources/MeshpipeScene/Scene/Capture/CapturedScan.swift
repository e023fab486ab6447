/// The contents of a capture folder.
package struct CapturedScan: Sendable {
  /// The frames, with poses in ``coordinateSystem``.
  package var capture: Capture
  /// The axes and unit of the poses; nil if they are those of the scan's mesh.
  package var coordinateSystem: CoordinateSystem?
  /// The pose convention of the files.
  package var convention: PoseConvention
  /// The names of frames whose pose was stored column by column, as its numbers show, and was
  /// transposed.
  package var framesByColumns: Set<String> = []
  /// Width and height of the videos that were opened, by path.
  package var videoSizes: [String: SIMD2<Int>] = [:]
  /// World transforms that may have been applied to the mesh but not to the poses; fitting to the
  /// mesh decides.
  package var worlds: [World] = []
  /// Where the poses were found to be, if files of the capture declare how they were moved.
  package var settledWorld: SettledWorld?
  /// The map from the files' world to the current world of the poses.
  package private(set) var placement = Transform.identity

  /// The world that was chosen among those which files declare, and why.
  package struct SettledWorld: Sendable, Equatable {
    /// As in ``World/name``.
    package var name: String
    /// What was measured; nil where nothing shows the world, so that the declared one is assumed.
    package var reason: String?

    package init(name: String, reason: String?) {
      self.name = name
      self.reason = reason
    }
  }

  /// An alternative world of the mesh.
  package struct World: Sendable, Equatable {
    /// For the report, after "the world": `before applied_transform`.
    package var name: String
    /// The map from the world of the poses.
    package var transform: Transform
    /// The axes and unit of the poses in this world; nil if they are those of the mesh.
    package var coordinateSystem: CoordinateSystem?
    /// How files of the capture declare the world; nil for a guess.
    package var declared: Declaration?
    /// The length of a metre of the depth maps in this world, in its unit.
    package var lengthOfMeter: Double

    /// The kinds of worlds that files declare.
    package enum Declaration: Sendable, Equatable {
      /// The one in which the capture was recorded.
      case original
      /// One into which a program moved it.
      case derived
    }

    package init(
      name: String, transform: Transform, coordinateSystem: CoordinateSystem? = nil,
      declared: Declaration? = nil, lengthOfMeter: Double = 1
    ) {
      self.name = name
      self.transform = transform
      self.coordinateSystem = coordinateSystem
      self.declared = declared
      self.lengthOfMeter = lengthOfMeter
    }
  }

  package init(
    capture: Capture, coordinateSystem: CoordinateSystem? = .arkit,
    convention: PoseConvention = PoseConvention()
  ) {
    self.capture = capture
    self.coordinateSystem = coordinateSystem
    self.convention = convention
  }

  /// Converts the cameras to the axes and unit of the mesh.
  ///
  /// Poses without axes and unit are assumed to use the coordinates of the mesh's file. They may
  /// also have its axes in metres, ARKit's axes, or Z up as in nerfstudio and Blender; fitting to
  /// the mesh decides.
  package mutating func place(in mesh: CoordinateSystem, as reading: PoseReading) {
    coordinateSystem =
      reading.coordinateSystem(otherwise: coordinateSystem ?? mesh) ?? coordinateSystem
    if let coordinateSystem {
      if coordinateSystem != mesh { move(by: coordinateSystem.transform(to: mesh)) }
      return
    }
    let known = worlds
    var others = [mesh]
    for system in [mesh.reread(up: nil, metersPerUnit: 1), .arkit, .blender]
    where !others.contains(system) {
      others.append(system)
      let (name, transform) = ("\(system.up.rawValue) up, metres", system.transform(to: mesh))
      worlds.append(World(name: name, transform: transform, coordinateSystem: system))
      worlds += known.map { world in
        World(
          name: "\(world.name), \(name)", transform: transform * world.transform,
          coordinateSystem: system, declared: world.declared, lengthOfMeter: world.lengthOfMeter)
      }
    }
  }

  /// Transforms the cameras to another world.
  package mutating func move(by transform: Transform) {
    var scene = Scene(capture: capture)
    scene.apply(transform)
    if let moved = scene.capture { capture = moved }
    placement = transform * placement
    guard let back = transform.inverse else { return }
    for index in worlds.indices {
      worlds[index].transform = transform * worlds[index].transform * back
    }
  }

  /// Reinterprets the files' poses in another convention than the layout's.
  ///
  /// The storage order of ``framesByColumns`` is certain, and is kept.
  package mutating func reread(as other: PoseConvention) {
    for index in capture.frames.indices {
      let frame = capture.frames[index]
      capture.frames[index].pose = reread(frame.pose, of: frame.name, as: other)
    }
    for index in capture.depthFrames.indices {
      let frame = capture.depthFrames[index]
      capture.depthFrames[index].pose = reread(frame.pose, of: frame.name, as: other)
    }
    convention = other
  }

  private func reread(_ pose: Transform, of name: String, as other: PoseConvention) -> Transform {
    var (old, new) = (convention, other)
    if framesByColumns.contains(name) { (old.isByColumns, new.isByColumns) = (true, true) }
    return new.cameraToWorld(old.numbers(for: pose))
  }
}
