package import MeshpipeScene

/// The surfaces of a solid that share no edge: bodies, and cavities in them.
package struct SolidBodies: Sendable {
  /// Faces that are connected.
  struct Surface: Sendable {
    /// Negative for a cavity.
    var volume = 0.0
    var box = Box()
    /// The surface that bounds its body: itself, unless it is a cavity.
    var body = 0
  }

  /// The surface of each face.
  private(set) var labels: [UInt32]
  private(set) var surfaces: [Surface]

  /// - Complexity: O(faces), and for cavities O(surfaces).
  package init(of mesh: Mesh) {
    let components = FaceComponents(edges: Edges(mesh), faceCount: mesh.faceCount)
    labels = components.labels
    surfaces = [Surface](repeating: Surface(), count: components.count)
    for face in 0..<mesh.faceCount where mesh.isFinite(face) {
      let label = Int(labels[face])
      surfaces[label].volume += mesh.centroid(ofFace: face).dot(mesh.areaVector(ofFace: face)) / 6
      for vertex in mesh.indices[3 * face..<3 * face + 3] {
        surfaces[label].box.add(mesh.positions[Int(vertex)].simd)
      }
    }
    findBodies()
  }

  var count: Int { surfaces.count }

  package var bodyCount: Int { bodies.count }

  /// The surfaces that bound bodies.
  var bodies: [Int] { surfaces.indices.filter { surfaces[$0].body == $0 } }

  /// The volume of a body without its cavities.
  func volume(ofBody body: Int) -> Double {
    surfaces.reduce(0) { $0 + ($1.body == body ? $1.volume : 0) }
  }

  /// Whether each face is of a body that is asked for, or of a cavity in one.
  func faces(of isAsked: (Int) -> Bool) -> [Bool] {
    let isIn = surfaces.map { isAsked($0.body) }
    return labels.map { isIn[Int($0)] }
  }

  /// A cavity is in the smallest body around it; what faces inward without one is a body itself.
  private mutating func findBodies() {
    for cavity in surfaces.indices {
      surfaces[cavity].body = cavity
      guard surfaces[cavity].volume < 0 else { continue }
      let box = surfaces[cavity].box
      let around = surfaces.indices.filter {
        surfaces[$0].volume > 0 && surfaces[$0].box.contains(box.minimum)
          && surfaces[$0].box.contains(box.maximum)
      }
      surfaces[cavity].body =
        around.min { surfaces[$0].volume < surfaces[$1].volume } ?? cavity
    }
  }
}

extension SolidBodies {
  /// The faces of each surface.
  func faces() -> [[Int]] {
    var faces = [[Int]](repeating: [], count: count)
    for (face, label) in labels.enumerated() { faces[Int(label)].append(face) }
    return faces
  }
}

extension Mesh {
  /// Some faces with their vertices alone.
  func piece(_ faces: [Int]) -> Mesh { pieceAndVertices(faces).piece }

  /// Some faces with their vertices alone, and which vertices these are.
  func pieceAndVertices(_ faces: [Int]) -> (piece: Mesh, vertices: [UInt32]) {
    var vertices: [UInt32] = []
    var numbers: [UInt32: UInt32] = [:]
    var piece = Mesh()
    piece.indices.reserveCapacity(3 * faces.count)
    for face in faces {
      for vertex in indices[3 * face..<3 * face + 3] {
        if numbers[vertex] == nil {
          numbers[vertex] = UInt32(vertices.count)
          vertices.append(vertex)
        }
        piece.indices.append(numbers[vertex] ?? 0)
      }
    }
    piece.positions = vertices.map { positions[Int($0)] }
    return (piece, vertices)
  }
}

extension Box {
  /// The least and the greatest height.
  ///
  /// - Parameter up: The direction of an axis.
  func heights(up: SIMD3<Double>) -> (low: Double, high: Double) {
    let (a, b) = (SIMD3<Double>(minimum).dot(up), SIMD3<Double>(maximum).dot(up))
    return (min(a, b), max(a, b))
  }

  /// The distance between two boxes.
  func distance(to other: Box) -> Double {
    let zero = SIMD3<Float>.zero
    let gap = pointwiseMax(
      pointwiseMax(other.minimum - maximum, minimum - other.maximum), zero)
    return Double(gap.length)
  }
}
