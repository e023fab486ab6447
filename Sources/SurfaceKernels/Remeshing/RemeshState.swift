import MeshpipeScene

/// A surface while it is remeshed.
struct RemeshState: Sendable {
  /// The constraints on a vertex.
  struct Role: OptionSet, BitwiseCopyable, Sendable {
    let rawValue: UInt8
    /// The vertex stays on a line.
    static let line = Role(rawValue: 1)
    /// The vertex does not move.
    static let fixed = Role(rawValue: 2)
    /// The vertex of the mesh from which the vertex comes has several fans of faces.
    static let copied = Role(rawValue: 4)
    /// The vertex is on an open border.
    static let border = Role(rawValue: 8)
  }

  static let none = UInt32.max

  let reference: RemeshReference
  let lines: FeatureLines
  private(set) var sizing: RemeshSizing

  var faces: HalfedgeFaces
  /// The number of faces that collapses have removed since the last compaction.
  var removedFaceCount = 0
  /// The faces after the last compaction; 0 before the first one.
  var compactedFaceCount = 0
  /// The piece of a line that each halfedge is; ``none`` of most.
  var segmentNumbers: [UInt32]
  var segments: [FeatureLines.Segment] = []
  var positions: [Vector3]
  var roles: [Role]
  /// The face of the reference at each vertex that is not on a line; at a fixed one, a face of its fan.
  var anchors: [UInt32]
  /// A halfedge that starts at each vertex; ``none`` of removed ones.
  var halfedges: [UInt32]
  var valences: [UInt16]
  /// The vertex of the mesh that each vertex is; ``none`` of new ones.
  var originals: [UInt32]

  init(_ reference: RemeshReference, _ sizing: RemeshSizing) {
    let search = FeatureLineSearch(
      reference.faces, reference.positions, isLine: reference.isLine, isStuck: reference.isStuck,
      reach: Float(sizing.usual / 2))
    self.reference = reference
    self.sizing = sizing
    lines = search.lines
    faces = reference.faces
    positions = reference.positions
    originals = reference.originals
    let count = positions.count
    segmentNumbers = [UInt32](repeating: Self.none, count: faces.vertices.count)
    roles = [Role](repeating: [], count: count)
    anchors = [UInt32](repeating: 0, count: count)
    halfedges = [UInt32](repeating: Self.none, count: count)
    valences = [UInt16](repeating: 0, count: count)
    setVertices(isCorner: search.isCorner)
    addSegments()
  }

  private mutating func setVertices(isCorner: [Bool]) {
    for corner in faces.vertices.indices {
      let vertex = Int(faces.vertices[corner])
      halfedges[vertex] = UInt32(corner)
      anchors[vertex] = UInt32(corner / 3)
      valences[vertex] = valences[vertex] &+ 1
      guard faces.opposites[corner] == Self.none else { continue }
      // The border's halfedge that ends here has no other one.
      let end = Int(faces.end(of: UInt32(corner)))
      valences[end] = valences[end] &+ 1
      roles[vertex].insert(.border)
      roles[end].insert(.border)
    }
    for vertex in roles.indices {
      if isCorner[vertex] { roles[vertex].insert(.fixed) }
      if reference.isCopied[vertex] { roles[vertex].formUnion([.fixed, .copied]) }
    }
  }

  private mutating func addSegments() {
    for line in 0..<lines.count {
      for piece in lines.offsets[line]..<lines.offsets[line + 1] - 1 {
        add(
          FeatureLines.Segment(
            line: UInt32(line), from: lines.vertices[piece], to: lines.vertices[piece + 1],
            start: lines.distances[piece], end: lines.distances[piece + 1]),
          at: lines.halfedges[piece])
      }
    }
    // Each side of an edge that stays is of its own.
    for halfedge in reference.isStuck.indices where reference.isStuck[halfedge] {
      segmentNumbers[halfedge] = UInt32(segments.count)
      segments.append(
        FeatureLines.Segment(
          line: Self.none, from: faces.vertices[halfedge], to: faces.end(of: UInt32(halfedge)),
          start: 0, end: 0, halfedge: UInt32(halfedge)))
    }
  }

  private mutating func add(_ segment: FeatureLines.Segment, at halfedge: UInt32) {
    for end in [segment.from, segment.to] where !roles[Int(end)].contains(.fixed) {
      roles[Int(end)].insert(.line)
    }
    setSegment(UInt32(segments.count), at: halfedge)
    segments.append(segment)
  }

  /// Sets the segment of a halfedge and of its opposite one.
  mutating func setSegment(_ number: UInt32, at halfedge: UInt32) {
    segmentNumbers[Int(halfedge)] = number
    let other = faces.opposites[Int(halfedge)]
    if other != Self.none { segmentNumbers[Int(other)] = number }
  }

  // MARK: Geometry

  @inline(__always)
  func position(_ vertex: UInt32) -> SIMD3<Float> { positions[Int(vertex)].simd }

  @inline(__always)
  func squaredLength(_ a: UInt32, _ b: UInt32) -> Float {
    (position(a) - position(b)).lengthSquared
  }

  /// The length that an edge between two vertices should have.
  @inline(__always)
  func targetLength(_ a: UInt32, _ b: UInt32) -> Float {
    guard let lengths = sizing.lengths else { return Float(sizing.usual) * sizing.factor }
    return sizing.factor * min(length(at: a, lengths), length(at: b, lengths))
  }

  /// Adjusts the lengths to the number of faces that they have led to.
  mutating func adjustSizing() {
    sizing.adjust(toFaceCount: faces.faceCount - removedFaceCount)
  }

  @inline(__always)
  private func length(at vertex: UInt32, _ lengths: [Float]) -> Float {
    lengths[Int(reference.faces.vertices[3 * Int(anchors[Int(vertex)])])]
  }

  @inline(__always)
  func isRemoved(_ face: Int) -> Bool { faces.vertices[3 * face] == Self.none }

  /// Whether an edge joins two vertices.
  @inline(__always)
  func isEdge(_ a: UInt32, _ b: UInt32) -> Bool {
    var found = false
    faces.forEachNeighbor(from: halfedges[Int(a)]) { if $0 == b { found = true } }
    return found
  }

  /// A face of the reference at a corner.
  func referenceFace(ofCorner corner: UInt32) -> UInt32 {
    let vertex = faces.vertices[Int(corner)]
    guard !roles[Int(vertex)].isDisjoint(with: [.line, .fixed]),
      let edge = lineEdge(ofCorner: corner)
    else { return anchors[Int(vertex)] }
    return edge.halfedge / 3
  }

  /// The reference's halfedge at a corner on a line, on the corner's side of the line, and how far along
  /// it the corner is, from 0 to 1; nil at a vertex without a line.
  func lineEdge(ofCorner corner: UInt32) -> (halfedge: UInt32, share: Float)? {
    var halfedge = corner
    // Counter-clockwise to the first line, which ends here.
    repeat {
      let incoming = preceding(halfedge)
      let number = segmentNumbers[Int(incoming)]
      if number != Self.none { return lineEdge(segments[Int(number)], endingAt: incoming) }
      halfedge = faces.opposites[Int(incoming)]
    } while halfedge != corner && halfedge != Self.none
    return nil
  }

  private func lineEdge(
    _ segment: FeatureLines.Segment, endingAt incoming: UInt32
  ) -> (halfedge: UInt32, share: Float)? {
    guard segment.line != Self.none else { return (segment.halfedge, 1) }
    let runsAlong = faces.vertices[Int(incoming)] == segment.from
    // Just before the end of the halfedge, so that a corner of two lines is on this one.
    let (distance, inside) =
      runsAlong ? (segment.end, segment.start) : (segment.start, segment.end)
    var (piece, share) = lines.place(segment.line, distance)
    if inside < distance, share == 0, piece > lines.offsets[Int(segment.line)] {
      (piece, share) = (piece - 1, 1)
    }
    let own = lines.halfedges[piece]
    let ownRunsAlong = reference.faces.vertices[Int(own)] == lines.vertices[piece]
    if ownRunsAlong == runsAlong { return (own, runsAlong ? share : 1 - share) }
    let other = reference.faces.opposites[Int(own)]
    // The other side of a border has no face.
    guard other != Self.none else { return (own, ownRunsAlong ? share : 1 - share) }
    return (other, runsAlong ? share : 1 - share)
  }
}
