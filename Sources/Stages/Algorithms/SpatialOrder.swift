import MeshPipeline

/// The points in the order of a Morton curve: near in the order is near in space.
///
/// Kernels that hop from neighbour to neighbour run several times faster on points in this order,
/// since neighbours share cache lines. Equal cells keep the order of the input.
///
/// - Returns: The index of the first point on the curve, of the second one, and so on.
func spatialOrder(of positions: [Vector3]) -> [UInt32] {
  let box = Box(positions)
  let cells: Float = 1023
  let extent = box.extent
  let scale = extent > 0 && extent.isFinite ? cells / extent : 0
  var keys = FixedArray<UInt64>(repeating: 0, count: positions.count)
  for index in positions.indices {
    let code = mortonCode(of: (positions[index].simd - box.minimum) * scale, below: cells + 1)
    keys[index] = UInt64(code) << 32 | UInt64(index)
  }
  var sorted = FixedArray<UInt64>(repeating: 0, count: positions.count)
  for shift in [UInt64(32), 42, 52] {
    sort(keys, into: &sorted, byTenBitsFrom: shift)
    swap(&keys, &sorted)
  }
  var order = [UInt32](repeating: 0, count: positions.count)
  for index in order.indices { order[index] = UInt32(truncatingIfNeeded: keys[index]) }
  return order
}

/// The place of a cell on a Morton curve; coordinates that are no numbers count as zero.
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

/// One pass of a radix sort, stable.
private func sort(
  _ keys: borrowing FixedArray<UInt64>, into sorted: inout FixedArray<UInt64>,
  byTenBitsFrom shift: UInt64
) {
  var starts = FixedArray<UInt32>(repeating: 0, count: 1025)
  for index in 0..<keys.count { starts[Int(keys[index] >> shift & 1023) + 1] += 1 }
  for digit in 0..<1024 { starts[digit + 1] += starts[digit] }
  for index in 0..<keys.count {
    let digit = Int(keys[index] >> shift & 1023)
    sorted[starts[digit]] = keys[index]
    starts[digit] += 1
  }
}

/// Puts two zero bits between the ten lower bits of a number.
private func spread(_ number: UInt32) -> UInt32 {
  var bits = number & 0x3FF
  bits = (bits | bits << 16) & 0x0300_00FF
  bits = (bits | bits << 8) & 0x0300_F00F
  bits = (bits | bits << 4) & 0x030C_30C3
  bits = (bits | bits << 2) & 0x0924_9249
  return bits
}
