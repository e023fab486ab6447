import MeshpipeScene

/// The faces of a surface by their halfedges, whose vertices have one fan of faces each.
///
/// The halfedge of corner `c` runs from its vertex to that of the next corner of the face. Where the
/// surface is not manifold, halfedges have no opposite, and a vertex with several fans is several
/// vertices.
struct HalfedgeFaces: Sendable {
  /// No halfedge.
  static let none = UInt32.max

  /// The vertex of each corner; ``none`` at the corners of removed faces.
  var vertices: [UInt32] = []
  /// The halfedge on the other side of the edge; ``none`` where there is no single one.
  var opposites: [UInt32] = []

  var faceCount: Int { vertices.count / 3 }

  @inline(__always)
  func end(of halfedge: UInt32) -> UInt32 { vertices[Int(following(halfedge))] }

  /// The next halfedge of the fan around a halfedge's start, counter-clockwise; ``none`` at its end.
  @inline(__always)
  func left(of halfedge: UInt32) -> UInt32 { opposites[Int(preceding(halfedge))] }

  /// The next halfedge of the fan around a halfedge's start, clockwise; ``none`` at its end.
  @inline(__always)
  func right(of halfedge: UInt32) -> UInt32 {
    let other = opposites[Int(halfedge)]
    return other == Self.none ? other : following(other)
  }

  /// Visits the halfedges that start at a vertex, from one of them on.
  @inline(__always)
  func forEachHalfedge(from start: UInt32, _ body: (UInt32) -> Void) {
    _ = allHalfedges(from: start) { halfedge in
      body(halfedge)
      return true
    }
  }

  /// Whether all halfedges that start at a vertex meet a condition, from one of them on.
  ///
  /// One loop for both directions, since a condition that is called in two places is not inlined.
  @inline(__always)
  func allHalfedges(from start: UInt32, _ isMet: (UInt32) -> Bool) -> Bool {
    var halfedge = start
    var turnsLeft = true
    while true {
      guard isMet(halfedge) else { return false }
      if turnsLeft {
        halfedge = left(of: halfedge)
        if halfedge == start { return true }
        if halfedge != Self.none { continue }
        turnsLeft = false
        halfedge = start
      }
      halfedge = right(of: halfedge)
      if halfedge == Self.none { return true }
    }
  }

  /// Visits the neighbours of the vertex where a halfedge starts.
  @inline(__always)
  func forEachNeighbor(from start: UInt32, _ body: (UInt32) -> Void) {
    forEachHalfedge(from: start) { halfedge in
      body(end(of: halfedge))
      let before = preceding(halfedge)
      if opposites[Int(before)] == Self.none { body(vertices[Int(before)]) }
    }
  }

  /// Makes the halfedges around a vertex start at another one.
  @inline(__always)
  mutating func setStart(ofFan start: UInt32, to vertex: UInt32) {
    // The walk reads opposites only.
    var halfedge = start
    repeat {
      vertices[Int(halfedge)] = vertex
      halfedge = left(of: halfedge)
      if halfedge == start { return }
    } while halfedge != Self.none
    halfedge = right(of: start)
    while halfedge != Self.none {
      vertices[Int(halfedge)] = vertex
      halfedge = right(of: halfedge)
    }
  }

  /// Makes two halfedges opposite, or one a border.
  @inline(__always)
  mutating func join(_ one: UInt32, _ other: UInt32) {
    if one != Self.none { opposites[Int(one)] = other }
    if other != Self.none { opposites[Int(other)] = one }
  }
}

/// The next halfedge of the same face.
@inline(__always)
func following(_ halfedge: UInt32) -> UInt32 { halfedge % 3 == 2 ? halfedge - 2 : halfedge + 1 }

/// The previous halfedge of the same face.
@inline(__always)
func preceding(_ halfedge: UInt32) -> UInt32 { halfedge % 3 == 0 ? halfedge + 2 : halfedge - 1 }

extension HalfedgeFaces {
  /// The halfedges of faces that may meet in any way.
  ///
  /// - Parameter indices: Three different vertices per face.
  /// - Returns: The faces, the vertex of the mesh that each vertex is, and the halfedges that
  ///   stay: those of faces at edges that are not manifold, and their opposite ones.
  static func split(
    _ indices: [UInt32], vertexCount: Int
  ) -> (faces: HalfedgeFaces, originals: [UInt32], isStuck: [Bool]) {
    var faces = HalfedgeFaces(
      vertices: indices, opposites: [UInt32](repeating: none, count: indices.count))
    var isStuck = [Bool](repeating: false, count: indices.count)
    var isFrozen = isStuck
    let edges = Edges(indices: indices, vertexCount: vertexCount)
    for edge in edges where edge.valence > 1 {
      let (a, b) = (
        edges.halfedges[edge.places.lowerBound], edges.halfedges[edge.places.lowerBound + 1]
      )
      if edge.valence == 2, indices[Int(a)] != indices[Int(b)] {
        faces.join(a, b)
      } else {
        for index in edge.places { isStuck[Int(edges.halfedges[index])] = true }
      }
    }
    // The whole face stays: its other edges, too.
    for halfedge in isStuck.indices where isStuck[halfedge] {
      let first = halfedge / 3 * 3
      for halfedge in first..<first + 3 { isFrozen[halfedge] = true }
    }
    for halfedge in isFrozen.indices where isFrozen[halfedge] && faces.opposites[halfedge] != none {
      isFrozen[Int(faces.opposites[halfedge])] = true
    }
    let originals = faces.splitVertices(count: vertexCount)
    return (faces, originals, isFrozen)
  }

  /// Gives each fan of faces a vertex of its own, the first one that of the mesh.
  private mutating func splitVertices(count: Int) -> [UInt32] {
    var originals = (0..<UInt32(count)).map(\.self)
    var isUsed = [Bool](repeating: false, count: count)
    var isDone = [Bool](repeating: false, count: vertices.count)
    for corner in vertices.indices where !isDone[corner] {
      let vertex = vertices[corner]
      var own = vertex
      if isUsed[Int(vertex)] {
        own = UInt32(originals.count)
        originals.append(vertex)
      }
      isUsed[Int(vertex)] = true
      forEachHalfedge(from: UInt32(corner)) { isDone[Int($0)] = true }
      setStart(ofFan: UInt32(corner), to: own)
    }
    return originals
  }
}
