/// Finds faces with the same vertices as an earlier face, in any order.
///
/// - Parameter considered: One entry per face; the others are neither originals nor duplicates.
/// - Returns: One entry per face: whether it is a duplicate.
/// - Complexity: O(faces)
package func repeatedFaces(indices: [UInt32], considered: [Bool]) -> [Bool] {
  let faceCount = indices.count / 3
  let mask = tableSize(for: faceCount) - 1
  var table = [UInt32](repeating: .max, count: mask + 1)
  var repeated = [Bool](repeating: false, count: faceCount)
  func sortedVertices(_ face: Int) -> SIMD3<UInt32> {
    let (a, b, c) = (indices[3 * face], indices[3 * face + 1], indices[3 * face + 2])
    let low = min(a, b, c)
    let high = max(a, b, c)
    return SIMD3(low, a ^ b ^ c ^ low ^ high, high)
  }
  for face in 0..<faceCount where considered[face] {
    let key = sortedVertices(face)
    var slot = mixed(UInt64(key.x), UInt64(key.y), UInt64(key.z)) & mask
    while table[slot] != .max, sortedVertices(Int(table[slot])) != key { slot = (slot + 1) & mask }
    if table[slot] == .max { table[slot] = UInt32(face) } else { repeated[face] = true }
  }
  return repeated
}
