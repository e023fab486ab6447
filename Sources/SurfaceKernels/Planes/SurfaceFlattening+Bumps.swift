import MeshpipeScene

extension SurfaceFlattening {
  /// Removes small parts that stand on planes: connected faces on no plane, with a face on one beside them, and small
  /// parts of planes that only those connect with the rest.
  ///
  /// - Parameters:
  ///   - labels: The region of each face; negative on no plane.
  ///   - area: The greatest area of a part, in the mesh's square units.
  static func removeBumps(of mesh: inout Mesh, _ labels: inout [Int32], upTo area: Double) {
    guard area > 0 else { return }
    let edges = Edges(mesh)
    let isFree = labels.map { $0 < 0 }
    let bumps = parts(of: mesh, where: isFree, besideOthers: edges, upTo: area)
    let islands = parts(of: mesh, where: bumps.map { !$0 }, besideOthers: edges, upTo: area)
    let isKept = zip(bumps, islands).map { !$0 && !$1 }
    labels = zip(labels, isKept).filter(\.1).map(\.0)
    mesh.keepFaces(isKept)
  }

  /// Whether each face is of a small connected part of the chosen ones that has one of the others beside it.
  private static func parts(
    of mesh: Mesh, where isChosen: [Bool], besideOthers edges: Edges, upTo area: Double
  ) -> [Bool] {
    let parts = FaceComponents(
      edges: edges, faceCount: mesh.faceCount, within: isChosen.map { $0 ? 0 : 1 })
    var areas = [Double](repeating: 0, count: parts.count)
    for face in isChosen.indices where isChosen[face] {
      areas[Int(parts.labels[face])] += mesh.area(ofFace: face)
    }
    var isBeside = [Bool](repeating: false, count: parts.count)
    for edge in edges {
      let faces = edges.halfedges[edge.places].map { Int($0) / 3 }
      guard faces.contains(where: { !isChosen[$0] }) else { continue }
      for face in faces where isChosen[face] { isBeside[Int(parts.labels[face])] = true }
    }
    return isChosen.indices.map {
      let part = Int(parts.labels[$0])
      return isChosen[$0] && isBeside[part] && areas[part] <= area
    }
  }
}
