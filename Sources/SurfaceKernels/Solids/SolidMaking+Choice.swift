package import MeshpipeScene

extension SolidMaking {
  /// A method for a scene, and why.
  package struct Choice: Sendable {
    package var method: Method
    package var reason: String
  }

  /// Borders this short against the extent are holes rather than an open surface.
  private static let openBorder = 0.5

  /// A shell for open surfaces that look inward, and a wrap for what has an outside.
  ///
  /// - Complexity: O(faces)
  package static func choice(for meshes: [Mesh]) -> Choice {
    var (volume, border) = (0.0, 0.0)
    var box = Box()
    for mesh in meshes { box.add(mesh.bounds) }
    let middle = SIMD3<Double>(box.center)
    for mesh in meshes {
      for face in 0..<mesh.faceCount where mesh.isFinite(face) {
        volume += (mesh.centroid(ofFace: face) - middle).dot(mesh.areaVector(ofFace: face)) / 6
      }
      border += mesh.borderLength
    }
    if border < openBorder * Double(box.extent) {
      return Choice(method: .wrap, reason: "the surface is closed, apart from holes")
    }
    return volume < 0
      ? Choice(method: .shell, reason: "the surface is open and looks inward, as a room")
      : Choice(method: .wrap, reason: "the surface looks outward, as an object")
  }
}

extension SolidMaking {
  /// The faces to reverse so that each piece looks outward, by rays where it is open.
  package static func reversedFaces(
    of mesh: Mesh, _ system: CoordinateSystem
  ) throws -> [Bool] {
    // Triangles that only lie side by side are one piece here.
    let welded = PositionWelder.weld(mesh.positions)
    var pieces = Mesh(
      positions: welded.firstPoints.map { mesh.positions[Int($0)] },
      indices: mesh.indices.map { welded.vertices[Int($0)] })
    pieces.classes = mesh.classes
    var scene = Scene(meshes: [pieces])
    scene.coordinateSystem = system
    return try Winding.outward(of: scene).flatMap(\.isFlipped)
  }
}

extension Mesh {
  /// The length of the edges with one face, with vertices at one position welded.
  fileprivate var borderLength: Double {
    let welded = PositionWelder.weld(positions)
    let edges = Edges(
      indices: indices.map { welded.vertices[Int($0)] }, vertexCount: welded.firstPoints.count)
    let length = edges.reduce(0.0) { sum, edge in
      guard edge.isBoundary else { return sum }
      let ends = [edge.lower, edge.higher].map {
        positions[Int(welded.firstPoints[Int($0)])].double
      }
      return sum + (ends[1] - ends[0]).length
    }
    return length.isFinite ? length : .infinity
  }
}
