package import MeshpipeScene

/// Points sorted along a Morton curve: neighbours in the order are close in space.
///
/// Kernels that follow neighbours run several times faster on points in this order, since
/// neighbours share cache lines. The sort is stable within a cell.
package struct SpatialOrder {
  /// The indices of the points in the order of the curve.
  package let indices: [UInt32]
  /// The code of each point in this order; where a bit first differs, another half of a cell begins.
  let codes: [UInt32]
  /// Whether two points may coincide: false only if there are no such points.
  let mayCoincide: Bool

  package init(of positions: [Vector3]) {
    let box = Box(positions)
    let cells: Float = 1023
    let extent = box.extent
    let scale = extent > 0 && extent.isFinite ? cells / extent : 0
    var keys = ScratchBuffer<UInt64>(count: positions.count) { index in
      let code = mortonCode(of: (positions[index].simd - box.minimum) * scale, below: cells + 1)
      return UInt64(code) << 32 | UInt64(index)
    }
    var sorted = ScratchBuffer<UInt64>(repeating: 0, count: positions.count)
    for shift in [UInt64(32), 42, 52] {
      radixPass(keys, into: sorted) { Int($0 >> shift & 1023) }
      swap(&keys, &sorted)
    }
    let inOrder = keys
    indices = Parallel.array(count: positions.count) { UInt32(truncatingIfNeeded: inOrder[$0]) }
    codes = Parallel.array(count: positions.count) {
      UInt32(truncatingIfNeeded: inOrder[$0] >> 32)
    }
    mayCoincide = Self.haveEqual(inOrder, positions)
  }

  /// Whether two of the points in one cell are equal, or a cell has too many to compare them all.
  private static func haveEqual(
    _ keys: borrowing ScratchBuffer<UInt64>, _ positions: [Vector3]
  ) -> Bool {
    let most = 64
    return Parallel.mapChunks(of: keys.count) { range in
      for index in range {
        let (cell, position) = (keys[index] >> 32, positions[Int(keys[index] & 0xFFFF_FFFF)])
        var other = index + 1
        while other < keys.count, keys[other] >> 32 == cell {
          if other - index > most || positions[Int(keys[other] & 0xFFFF_FFFF)] == position {
            return true
          }
          other += 1
        }
      }
      return false
    }.contains(true)
  }
}

/// The position of a cell on a Morton curve; NaN coordinates count as zero.
///
/// - Parameter limit: All coordinates are below it; at most 1024.
@inline(__always)
func mortonCode(of cell: SIMD3<Float>, below limit: Float) -> UInt32 {
  var code: UInt32 = 0
  for axis in 0..<3 where cell[axis].isFinite {
    code |= spread(UInt32(min(max(cell[axis], 0), limit - 1))) << UInt32(axis)
  }
  return code
}

/// Inserts two zero bits between the ten lower bits of a number.
private func spread(_ number: UInt32) -> UInt32 {
  var bits = number & 0x3FF
  bits = (bits | bits << 16) & 0x0300_00FF
  bits = (bits | bits << 8) & 0x0300_F00F
  bits = (bits | bits << 4) & 0x030C_30C3
  bits = (bits | bits << 2) & 0x0924_9249
  return bits
}
