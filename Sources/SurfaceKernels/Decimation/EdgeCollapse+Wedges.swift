import MeshpipeScene

extension EdgeCollapse.Surface {
  /// The first corner of the same vertex with the same attributes, for each corner.
  ///
  /// - Parameter clusters: The vertex that each becomes, if some coincide.
  static func wedges(
    of meshes: [Mesh], indices: [UInt32], vertexCount: Int, clusters: [UInt32]?
  ) -> [UInt32] {
    var wedges = [UInt32](repeating: 0, count: indices.count)
    let corners = VertexCorners(indices: indices, vertexCount: vertexCount)
    var vertex = 0
    var firstCorner = 0
    var known: [UInt32] = []
    for mesh in meshes {
      let wedge = Wedge(of: mesh)
      let hasSeam = Seams(
        corners: corners, mesh: mesh, firstVertex: vertex, firstCorner: firstCorner
      ).vertices
      for index in 0..<mesh.vertexCount {
        guard hasSeam[index] else {
          let first = corners[vertex].first ?? 0
          for corner in corners[vertex] { wedges[Int(corner)] = first }
          vertex += 1
          continue
        }
        known.removeAll(keepingCapacity: true)
        for corner in corners[vertex] {
          let same = known.last {
            wedge.isSame(Int($0) - firstCorner, Int(corner) - firstCorner)
          }
          wedges[Int(corner)] = same ?? corner
          // A vertex with very many wedges does not move anyway; comparing them all would take
          // long.
          if same == nil, known.count < Ring.capacity { known.append(corner) }
        }
        vertex += 1
      }
      let range = firstCorner..<firstCorner + mesh.cornerCount
      for (other, first) in ends(ofEdgesWithoutLengthIn: range, indices, clusters) {
        for corner in corners[Int(other)] {
          let same = corners[Int(first)].first {
            wedge.isSame(Int($0) - firstCorner, Int(corner) - firstCorner)
          }
          if let same { wedges[Int(corner)] = wedges[Int(same)] }
        }
      }
      firstCorner = range.upperBound
    }
    return wedges
  }

  /// The vertices that are joined with others by edges without length, each with the first of them.
  ///
  /// The faces of such an edge go, so that it would become a slit if its ends stayed two vertices.
  private static func ends(
    ofEdgesWithoutLengthIn corners: Range<Int>, _ indices: [UInt32], _ clusters: [UInt32]?
  ) -> [UInt32: UInt32] {
    guard let clusters else { return [:] }
    var parents: [UInt32: UInt32] = [:]
    func first(_ vertex: UInt32) -> UInt32 {
      var vertex = vertex
      while let parent = parents[vertex] { vertex = parent }
      return vertex
    }
    for corner in corners {
      let (start, end) = (indices[corner], indices[nextCorner(corner)])
      guard start != end, clusters[Int(start)] == clusters[Int(end)] else { continue }
      let (a, b) = (first(start), first(end))
      if a != b { parents[max(a, b)] = min(a, b) }
    }
    return Dictionary(uniqueKeysWithValues: parents.keys.map { ($0, first($0)) })
  }
}

/// Compares the attributes of a mesh's corners.
private struct Wedge: AttributeVisitor {
  private var comparisons: [(Int, Int) -> Bool] = []
  private let mesh: Mesh

  init(of mesh: Mesh) {
    self.mesh = mesh
    var found: [(Int, Int) -> Bool] = []
    Mesh.forEachAttribute(self, &found)
    for attribute in mesh.cornerAttributes {
      found.append { one, other in attribute.isEqual(one, other) }
    }
    comparisons = found
  }

  func visit<Value: AttributeValue>(
    _ attribute: Attribute<Mesh, Value>, _ found: inout [(Int, Int) -> Bool]
  ) {
    guard attribute.element == .corner, let all = mesh[keyPath: attribute.path] else { return }
    if let places = all as? [Vector2] {
      found.append { one, other in places[one].isSamePlace(as: places[other]) }
    } else {
      found.append { one, other in all[one] == all[other] }
    }
  }

  func isSame(_ one: Int, _ other: Int) -> Bool {
    for isEqual in comparisons where !isEqual(one, other) { return false }
    return true
  }
}

extension Vector2 {
  /// Whether texture coordinates differ only by the rounding of programs that compute those of each
  /// face on their own: a sixteenth of a pixel of 4096.
  fileprivate func isSamePlace(as other: Vector2) -> Bool {
    self == other || !isFinite && !other.isFinite
      || (x - other.x).magnitude <= 0x1p-16 && (y - other.y).magnitude <= 0x1p-16
  }
}

/// Finds the vertices of a mesh whose corners have different attributes.
///
/// Most have none, so that the rest can be compared attribute by attribute.
private struct Seams: AttributeVisitor {
  /// The corners of the vertices of all meshes.
  let corners: VertexCorners
  let mesh: Mesh
  let firstVertex: Int
  let firstCorner: Int

  /// One entry per vertex.
  var vertices: [Bool] {
    var hasSeam = [Bool](repeating: false, count: mesh.vertexCount)
    Mesh.forEachAttribute(self, &hasSeam)
    for attribute in mesh.cornerAttributes {
      mark(&hasSeam) { attribute.isEqual($0, $1) }
    }
    return hasSeam
  }

  func visit<Value: AttributeValue>(_ attribute: Attribute<Mesh, Value>, _ hasSeam: inout [Bool]) {
    guard attribute.element == .corner, let all = mesh[keyPath: attribute.path] else { return }
    if let places = all as? [Vector2] {
      mark(&hasSeam) { places[$0].isSamePlace(as: places[$1]) }
    } else {
      mark(&hasSeam) { all[$0] == all[$1] }
    }
  }

  @inline(__always)
  private func mark(_ hasSeam: inout [Bool], isEqual: (Int, Int) -> Bool) {
    for vertex in hasSeam.indices {
      let own = corners[firstVertex + vertex]
      guard let first = own.first else { continue }
      for corner in own
      where corner != first && !isEqual(Int(first) - firstCorner, Int(corner) - firstCorner) {
        hasSeam[vertex] = true
        break
      }
    }
  }
}
