/// Assigns one number to corners that share a vertex and other attributes.
///
/// Numbers increase in the order in which the corners are first seen, so the result is
/// deterministic and preserves locality.
struct SplitCorners {
  /// The representative corner of each number.
  private(set) var corners: [UInt32] = []
  /// The vertex of each number.
  private(set) var vertices: [UInt32] = []

  /// The previous number at the same vertex.
  private var previous: [UInt32] = []
  /// The last number at each vertex.
  private var last: [UInt32]
  /// Lower numbers are closed: later corners don't join them.
  private var start: UInt32 = 0

  init(vertexCount: Int) {
    last = [UInt32](repeating: .max, count: vertexCount)
  }

  /// Starts a new group: later corners get new numbers.
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
