import MeshpipeBase
package import MeshpipeScene

/// The defects of a mesh that stand in the way of printing, simulating and editing it.
package struct MeshHealth: Sendable, Equatable {
  /// Faces, and vertices that a face uses.
  package var faces = 0
  package var vertices = 0
  /// Faces that share an edge belong to one component.
  package var components = 0
  /// Edges with one face, and their length in units of the mesh.
  package var boundaryEdges = 0
  package var boundaryLength = 0.0
  /// The length of each closed chain of boundary edges, descending.
  package var boundaryLoops: [Double] = []
  /// Edges with more than two faces.
  package var nonManifoldEdges = 0
  /// Vertices whose faces are not one fan or one closed ring.
  package var nonManifoldVertices = 0
  /// Edges whose two faces are wound inconsistently.
  package var inconsistentEdges = 0
  /// Faces whose corners are on a line, or not finite.
  package var degenerateFaces = 0
  /// Faces on the same three vertices as an earlier one.
  package var duplicateFaces = 0
  /// The smallest angle of a face that is not degenerate, in radians; nil without such faces.
  package var smallestAngle: Double?
  /// The sum over all faces of what they enclose with the origin, in cubic units: the volume of a
  /// watertight mesh, positive if its outside faces out.
  package var volume = 0.0

  /// Counts nothing: the start of a sum over meshes.
  package init() {}

  /// Counts and measures a mesh.
  ///
  /// - Complexity: O(faces).
  package init(_ mesh: Mesh) {
    faces = mesh.faceCount
    vertices = mesh.usedVertices.count { $0 }
    let edges = Edges(mesh)
    countEdges(edges, of: mesh)
    components = FaceComponents(edges: edges, faceCount: faces).count
    let borders = BoundaryLoops(of: mesh, edges: edges)
    boundaryLoops = (borders.loops + borders.mixedLoops).map { loop in
      loop.reduce(0) { $0 + mesh.edgeLength(ofCorner: $1) }
    }.sorted(by: >)
    nonManifoldVertices = mesh.nonManifoldVertexCount(edges)
    countFaces(of: mesh)
  }

  private mutating func countEdges(_ edges: Edges, of mesh: Mesh) {
    for edge in edges {
      switch edge.valence {
      case 1:
        boundaryEdges += 1
        boundaryLength += mesh.edgeLength(
          ofCorner: Int(edges.halfedges[edge.places.lowerBound]))
      case 2: inconsistentEdges += edges.isInconsistent(edge) ? 1 : 0
      default: nonManifoldEdges += 1
      }
    }
    if !boundaryLength.isFinite { boundaryLength = 0 }
  }

  private mutating func countFaces(of mesh: Mesh) {
    let considered = [Bool](repeating: true, count: faces)
    duplicateFaces = repeatedFaces(indices: mesh.indices, considered: considered).count { $0 }
    volume = mesh.enclosedVolume
    for face in 0..<faces {
      guard mesh.isFinite(face), !mesh.isDegenerate(face) else {
        degenerateFaces += 1
        continue
      }
      for corner in 3 * face..<3 * face + 3 {
        smallestAngle = min(smallestAngle ?? .infinity, mesh.angle(ofCorner: corner))
      }
    }
  }

  /// Adds what another mesh has.
  package static func += (sum: inout MeshHealth, other: MeshHealth) {
    sum.faces += other.faces
    sum.vertices += other.vertices
    sum.components += other.components
    sum.boundaryEdges += other.boundaryEdges
    sum.boundaryLength += other.boundaryLength
    sum.boundaryLoops = (sum.boundaryLoops + other.boundaryLoops).sorted(by: >)
    sum.nonManifoldEdges += other.nonManifoldEdges
    sum.nonManifoldVertices += other.nonManifoldVertices
    sum.inconsistentEdges += other.inconsistentEdges
    sum.degenerateFaces += other.degenerateFaces
    sum.duplicateFaces += other.duplicateFaces
    sum.smallestAngle = [sum.smallestAngle, other.smallestAngle].compactMap(\.self).min()
    sum.volume += other.volume
  }

  /// Whether each edge has one or two faces, and each vertex one fan of them.
  package var isManifold: Bool { nonManifoldEdges == 0 && nonManifoldVertices == 0 }

  /// Whether each edge has exactly two faces, wound consistently.
  package var isWatertight: Bool {
    faces > 0 && boundaryEdges == 0 && nonManifoldEdges == 0 && inconsistentEdges == 0
  }
}

extension Mesh {
  /// The length of the edge that starts at a corner.
  fileprivate func edgeLength(ofCorner corner: Int) -> Double {
    let end = positions[Int(indices[nextCorner(corner)])].double
    let length = (end - positions[Int(indices[corner])].double).length
    return length.isFinite ? length : 0
  }

  /// The number of vertices whose corners are not joined by edges into one fan.
  fileprivate func nonManifoldVertexCount(_ edges: Edges) -> Int {
    // The corners of a vertex that are on both sides of an edge belong to one fan.
    var fans = DisjointSets(count: cornerCount)
    for edge in edges {
      for index in edge.places.dropFirst() {
        for vertex in [edge.lower, edge.higher] {
          fans.join(
            corner(of: vertex, at: edges.halfedges[edge.places.lowerBound]),
            corner(of: vertex, at: edges.halfedges[index]))
        }
      }
    }
    var fanCounts = [UInt8](repeating: 0, count: vertexCount)
    for corner in indices.indices where fans.root(of: corner) == corner {
      let vertex = Int(indices[corner])
      fanCounts[vertex] = min(2, fanCounts[vertex] + 1)
    }
    return fanCounts.count { $0 > 1 }
  }

  /// The corner of a vertex that is an end of a halfedge.
  private func corner(of vertex: UInt32, at halfedge: UInt32) -> Int {
    let start = Int(halfedge)
    return indices[start] == vertex ? start : nextCorner(start)
  }
}
