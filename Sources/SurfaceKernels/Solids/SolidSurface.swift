import MeshpipeScene

/// The surface of a solid in a grid as a manifold (``DualCells``) of ``SolidVertices``.
///
/// It needs neither the field nor its crossings any more.
struct SolidSurface: Sendable {
  private let cells: DualCells
  private let vertices: SolidVertices

  init(_ field: SolidField, _ crossings: SolidCrossings) {
    cells = DualCells(field.neighbors, field: field.values)
    vertices = SolidVertices(cells, field, crossings)
  }

  /// Repetitions of taking vertices of intersecting faces to the mean of their crossings.
  private static let repairs = 4

  func mesh() -> Mesh {
    var mesh = Mesh(positions: vertices.positions)
    mesh.indices = faces(mesh.positions)
    repair(&mesh)
    return mesh
  }

  /// Takes the vertices of intersecting faces to the mean of their crossings.
  private func repair(_ mesh: inout Mesh) {
    var isAsked: [Bool]?
    for _ in 0..<Self.repairs {
      let faces = SelfIntersections(of: mesh, among: isAsked).faces
      guard !faces.isEmpty else { return }
      var isMoved = [Bool](repeating: false, count: mesh.vertexCount)
      for vertex in faces.flatMap({ mesh.indices[3 * $0..<3 * $0 + 3] }).map(Int.init) {
        mesh.positions[vertex] = vertices.means[vertex]
        isMoved[vertex] = true
      }
      mesh.indices = self.faces(mesh.positions)
      // Others were sound, and still are.
      isAsked = (0..<mesh.faceCount).map { face in
        mesh.indices[3 * face..<3 * face + 3].contains { isMoved[Int($0)] }
      }
    }
  }

  /// Edges between planes become edges of faces.
  private func faces(_ positions: [Vector3]) -> [UInt32] {
    let isSharp = vertices.isSharp
    return cells.faces { quad in
      let first = isSharp[Int(quad.x)] && isSharp[Int(quad.z)]
      let second = isSharp[Int(quad.y)] && isSharp[Int(quad.w)]
      return first == second ? DualCells.isShorterAcross(quad, positions) : second
    }
  }
}
