import MeshpipeScene

extension Mesh {
  /// The distance at which a vertex counts as on the plane, as a share of the largest coordinate: single precision can't
  /// represent a cut between.
  private static let planeTolerance = 1e-7

  /// Cuts faces along a plane, so that none of the selected ones crosses it.
  ///
  /// An edge is cut once for all its faces, so that the mesh stays connected; unselected faces at a
  /// cut edge are split too. New vertices and corners get interpolated attributes, new faces those
  /// of the original face.
  ///
  /// - Parameters:
  ///   - isChosen: One entry per face; updated to the new faces.
  /// - Complexity: O(faces + vertices)
  package mutating func cut(along plane: Plane, isChosen: inout [Bool]) {
    let side = positions.map { plane.distance(to: $0.double) }
    let extent = Double(bounds.extent)
    let tolerance =
      max(extent, Double(bounds.center.max()), -Double(bounds.center.min())) * Self.planeTolerance
    func crosses(_ a: UInt32, _ b: UInt32) -> Bool {
      let (a, b) = (side[Int(a)], side[Int(b)])
      guard a.isFinite, b.isFinite else { return false }
      return a < -tolerance && b > tolerance || a > tolerance && b < -tolerance
    }

    var middles = CutEdges()
    var newVertices = NewVertices()
    for face in 0..<faceCount where isChosen[face] {
      for corner in 3 * face..<3 * face + 3 {
        let (a, b) = (indices[corner], indices[nextCorner(corner)])
        guard crosses(a, b), middles[a, b] == nil else { continue }
        middles[a, b] = appendVertex(
          between: a, b, sides: side[Int(a)], side[Int(b)], on: plane, &newVertices)
      }
    }
    guard !middles.isEmpty else { return }
    apply(newVertices, to: .vertex)

    var division = Division()

    for face in 0..<faceCount {
      let (a, b, c) = vertices(ofFace: face)
      guard crosses(a, b) || crosses(b, c) || crosses(c, a) else { continue }
      let corners = (0..<3).map { 3 * face + $0 }
      let middle = corners.map { middles[indices[$0], indices[nextCorner($0)]] }
      switch middle.count(where: { $0 != nil }) {
      case 0: continue
      case 1:
        let first = middle.firstIndex { $0 != nil } ?? 0
        divide(face, edge: first, at: middle[first] ?? 0, side: side, &division)
        isChosen.append(isChosen[face])
      default:
        // A plane crosses at most two edges; the corner between them is cut off.
        let uncut = middle.firstIndex { $0 == nil } ?? 0
        let (second, third) = ((uncut + 1) % 3, (uncut + 2) % 3)
        divide(
          face, from: uncut, second: middle[second] ?? 0, third: middle[third] ?? 0, side: side,
          &division)
        isChosen.append(isChosen[face])
        isChosen.append(isChosen[face])
      }
    }
    apply(division, to: .corner)
    apply(RepeatedElements(division.originals), to: .face)
  }

  /// Adds the vertex where an edge meets a plane; its ends are on different sides.
  private mutating func appendVertex(
    between a: UInt32, _ b: UInt32, sides sideA: Double, _ sideB: Double, on plane: Plane,
    _ newVertices: inout NewVertices
  ) -> UInt32 {
    // Both directions of an edge must give the same position.
    let (a, b, sideA, sideB) = a < b ? (a, b, sideA, sideB) : (b, a, sideB, sideA)
    let share = sideA / (sideA - sideB)
    let (low, high) = (Int(a), Int(b))
    let start = positions[low].double
    var position = SIMD3<Float>(start + (positions[high].double - start) * share)
    if let (axis, place) = plane.axisAndPlace { position[axis] = place }
    positions.append(Vector3(position))
    newVertices.places.append((low, high, share))
    return UInt32(positions.count - 1)
  }

  /// Splits a face in two at a point of the edge that starts at its given corner.
  private mutating func divide(
    _ face: Int, edge: Int, at middle: UInt32, side: [Double], _ division: inout Division
  ) {
    let corners = (0..<3).map { Corner(indices, 3 * face + (edge + $0) % 3) }
    let (a, b, c) = (corners[0], corners[1], corners[2])
    let onEdge = Corner(middle, between: a, b, side)
    setFace(face, to: [a, onEdge, c], &division)
    appendFace([onEdge, b, c], like: face, &division)
  }

  /// Splits a face in three: the edge from corner `uncut` stays whole, the other two are cut.
  private mutating func divide(
    _ face: Int, from uncut: Int, second: UInt32, third: UInt32, side: [Double],
    _ division: inout Division
  ) {
    let corners = (0..<3).map { Corner(indices, 3 * face + (uncut + $0) % 3) }
    let (a, b, c) = (corners[0], corners[1], corners[2])
    let onSecond = Corner(second, between: b, c, side)
    let onThird = Corner(third, between: c, a, side)
    setFace(face, to: [onThird, onSecond, c], &division)
    appendFace([a, b, onSecond], like: face, &division)
    appendFace([a, onSecond, onThird], like: face, &division)
  }

  private mutating func setFace(
    _ face: Int, to corners: [Corner], _ division: inout Division
  ) {
    for (index, corner) in zip(3 * face..<3 * face + 3, corners) {
      indices[index] = corner.vertex
      division.corners.append((index, corner))
    }
  }

  private mutating func appendFace(
    _ corners: [Corner], like face: Int, _ division: inout Division
  ) {
    for corner in corners {
      division.corners.append((indices.count, corner))
      indices.append(corner.vertex)
    }
    division.originals.append(face)
  }
}

/// A corner of a new face: its vertex, and the original corners between which it is.
private struct Corner {
  var vertex: UInt32
  var start: Int
  var end: Int
  /// The distance of the corner from ``start``, as a fraction of the edge.
  var share = 0.0

  /// A corner of the original face.
  init(_ indices: [UInt32], _ corner: Int) {
    vertex = indices[corner]
    (start, end) = (corner, corner)
  }

  /// A corner on an edge of the original face.
  init(_ vertex: UInt32, between a: Corner, _ b: Corner, _ side: [Double]) {
    let (sideA, sideB) = (side[Int(a.vertex)], side[Int(b.vertex)])
    self.vertex = vertex
    (start, end) = (a.start, b.start)
    share = sideA / (sideA - sideB)
  }
}

/// Appends the attributes of vertices on cut edges.
private struct NewVertices: AttributeOperation {
  /// The ends of each edge, and the vertex's distance from the first as a share of the edge.
  var places: [(low: Int, high: Int, share: Double)] = []

  func apply<Value: AttributeValue>(to values: inout [Value], width: Int) {
    for (low, high, share) in places {
      for part in 0..<width {
        values.append(
          .mix(values[width * low + part], values[width * high + part], share: share))
      }
    }
  }
}

/// Sets and appends the attributes of the corners of divided faces.
private struct Division: AttributeOperation {
  /// New values of corners, those beyond the original ones in order.
  var corners: [(place: Int, value: Corner)] = []
  /// The original face of each appended one.
  var originals: [Int] = []

  func apply<Value: AttributeValue>(to values: inout [Value], width: Int) {
    // Corners are set whose original values others still need.
    var new: [Value] = []
    new.reserveCapacity(width * corners.count)
    for (_, corner) in corners {
      for part in 0..<width {
        let start = values[width * corner.start + part]
        new.append(
          corner.start == corner.end
            ? start : .mix(start, values[width * corner.end + part], share: corner.share))
      }
    }
    for (number, (place, _)) in corners.enumerated() {
      for part in 0..<width {
        let value = new[width * number + part]
        if width * place + part < values.count {
          values[width * place + part] = value
        } else {
          values.append(value)
        }
      }
    }
  }
}

/// The new vertex of each cut edge, looked up by its ends in either order.
private struct CutEdges {
  private var vertices: [UInt64: UInt32] = [:]

  var isEmpty: Bool { vertices.isEmpty }

  subscript(a: UInt32, b: UInt32) -> UInt32? {
    get { vertices[UInt64(min(a, b)) << 32 | UInt64(max(a, b))] }
    set { vertices[UInt64(min(a, b)) << 32 | UInt64(max(a, b))] = newValue }
  }
}
