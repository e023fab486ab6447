/// The pass over all edges in which the faces around each vertex changed last.
///
/// An edge that nothing could be done with in the last pass is passed over until something around it is different.
struct PassOfChange: Sendable {
  /// The current pass, from 1.
  var pass: UInt8 = 1
  private var passes: [UInt8]

  init(vertexCount: Int) { passes = [UInt8](repeating: 0, count: vertexCount) }

  /// Notes a change of the faces around a vertex.
  @inline(__always)
  mutating func note(_ vertex: UInt32) { passes[Int(vertex)] = pass }

  /// Whether the faces around an end of an edge, or around a third vertex of its faces, changed in this pass or in the
  /// last one; in the first pass they did.
  ///
  /// - Parameter other: The opposite halfedge; ``HalfedgeFaces/none`` at a border.
  @inline(__always)
  func areRecent(around halfedge: UInt32, _ other: UInt32, _ faces: HalfedgeFaces) -> Bool {
    guard pass > 1 else { return true }
    func isRecent(_ vertex: UInt32) -> Bool { passes[Int(vertex)] + 1 >= pass }
    return isRecent(faces.vertices[Int(halfedge)]) || isRecent(faces.end(of: halfedge))
      || isRecent(faces.vertices[Int(preceding(halfedge))])
      || other != HalfedgeFaces.none && isRecent(faces.vertices[Int(preceding(other))])
  }
}
