import MeshpipeScene

extension Mesh {
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
    // Vertices next to the plane count as on it: single precision can't represent a cut between.
    let extent = Double(bounds.extent)
    let tolerance = max(extent, Double(bounds.center.max()), -Double(bounds.center.min())) * 1e-7
    func crosses(_ a: UInt32, _ b: UInt32) -> Bool {
      let (a, b) = (side[Int(a)], side[Int(b)])
      guard a.isFinite, b.isFinite else { return false }
      return a < -tolerance && b > tolerance || a > tolerance && b < -tolerance
    }

    var middles = CutEdges()
    for face in 0..<faceCount where isChosen[face] {
      for corner in 3 * face..<3 * face + 3 {
        let (a, b) = (indices[corner], indices[nextCorner(corner)])
        guard crosses(a, b), middles[a, b] == nil else { continue }
        middles[a, b] = appendVertex(between: a, b, side[Int(a)], side[Int(b)], plane)
      }
    }
    guard !middles.isEmpty else { return }

    for face in 0..<faceCount {
      let (a, b, c) = vertices(ofFace: face)
      guard crosses(a, b) || crosses(b, c) || crosses(c, a) else { continue }
      let corners = (0..<3).map { 3 * face + $0 }
      let middle = corners.map { middles[indices[$0], indices[nextCorner($0)]] }
      switch middle.count(where: { $0 != nil }) {
      case 0: continue
      case 1:
        let first = middle.firstIndex { $0 != nil } ?? 0
        divide(face, edge: first, at: middle[first] ?? 0, side)
        isChosen.append(isChosen[face])
      default:
        // A plane crosses at most two edges; the corner between them is cut off.
        let uncut = middle.firstIndex { $0 == nil } ?? 0
        let (second, third) = ((uncut + 1) % 3, (uncut + 2) % 3)
        divide(face, from: uncut, middle[second] ?? 0, middle[third] ?? 0, side)
        isChosen.append(isChosen[face])
        isChosen.append(isChosen[face])
      }
    }
  }

  /// Adds the vertex where an edge meets a plane; its ends are on different sides.
  private mutating func appendVertex(
    between a: UInt32, _ b: UInt32, _ sideA: Double, _ sideB: Double, _ plane: Plane
  ) -> UInt32 {
    // Both directions of an edge must give the same position.
    let (a, b, sideA, sideB) = a < b ? (a, b, sideA, sideB) : (b, a, sideB, sideA)
    let share = sideA / (sideA - sideB)
    let (low, high) = (Int(a), Int(b))
    let start = positions[low].double
    var position = SIMD3<Float>(start + (positions[high].double - start) * share)
    if let (axis, place) = plane.axisAndPlace { position[axis] = place }
    positions.append(Vector3(position))
    if let all = normals { normals?.append(mixedNormal(all[low], all[high], Float(share))) }
    if let all = colors { colors?.append(mixedColor(all[low], all[high], Float(share))) }
    if let all = confidences { confidences?.append(mixed(all[low], all[high], Float(share))) }
    return UInt32(positions.count - 1)
  }

  /// Splits a face in two at a point of the edge that starts at its given corner.
  private mutating func divide(_ face: Int, edge: Int, at middle: UInt32, _ side: [Double]) {
    let (a, b, c) = (3 * face + edge, 3 * face + (edge + 1) % 3, 3 * face + (edge + 2) % 3)
    let middleCorner = corner(at: middle, between: a, b, side)
    let whole = (self.corner(a), self.corner(b), self.corner(c))
    setFace(face, whole.0, middleCorner, whole.2)
    appendFace(like: face, middleCorner, whole.1, whole.2)
  }

  /// Splits a face in three: the edge from corner `uncut` stays whole, the other two are cut.
  private mutating func divide(
    _ face: Int, from uncut: Int, _ second: UInt32, _ third: UInt32, _ side: [Double]
  ) {
    let (a, b, c) = (3 * face + uncut, 3 * face + (uncut + 1) % 3, 3 * face + (uncut + 2) % 3)
    let onSecond = corner(at: second, between: b, c, side)
    let onThird = corner(at: third, between: c, a, side)
    let whole = (self.corner(a), self.corner(b), self.corner(c))
    setFace(face, onThird, onSecond, whole.2)
    appendFace(like: face, whole.0, whole.1, onSecond)
    appendFace(like: face, whole.0, onSecond, onThird)
  }

  /// A corner with all its attributes.
  private struct Corner {
    var vertex: UInt32
    var textureCoordinate: Vector2?
    var normal: Vector3?
  }

  private func corner(_ index: Int) -> Corner {
    Corner(
      vertex: indices[index], textureCoordinate: textureCoordinates?[index],
      normal: cornerNormals?[index])
  }

  private func corner(at vertex: UInt32, between a: Int, _ b: Int, _ side: [Double]) -> Corner {
    let (sideA, sideB) = (side[Int(indices[a])], side[Int(indices[b])])
    let share = Float(sideA / (sideA - sideB))
    var corner = Corner(vertex: vertex)
    if let all = textureCoordinates {
      corner.textureCoordinate = Vector2(
        mixed(all[a].x, all[b].x, share), mixed(all[a].y, all[b].y, share))
    }
    if let all = cornerNormals { corner.normal = mixedNormal(all[a], all[b], share) }
    return corner
  }

  private mutating func setFace(_ face: Int, _ a: Corner, _ b: Corner, _ c: Corner) {
    for (place, corner) in [a, b, c].enumerated() {
      indices[3 * face + place] = corner.vertex
      if let value = corner.textureCoordinate { textureCoordinates?[3 * face + place] = value }
      if let value = corner.normal { cornerNormals?[3 * face + place] = value }
    }
  }

  private mutating func appendFace(like face: Int, _ a: Corner, _ b: Corner, _ c: Corner) {
    for corner in [a, b, c] {
      indices.append(corner.vertex)
      if let value = corner.textureCoordinate { textureCoordinates?.append(value) }
      if let value = corner.normal { cornerNormals?.append(value) }
    }
    if let material = faceMaterials?[face] { faceMaterials?.append(material) }
    if let label = classes?.labels[face] { classes?.labels.append(label) }
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

private func mixed(_ a: Float, _ b: Float, _ share: Float) -> Float { a + (b - a) * share }

private func mixedNormal(_ a: Vector3, _ b: Vector3, _ share: Float) -> Vector3 {
  let mean = (a.simd + (b.simd - a.simd) * share).normalized
  return mean == .zero ? a : Vector3(mean)
}

private func mixedColor(_ a: Color, _ b: Color, _ share: Float) -> Color {
  func channel(_ a: UInt8, _ b: UInt8) -> UInt8 {
    UInt8(mixed(Float(a), Float(b), share).rounded())
  }
  return Color(
    red: channel(a.red, b.red), green: channel(a.green, b.green), blue: channel(a.blue, b.blue),
    alpha: channel(a.alpha, b.alpha))
}
