import MeshpipeScene
import POSIX

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

  /// Whether the faces of the collar look different ways.
  var isBent: Bool {
    let sum = faces.reduce(SIMD3<Double>.zero) { $0 + $1.areaVector }.length / 2
    return sum < Self.flatness * faces.reduce(0) { $0 + $1.area }
  }
}

extension HoleCollar {
  /// The weight of the variance between the parts of the collar against its mean curvature: edges of rooms cross some
  /// parts, a sphere or a tube bends all of them.
  private static let varianceWeight = 3.0

  /// The mean curvature that the surface around the hole has all around, over the unit of positions; positive where it
  /// bulges outwards.
  ///
  /// Each part of the collar has half the sum of its edges' dihedral angles times lengths over its area (Cohen-Steiner
  /// and Morvan 2003). The more the parts differ, the nearer the result is to zero.
  func meanCurvature(in mesh: Mesh, _ edges: Edges) -> Double {
    var sums = [Double](repeating: 0, count: Self.sectorCount)
    var areas = sums
    var (edgeCount, cornerCount) = (0, 0)
    // In the order of faces, so that sums are the same each time.
    for (face, sector) in sectors.sorted(by: { $0.key < $1.key }) {
      let areaVector = mesh.areaVector(ofFace: face)
      let normal = areaVector.normalized
      guard normal != .zero else { continue }
      areas[sector] += areaVector.length / 2
      cornerCount += 3
      for corner in 3 * face..<3 * face + 3 {
        guard let opposite = edges.opposite(ofCorner: corner), sectors[opposite / 3] != nil else {
          continue
        }
        let other = mesh.areaVector(ofFace: opposite / 3).normalized
        guard other != .zero else { continue }
        let start = mesh.positions[Int(mesh.indices[corner])].double
        let edge = mesh.positions[Int(mesh.indices[nextCorner(corner)])].double - start
        let angle = atan2(normal.cross(other).dot(edge.normalized), normal.dot(other))
        // Half of it, and each edge is seen from both sides.
        sums[sector] += angle * edge.length / 4
        edgeCount += 1
      }
    }
    guard edgeCount > 0 else { return 0 }
    // Edges at the rim of the collar have no angle, but are part of its area.
    let share = Double(cornerCount) / Double(edgeCount)
    let curvatures = areas.indices.filter { areas[$0] > 0 }.map { share * sums[$0] / areas[$0] }
    let mean = share * sums.reduce(0, +) / areas.reduce(0, +)
    let variance =
      curvatures.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(curvatures.count)
    let total = mean * mean + Self.varianceWeight * variance
    return total > 0 && total.isFinite ? mean * mean * mean / total : 0
  }
}
