/// Corners that share a vertex and agree in what else counts, brought together under one number.
///
/// Numbers rise in the order in which the corners are first met, so the result is the same each time
/// and near in memory what is near in the mesh.
struct SplitCorners {
  /// A corner of the mesh that each number stands for.
  private(set) var corners: [UInt32] = []
  /// The vertex of each number.
  private(set) var vertices: [UInt32] = []

  /// The number before this one at the same vertex.
  private var previous: [UInt32] = []
  /// The number given last at each vertex.
  private var last: [UInt32]
  /// Numbers below are closed: corners met from now on don't join them.
  private var start: UInt32 = 0

  init(vertexCount: Int) {
    last = [UInt32](repeating: .max, count: vertexCount)
  }

  /// Makes later corners get numbers of their own, whatever went before.
  mutating func close() { start = UInt32(corners.count) }

  /// The number of a corner.
  ///
  /// - Parameter agree: Whether two corners of the same vertex may have the same number.
  @inline(__always)
  mutating func number(
    corner: UInt32, vertex: UInt32, agree: (UInt32, UInt32) -> Bool
  ) -> UInt32 {
    var candidate = last[Int(vertex)]
    while candidate != .max, candidate >= start {
      if agree(corners[Int(candidate)], corner) { return candidate }
      candidate = previous[Int(candidate)]
    }
    let number = UInt32(corners.count)
    corners.append(corner)
    vertices.append(vertex)
    previous.append(last[Int(vertex)])
    last[Int(vertex)] = number
    return number
  }
}
