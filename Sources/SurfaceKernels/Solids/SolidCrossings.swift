import MeshpipeScene

/// Where the edges of a grid cross the surface of a solid.
struct SolidCrossings: Sendable {
  /// A place on an edge of the grid.
  struct Crossing: BitwiseCopyable, Sendable {
    /// From the voxel of lower coordinates, as a share of the edge.
    var share: Float
    /// Out of the solid; zero where it is not known.
    var normal: Vector3
  }

  private let crossings: [Crossing]
  /// For each voxel the number of crossings before those of the edges that start at it.
  private let firsts: [UInt32]
  /// The axes along which an edge that starts at a voxel crosses, as bits.
  private let axes: [UInt8]

  init(_ field: SolidField, _ input: SolidInput, _ skins: [SolidSkin]) {
    let axes: [UInt8] = Parallel.array(count: field.values.count, chunkSize: 1 << 14) { voxel in
      field.crossedAxes(of: voxel)
    }
    var firsts: [UInt32] = []
    firsts.reserveCapacity(axes.count)
    var count: UInt32 = 0
    for bits in axes {
      firsts.append(count)
      count += UInt32(bits.nonzeroBitCount)
    }
    let finder = CrossingFinder(field: field, input: input, skins: skins)
    let parts = Parallel.mapChunks(of: axes.count, chunkSize: 64 * SparseBlocks.volume) { range in
      var found: [Crossing] = []
      for voxel in range where axes[voxel] != 0 {
        for axis in 0..<3 where axes[voxel] >> axis & 1 == 1 {
          found.append(finder.crossing(from: voxel, along: axis))
        }
      }
      return found
    }
    crossings = Parallel.joined(parts)
    self.firsts = firsts
    self.axes = axes
  }

  /// The crossing of the edge from a voxel along an axis, which must have one.
  @inline(__always)
  func crossing(from voxel: Int, along axis: Int) -> Crossing {
    let before = (axes[voxel] & (1 << axis - 1)).nonzeroBitCount
    return crossings[Int(firsts[voxel]) + before]
  }
}

extension SolidField {
  /// The voxel after another one along an axis.
  @inline(__always)
  func next(_ voxel: Int, along axis: Int) -> Int? {
    var place = SparseBlocks.place(of: voxel)
    place[axis] += 1
    return neighbors.voxel(voxel / SparseBlocks.volume, place.x, place.y, place.z)
  }

  fileprivate func crossedAxes(of voxel: Int) -> UInt8 {
    let value = values[voxel]
    guard !value.isNaN else { return 0 }
    var axes: UInt8 = 0
    for axis in 0..<3 {
      guard let other = next(voxel, along: axis), !values[other].isNaN else { continue }
      if (values[other] < 0) != (value < 0) { axes |= 1 << axis }
    }
    return axes
  }
}

/// Finds where an edge of a grid crosses the surface.
private struct CrossingFinder: Sendable {
  let field: SolidField
  let input: SolidInput
  let skins: [SolidSkin]

  /// Crossings keep off the ends of their edge, so that vertices of different cells differ.
  private static let margin: Float = 0.01
  /// Ends of skins are as near as this to a point that is proved to be inside, as a share of an edge.
  private static let tolerance: Float = 1 / 64
  private static let mostSteps = 8

  func crossing(from voxel: Int, along axis: Int) -> SolidCrossings.Crossing {
    let other = field.next(voxel, along: axis) ?? voxel
    let (low, high) = (field.values[voxel], field.values[other])
    let isRising = low < 0
    var step = SIMD3<Float>.zero
    step[axis] = isRising ? -field.voxel : field.voxel
    let outside = field.position(ofVoxel: isRising ? other : voxel)
    let (outer, inner) = isRising ? (high, low) : (low, high)
    var (share, normal) = found(from: outside, step, outer, inner)
    share = min(max(share, Self.margin), 1 - Self.margin)
    if !(normal.lengthSquared < 2) { normal = .zero }
    return SolidCrossings.Crossing(share: isRising ? 1 - share : share, normal: Vector3(normal))
  }

  /// The share of a step from outside where the surface is, and its normal there.
  private func found(
    from outside: SIMD3<Float>, _ step: SIMD3<Float>, _ outer: Float, _ inner: Float
  ) -> (Float, SIMD3<Float>) {
    // Only what is at a face's own side of a skin lies on the face.
    if inner != SolidField.offset {
      let start = outside - 1e-3 * step
      if let hit = input.tracer.firstHit(from: start, along: step, far: 1.002) {
        let normal = input.areaVector(ofFace: Int(hit.face)).normalized
        return (hit.distance - 1e-3, normal.dot(step) > 0 ? -normal : normal)
      }
    }
    if abs(inner) < SolidField.decided, abs(outer) < SolidField.decided {
      return (outer / (outer - inner), .zero)
    }
    return end(from: outside, step)
  }

  /// The share of a step from outside where the skins end, and the normal there.
  ///
  /// From a point inside, its distance to the end of the skin tells where that is, the better the nearer it is. Where
  /// that leads outside, another part of the skin ends before, which halving finds.
  private func end(
    from outside: SIMD3<Float>, _ step: SIMD3<Float>
  ) -> (Float, SIMD3<Float>) {
    let slack = SolidSkin.slack * field.voxel
    var (near, far): (Float, Float) = (0, 1)
    var inner = inner(outside + step, slack, beside: nil)
    for _ in 0..<Self.mostSteps where far - near > Self.tolerance {
      var next = (near + far) / 2
      if let inner, let place = Self.place(of: inner, at: far, step) {
        if far - place.share <= Self.tolerance { break }
        // A little further in, so that what follows is nearly always inside.
        let guess = place.share + Self.tolerance / 2
        if guess > near { next = guess }
      }
      if let found = self.inner(outside + next * step, slack, beside: inner) {
        far = next
        inner = found
      } else {
        near = next
      }
    }
    guard let inner, let place = Self.place(of: inner, at: far, step) else {
      return ((near + far) / 2, .zero)
    }
    return (min(max(place.share, near), far), place.normal)
  }

  /// How a point inside lies to the skin that it is in.
  private struct Inner {
    var skin: Int
    var foot: SolidSkin.Foot
    var exit: (normal: SIMD3<Float>, distance: Float)
  }

  /// - Parameter known: For a point nearby.
  private func inner(_ point: SIMD3<Float>, _ slack: Float, beside known: Inner?) -> Inner? {
    for number in skins.indices {
      let likely = known?.skin == number ? known?.foot.face : nil
      if let foot = skins[number].footInside(of: point, slack: slack, likely: likely) {
        return Inner(skin: number, foot: foot, exit: skins[number].exit(from: foot, slack: slack))
      }
    }
    return nil
  }

  /// Where a step ends the skin, seen from a share of it that is inside; nil if it runs along the end.
  private static func place(
    of inner: Inner, at far: Float, _ step: SIMD3<Float>
  ) -> (share: Float, normal: SIMD3<Float>)? {
    let slope = -inner.exit.normal.dot(step)
    guard slope > 0 else { return nil }
    return (far - inner.exit.distance / slope, inner.exit.normal)
  }
}
