package import MeshpipeScene
package import NativeLibraries

/// A heavy surface, from which maps of a light one are made.
package struct MapSource: Sendable {
  let sampler: SceneSampler
  let materials: MapMaterials
  let tracer: RayTracer
  /// The diagonal of its box.
  let extent: Float
  /// Faces turned away, one behind the other, that a ray passes.
  private static let mostPassed = 16

  /// - Parameter materials: Their indices are those of the looks of the sampler's surface.
  package init(
    _ sampler: SceneSampler, _ materials: MapMaterials = MapMaterials()
  ) throws(NativeLibraryError) {
    self.sampler = sampler
    self.materials = materials
    tracer = try RayTracer(
      positions: sampler.surface.positions, indices: sampler.surface.indices)
    extent = sampler.surface.usedBox.extent
  }

  /// A point on a face.
  struct Hit: Sendable, Equatable {
    /// `UInt32.max` for none.
    var face: UInt32
    /// The weights of the second and the third corner.
    var barycentric: SIMD2<Float>

    static let none = Hit(face: .max, barycentric: .zero)
    var isNone: Bool { face == .max }
  }

  /// Which of several points along the normal stands for a point.
  package enum Choice: Sendable {
    case nearest
    /// The outermost point, also on parts that stand on a surface without being joined to it.
    case outermost
  }

  /// The hit that stands for a point of a light surface.
  ///
  /// It is the nearest or the outermost one along the normal, outwards or inwards, whose face looks to the side of
  /// the normal: what looks away is the other side of a thin wall, or of another thing. Where there
  /// is none, it is the nearest point, if that looks to the same side.
  /// - Parameters:
  ///   - normal: A unit vector.
  ///   - reach: The largest distance.
  func hit(
    at point: SIMD3<Float>, normal: SIMD3<Float>, within reach: Float, _ choice: Choice
  ) -> Hit {
    // Both rays begin on the other side of the point, so that one of them finds a face through it.
    let margin = 1e-6 * extent + 1e-4 * reach
    if choice == .outermost,
      let found = first(
        from: point + normal * reach, along: -normal, facing: normal, far: 2 * reach)
    {
      return Hit(face: found.face, barycentric: found.barycentric)
    }
    let outside = first(
      from: point - normal * margin, along: normal, facing: normal, far: reach + margin)
    let distance = outside.map { max(0, $0.distance - margin) } ?? reach
    let inside = first(
      from: point + normal * margin, along: -normal, facing: normal, far: distance + margin)
    if let found = inside ?? outside {
      return Hit(face: found.face, barycentric: found.barycentric)
    }
    guard let nearest = tracer.nearest(to: point, within: reach),
      self.normal(ofFace: Int(nearest.face)).dot(normal) > 0
    else { return .none }
    return Hit(face: nearest.face, barycentric: nearest.barycentric)
  }

  private func first(
    from origin: SIMD3<Float>, along direction: SIMD3<Float>, facing normal: SIMD3<Float>,
    far: Float
  ) -> RayTracer.Hit? {
    var near: Float = 0
    for _ in 0..<Self.mostPassed {
      guard let hit = tracer.firstHit(from: origin, along: direction, near: near, far: far) else {
        return nil
      }
      if self.normal(ofFace: Int(hit.face)).dot(normal) > 0 { return hit }
      near = max(hit.distance.nextUp, hit.distance + 1e-7 * extent)
    }
    return nil
  }

  /// The normal of a face, not of unit length.
  private func normal(ofFace face: Int) -> SIMD3<Float> {
    let first = sampler.surface.corner(face, 0)
    return (sampler.surface.corner(face, 1) - first).cross(sampler.surface.corner(face, 2) - first)
  }

  /// The surface at a hit.
  ///
  /// - Parameter area: Of the surface for which the colour is the mean.
  func sight(of hit: Hit, area: Float) -> SceneSampler.Sight {
    sampler.sight(
      face: Int(hit.face), barycentric: hit.barycentric,
      along: -normal(ofFace: Int(hit.face)).normalized, depth: 1, area: area)
  }
}
