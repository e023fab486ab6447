import MeshpipeScene

extension SolidMaking {
  /// The treatment of bodies that nothing carries.
  package enum Floating: Sendable {
    /// Bodies near to others are joined, and others are left out.
    case auto
    /// All of these bodies are left out.
    case drop
    /// All of these bodies are joined.
    case join
    /// All of these bodies stay as they are.
    case keep
  }

  /// Bodies that nothing carries, and what became of them.
  package struct FloatingParts: Sendable {
    /// The number of bodies that were joined by bars.
    package var joined = 0
    /// The number of bodies that were left out.
    package var dropped = 0
    /// The volume of what was left out, as a share of all.
    package var droppedShare = 0.0
    /// The extent of the largest body that was left out.
    package var droppedExtent = 0.0
    /// The number of these bodies that the result still has.
    package var remaining = 0

    func scaled(by factor: Double) -> Self {
      var result = self
      result.droppedExtent *= factor
      return result
    }
  }

  /// A gap is wide if it is more than this share of a body's extent: what is farther away hardly belongs to it.
  private static let wideGap = 0.5
  /// The radius of bars in voxels, with which they are solid on any grid.
  private static let leastRadius = 1.25
  /// The depth to which bars reach into bodies, in voxels, of which these have two.
  private static let depth = 0.75

  /// The bars that join what floats.
  func struts(
    between bodies: SolidBodies, of solid: Mesh, on base: Base
  ) throws -> [SolidStrut] {
    guard base.floating == .auto || base.floating == .join, bodies.count > 1 else { return [] }
    // What merely rests is joined as well: a contact of a point does not outlast the next step.
    let stand = SolidStand(
      bodies, of: solid, up: base.up, reach: reach(of: base), restsCount: false)
    guard stand.floatingCount > 0 else { return [] }
    let joining = try SolidJoining(bodies, of: solid, stand, up: base.up)
    return joining.struts(
      stand, radius: max(scale.thickness / 2, Self.leastRadius * scale.voxel),
      depth: Self.depth * scale.voxel
    ) { gap, extent in base.floating == .join || gap <= Self.wideGap * extent }
  }

  /// Leaves out what floats, lets the rest down on the base, and makes that plane.
  ///
  /// - Returns: The height that was cut off.
  func place(
    _ solid: inout Mesh, _ bodies: inout SolidBodies, on base: Base,
    _ floating: inout FloatingParts
  ) -> Double {
    let reach = reach(of: base)
    if bodies.count > 1 {
      let stand = SolidStand(bodies, of: solid, up: base.up, reach: reach)
      if base.floating != .keep, stand.floatingCount > 0 {
        let volumes = bodies.bodies.map { bodies.volume(ofBody: $0) }
        let lost = stand.floating.map { bodies.volume(ofBody: $0) }
        floating.dropped = lost.count
        floating.droppedShare = lost.reduce(0, +) / max(volumes.reduce(0, +), .leastNormalMagnitude)
        floating.droppedExtent =
          stand.floating.map { Double(bodies.surfaces[$0].box.extent) }.max() ?? 0
        solid.keepFaces(bodies.faces { stand.isCarried[$0] })
        bodies = SolidBodies(of: solid)
      }
    }
    let cut = solid.flattenBase(up: base.up, most: reach)
    if bodies.count > 1 {
      SolidBodies(of: solid).letDown(&solid, by: reach, up: base.up)
      let end = SolidStand(SolidBodies(of: solid), of: solid, up: base.up)
      floating.remaining = end.floatingCount
    }
    return cut
  }

  /// The maximum height that is cut off below, and by which bodies are let down: skins are not cut through.
  private func reach(of base: Base) -> Double { min(local(base.most), scale.thickness / 2) }
}

extension SolidBodies {
  /// Gives each body that ends a little above the lowest point a base of its own at that height, unless it would meet others.
  fileprivate func letDown(_ mesh: inout Mesh, by most: Double, up: SIMD3<Double>) {
    let bottoms = surfaces.map { $0.box.heights(up: up).low }
    guard most > 0, let lowest = bodies.map({ bottoms[$0] }).min() else { return }
    let faces = faces()
    let largest = bodies.max { surfaces[$0].volume < surfaces[$1].volume }
    for body in bodies where body != largest && bottoms[body] <= lowest + most {
      let own = surfaces.indices.filter { surfaces[$0].body == body }.flatMap { faces[$0] }
      var (moved, vertices) = mesh.pieceAndVertices(own)
      _ = moved.flattenBase(up: up, most: most)
      let step = SIMD3<Float>((lowest - moved.bounds.heights(up: up).low) * up)
      for vertex in moved.positions.indices {
        moved.positions[vertex] = Vector3(moved.positions[vertex].simd + step)
      }
      var others = Mesh(positions: mesh.positions)
      let box = moved.bounds
      let near = surfaces.indices.filter {
        surfaces[$0].body != body && surfaces[$0].box.distance(to: box) == 0
      }
      others.indices = near.flatMap { faces[$0] }.flatMap { mesh.indices[3 * $0..<3 * $0 + 3] }
      if !others.indices.isEmpty, !SelfIntersections(of: moved, on: others).faces.isEmpty {
        continue
      }
      for (vertex, place) in zip(vertices, moved.positions) {
        mesh.positions[Int(vertex)] = place
      }
    }
  }
}
