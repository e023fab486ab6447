import MeshpipeScene

/// A triangulated surface that closes a hole.
///
/// Its vertices are those of the hole's loop, counter-clockwise as seen from outside, then new ones. Halfedge
/// `3 * face + i` runs from that corner's vertex to the next of the face.
struct HolePatch: Sendable {
  /// The number of vertices that lie on the loop.
  let loopCount: Int
  var positions: [SIMD3<Double>]
  /// The three earlier vertices whose mean each new vertex was when it was made.
  private(set) var parents: [SIMD3<Int32>] = []
  /// The vertex of each corner, three per face.
  private(set) var indices: [Int32]
  /// The other halfedge at the edge of each; -1 on the loop.
  private(set) var opposites: [Int32]
  /// The lower and the higher vertex of all edges.
  private var edges: Set<SIMD2<Int32>> = []
  /// Whether two vertices of the loop have an edge elsewhere.
  private var isForbidden: @Sendable (Int, Int) -> Bool

  init(
    loop: [SIMD3<Double>], triangles: [SIMD3<Int>],
    isForbidden: @escaping @Sendable (Int, Int) -> Bool
  ) {
    loopCount = loop.count
    positions = loop
    self.isForbidden = isForbidden
    indices = triangles.flatMap { [Int32($0.x), Int32($0.y), Int32($0.z)] }
    opposites = [Int32](repeating: -1, count: indices.count)
    var halfedges: [SIMD2<Int32>: Int32] = [:]
    for halfedge in indices.indices {
      let (start, end) = ends(of: halfedge)
      edges.insert(Self.key(start, end))
      if let opposite = halfedges[SIMD2(end, start)] {
        opposites[halfedge] = opposite
        opposites[Int(opposite)] = Int32(halfedge)
      }
      halfedges[SIMD2(start, end)] = Int32(halfedge)
    }
  }

  /// Frees what only changing its faces needs, and what tells which edges are forbidden.
  ///
  /// Faces must not be divided, nor edges turned, after it.
  mutating func finish() {
    (opposites, edges, isForbidden) = ([], [], { _, _ in true })
  }

  var faceCount: Int { indices.count / 3 }

  /// The vertices at which a halfedge starts and ends.
  func ends(of halfedge: Int) -> (start: Int32, end: Int32) {
    (indices[halfedge], indices[nextCorner(halfedge)])
  }

  /// The vertex of a halfedge's face that is not on its edge.
  func apex(of halfedge: Int) -> Int32 { indices[previousCorner(halfedge)] }

  func position(_ vertex: Int32) -> SIMD3<Double> { positions[Int(vertex)] }

  /// The normal of a triangle of three vertices, of twice its area.
  func areaVector(_ a: Int32, _ b: Int32, _ c: Int32) -> SIMD3<Double> {
    (position(b) - position(a)).cross(position(c) - position(a))
  }

  func areaVector(ofFace face: Int) -> SIMD3<Double> {
    areaVector(indices[3 * face], indices[3 * face + 1], indices[3 * face + 2])
  }

  func centroid(ofFace face: Int) -> SIMD3<Double> {
    (0..<3).reduce(.zero) { $0 + position(indices[3 * face + $1]) } / 3
  }

  /// Divides a face in three at its centroid.
  mutating func split(_ face: Int) {
    let (a, b, c) = (indices[3 * face], indices[3 * face + 1], indices[3 * face + 2])
    let outer = (0..<3).map { opposites[3 * face + $0] }
    let middle = Int32(positions.count)
    positions.append(centroid(ofFace: face))
    parents.append(SIMD3(a, b, c))
    let second = indices.count
    let third = second + 3
    indices[3 * face + 2] = middle
    indices += [b, c, middle, c, a, middle]
    opposites += [Int32](repeating: -1, count: 6)
    for (first, (halfedge, next)) in zip(
      [3 * face, second, third], [(outer[0], second), (outer[1], third), (outer[2], 3 * face)])
    {
      join(first, halfedge)
      join(first + 1, Int32(next + 2))
    }
    for vertex in [a, b, c] { edges.insert(Self.key(vertex, middle)) }
  }

  /// Turns an inner edge into the other diagonal of its two faces.
  ///
  /// - Returns: Whether it was possible.
  mutating func flip(_ halfedge: Int) -> Bool {
    let other = Int(opposites[halfedge])
    guard other >= 0 else { return false }
    let (a, b) = ends(of: halfedge)
    let (c, d) = (apex(of: halfedge), apex(of: other))
    guard c != d, !edges.contains(Self.key(c, d)) else { return false }
    if c < loopCount, d < loopCount, isForbidden(Int(c), Int(d)) { return false }
    let outer = [
      opposites[nextCorner(other)], opposites[previousCorner(other)],
      opposites[nextCorner(halfedge)], opposites[previousCorner(halfedge)],
    ]
    let (first, second) = (halfedge / 3 * 3, other / 3 * 3)
    for (place, vertex) in [c, d, b].enumerated() { indices[first + place] = vertex }
    for (place, vertex) in [d, c, a].enumerated() { indices[second + place] = vertex }
    join(first, Int32(second))
    join(first + 1, outer[1])
    join(first + 2, outer[2])
    join(second + 1, outer[3])
    join(second + 2, outer[0])
    edges.remove(Self.key(a, b))
    edges.insert(Self.key(c, d))
    return true
  }

  private mutating func join(_ halfedge: Int, _ opposite: Int32) {
    opposites[halfedge] = opposite
    if opposite >= 0 { opposites[Int(opposite)] = Int32(halfedge) }
  }

  private static func key(_ a: Int32, _ b: Int32) -> SIMD2<Int32> { SIMD2(min(a, b), max(a, b)) }
}
