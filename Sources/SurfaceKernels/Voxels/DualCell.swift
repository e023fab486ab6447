/// The surface in a cell of a grid by the signs of its eight corners: the loops of crossing edges
/// that each become one vertex (dual marching cubes; Nielson 2004).
///
/// Corner `x + 2y + 4z` is negative where the bit of a configuration is set. Edge `4a + p + 2q` runs
/// along axis a, at p of axis a + 1 and q of axis a + 2. Face `2a + s` is at s of axis a.
///
/// On a face whose corners alternate, the surface separates the positive corners. Where both cells
/// at such a face have the surface pass it twice in one loop, two edges of the mesh would coincide:
/// there the face is flipped, and separates the negative corners (Wenger 2013, section 3.3). Flipping splits
/// the loop in two.
package enum DualCell {
  /// The number of a case: a configuration with a flipped face, or 6 for none.
  @inline(__always)
  package static func number(_ configuration: UInt8, flipping face: Int = 6) -> UInt16 {
    UInt16(configuration) * 7 + UInt16(face)
  }

  /// The loop of each edge, 255 for edges without a crossing, and last the number of loops.
  package static let loops: [SIMD16<UInt8>] = (0..<256 * 7).map {
    loops(UInt8($0 / 7), flipping: $0 % 7)
  }

  /// The faces that one loop passes twice, as bits.
  package static let repeatedFaces: [UInt8] = (0..<256).map { repeatedFaces(UInt8($0)) }

  static func corner(on axis: Int, at along: Int, _ p: Int, _ q: Int) -> Int {
    along << axis | p << ((axis + 1) % 3) | q << ((axis + 2) % 3)
  }

  /// The two corners of an edge, the lower first.
  package static let corners: [(Int, Int)] = (0..<12).map { edge in
    let (axis, p, q) = (edge / 4, edge & 1, edge >> 1 & 1)
    return (corner(on: axis, at: 0, p, q), corner(on: axis, at: 1, p, q))
  }

  // MARK: Tracing

  /// A piece of the surface on a face, directed so that the loops of a cell are.
  private struct Segment {
    var start: Int
    var end: Int
  }

  private static func segments(
    _ configuration: UInt8, face: Int, isFlipped: Bool
  ) -> [Segment] {
    let (axis, side) = (face / 2, face % 2)
    var corners = [(0, 0), (1, 0), (1, 1), (0, 1)].map { corner(on: axis, at: side, $0.0, $0.1) }
    let (b, c) = ((axis + 1) % 3, (axis + 2) % 3)
    // Each between a corner and the next.
    var edges = [
      edge(along: b, [axis: side, c: 0]), edge(along: c, [axis: side, b: 1]),
      edge(along: b, [axis: side, c: 1]), edge(along: c, [axis: side, b: 0]),
    ]
    if side == 0 {
      // Counter-clockwise seen from outside the cell.
      corners = [corners[0], corners[3], corners[2], corners[1]]
      edges = [edges[3], edges[2], edges[1], edges[0]]
    }
    let isNegative = corners.map { configuration >> $0 & 1 == 1 }
    let crossings = (0..<4).filter { isNegative[$0] != isNegative[($0 + 1) % 4] }
    let entering = crossings.filter { isNegative[$0] }
    if crossings.count == 2 {
      let leaving = crossings.filter { !isNegative[$0] }
      return [Segment(start: edges[entering[0]], end: edges[leaving[0]])]
    }
    // Around a positive corner, or if flipped around a negative one.
    return entering.map {
      Segment(start: edges[$0], end: edges[($0 + (isFlipped ? 3 : 1)) % 4])
    }
  }

  private static func edge(along axis: Int, _ at: [Int: Int]) -> Int {
    4 * axis + at[(axis + 1) % 3, default: 0] + 2 * at[(axis + 2) % 3, default: 0]
  }

  private static func loops(_ configuration: UInt8, flipping flipped: Int) -> SIMD16<UInt8> {
    var next = [Int: Int]()
    for face in 0..<6 {
      for segment in segments(configuration, face: face, isFlipped: face == flipped) {
        next[segment.start] = segment.end
      }
    }
    var result = SIMD16<UInt8>(repeating: 255)
    var count: UInt8 = 0
    for first in 0..<12 where next[first] != nil && result[first] == 255 {
      var edge = first
      while result[edge] == 255, let following = next[edge] {
        result[edge] = count
        edge = following
      }
      count += 1
    }
    result[15] = count
    return result
  }

  private static func repeatedFaces(_ configuration: UInt8) -> UInt8 {
    let loops = loops(configuration, flipping: 6)
    var faces: UInt8 = 0
    for face in 0..<6 {
      let segments = segments(configuration, face: face, isFlipped: false)
      if segments.count == 2, loops[segments[0].start] == loops[segments[1].start] {
        faces |= 1 << face
      }
    }
    return faces
  }
}
