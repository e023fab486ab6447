/// Merges equal positions into vertices, in the order of first use.
package enum PositionWelder {
  /// Welds points with bitwise equal positions (0 and -0 are equal, and a NaN equals itself).
  ///
  /// - Parameter tags: An additional key per point; ignored if empty.
  /// - Returns: For each vertex its first point, and for each point its vertex.
  /// - Complexity: O(points), with an open hash table of at most twelve bytes per point.
  package static func weld(
    _ points: [Vector3], tags: [UInt32] = []
  ) -> (firstPoints: [UInt32], vertices: [UInt32]) {
    var firstPoints: [UInt32] = []
    firstPoints.reserveCapacity(points.count / 5)
    var vertices: [UInt32] = []
    vertices.reserveCapacity(points.count)
    var bits = 4
    while 1 << bits < points.count + points.count / 2 { bits += 1 }
    var slots = [UInt32](repeating: .max, count: 1 << bits)
    let mask = slots.count - 1
    func key(_ point: Int) -> Key { Key(points[point], tag: tags.isEmpty ? 0 : tags[point]) }
    for point in points.indices {
      let wanted = key(point)
      var slot = wanted.hash >> (63 - bits)
      while slots[slot] != .max, key(Int(firstPoints[Int(slots[slot])])) != wanted {
        slot = (slot + 1) & mask
      }
      if slots[slot] == .max {
        slots[slot] = UInt32(firstPoints.count)
        firstPoints.append(UInt32(point))
      }
      vertices.append(slots[slot])
    }
    return (firstPoints, vertices)
  }

  private struct Key: Equatable {
    var x: UInt32
    var y: UInt32
    var z: UInt32
    var tag: UInt32

    init(_ position: Vector3, tag: UInt32) {
      self.tag = tag
      // Adding zero turns -0 into 0.
      x = (position.x + 0).bitPattern
      y = (position.y + 0).bitPattern
      z = (position.z + 0).bitPattern
    }

    /// A hash over all 64 bits, best in the upper ones.
    var hash: Int {
      var mixed = UInt64(x) | UInt64(y) << 32
      mixed =
        (mixed ^ (UInt64(z) | UInt64(tag) << 32) &* 0x9E37_79B9_7F4A_7C15) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 29)) &* 0x94D0_49BB_1331_11EB
      return Int(truncatingIfNeeded: mixed >> 1)
    }
  }
}
