import MeshpipeScene

/// The faces around a hole, some rings of them.
struct HoleCollar {
  private(set) var faces: [PlanarSurroundings.Face] = []
  /// The faces of the collar by their numbers in the mesh, and which of the loop's ``sectorCount`` parts, by edges, each
  /// was reached from.
  private(set) var sectors: [Int: Int] = [:]

  static let sectorCount = 8

  /// Rings of faces that share edges: two make a ring of vertices.
  private static let rings = 6
  /// The length of the mean area vector over the mean area, below which the faces are not of one plane (about 14°).
  private static let flatness = 0.97

  /// - Parameter loop: The corners at which the halfedges of the loop start.
  init(of loop: [Int], in mesh: Mesh, _ edges: Edges) {
    var front = loop.enumerated().map { place, corner in
      (face: corner / 3, sector: Self.sectorCount * place / loop.count)
    }
    for _ in 0..<Self.rings {
      var next: [(face: Int, sector: Int)] = []
      for (face, sector) in front where sectors[face] == nil {
        sectors[face] = sector
        add(face, of: mesh)
        for corner in 3 * face..<3 * face + 3 {
          if let opposite = edges.opposite(ofCorner: corner) { next.append((opposite / 3, sector)) }
        }
      }
      front = next
    }
  }

  private mutating func add(_ face: Int, of mesh: Mesh) {
    let corners = (0..<3).map { mesh.positions[Int(mesh.indices[3 * face + $0])] }
    guard corners.allSatisfy(\.isFinite) else { return }
    faces.append(
      PlanarSurroundings.Face(
        areaVector: mesh.areaVector(ofFace: face),
        middle: mesh.centroid(ofFace: face)))
  }

  /// Whether the faces look different ways.
  var isBent: Bool {
    let sum = faces.reduce(SIMD3<Double>.zero) { $0 + $1.areaVector }.length / 2
    return sum < Self.flatness * faces.reduce(0) { $0 + $1.area }
  }
}
