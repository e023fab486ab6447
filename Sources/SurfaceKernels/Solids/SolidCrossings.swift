import MeshpipeScene

/// Where the edges of a grid cross the surface of a solid.
struct SolidCrossings: Sendable {
  /// A point on an edge of the grid.
  struct Crossing: BitwiseCopyable, Sendable {
    /// The distance from the voxel of lower coordinates, as a fraction of the edge.
    var share: Float
    /// The normal out of the solid; zero where it is not known.
    var normal: Vector3
  }

  private let crossings: [Crossing]
  /// For each row of eight voxels the number of crossings before those of the edges that start there.
  private let firsts: [UInt32]
  /// For each row the edges that cross, three bits a voxel, one an axis.
  private let rows: [UInt32]

  init(
    _ field: SolidField, input: SolidInput, skins: [SolidSkin], struts: [SolidStrut] = []
  ) {
    let rows: [UInt32] = Parallel.array(
      count: field.values.count / SparseBlocks.width, chunkSize: 1 << 11
    ) { row in
      (0..<SparseBlocks.width).reduce(0) { bits, index in
        bits | field.crossedAxes(of: SparseBlocks.width * row + index) << (3 * UInt32(index))
      }
    }
    var firsts: [UInt32] = []
    firsts.reserveCapacity(rows.count)
    var count: UInt32 = 0
    for bits in rows {
      firsts.append(count)
      count += UInt32(bits.nonzeroBitCount)
    }
    let finder = CrossingFinder(field: field, input: input, skins: skins, struts: struts)
    let starts = stride(from: 0, to: rows.count, by: SparseBlocks.rows).map { Int(firsts[$0]) }
    crossings = Parallel.array(starts: starts + [Int(count)], chunkSize: 64) { blocks, output in
      for row in blocks.lowerBound * SparseBlocks.rows..<blocks.upperBound * SparseBlocks.rows
      where rows[row] != 0 {
        for bit in 0..<3 * SparseBlocks.width where rows[row] >> UInt32(bit) & 1 == 1 {
          output.append(finder.crossing(from: SparseBlocks.width * row + bit / 3, along: bit % 3))
        }
      }
    }
    self.firsts = firsts
    self.rows = rows
  }

  /// The crossing of the edge from a voxel along an axis, which must have one.
  @inline(__always)
  func crossing(from voxel: Int, along axis: Int) -> Crossing {
    let (row, place) = voxel.quotientAndRemainder(dividingBy: SparseBlocks.width)
    let before = (rows[row] & (1 << UInt32(3 * place + axis) - 1)).nonzeroBitCount
    return crossings[Int(firsts[row]) + before]
  }
}

extension SolidField {
  /// The voxel after another one along an axis.
  @inline(__always)
  func next(_ voxel: Int, along axis: Int) -> Int? {
    var place = SparseBlocks.place(of: voxel)
    place[axis] += 1
    return neighbors.voxel(in: voxel / SparseBlocks.volume, at: place)
  }

  /// The axes along which an edge that starts at a voxel crosses, as bits.
  fileprivate func crossedAxes(of voxel: Int) -> UInt32 {
    let value = values[voxel]
    guard !value.isNaN else { return 0 }
    var axes: UInt32 = 0
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
  let struts: [SolidStrut]

  /// Crossings keep off the ends of their edge, so that vertices of different cells differ.
  private static let margin: Float = 0.01
  /// Ends of skins are as near as this to a point that is proved to be inside, as a share of an edge.
  private static let tolerance: Float = 1 / 64
  private static let mostSteps = 8
  private static let halvings = 10

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
    if inner == SolidField.strut { return endOfStrut(from: outside, step) }
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

  /// The share of a step from outside where a bar ends, by halving, and its normal there.
  private func endOfStrut(
    from outside: SIMD3<Float>, _ step: SIMD3<Float>
  ) -> (Float, SIMD3<Float>) {
    var (near, far): (Float, Float) = (0, 1)
    for _ in 0..<Self.halvings {
      let middle = (near + far) / 2
      if struts.contains(where: { $0.contains(outside + middle * step) }) {
        far = middle
      } else {
        near = middle
      }
    }
    let place = outside + far * step
    let strut = struts.first { $0.contains(place) }
    return ((near + far) / 2, strut?.normal(at: place) ?? .zero)
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

  /// The relation of a point inside to the skin that it is in.
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
