import MeshpipeScene

/// The faces of a mesh that touch the loop of a hole.
struct HoleSurroundings: Sendable {
  /// The vertices of the faces that are not on the loop.
  private(set) var positions: [SIMD3<Double>] = []
  /// Three vertices per face: those of the loop by their index, the others as -1, -2 and so on.
  private(set) var faces: [SIMD3<Int32>] = []
  /// Whether each vertex of the loop has faces all around, once the hole is closed.
  private(set) var isClosed: [Bool] = []
  /// The mean length of the edges at each vertex of the loop.
  private(set) var edgeLengths: [Double] = []

  /// The mean length of the edges around the hole.
  var meanEdgeLength: Double { edgeLengths.reduce(0, +) / Double(edgeLengths.count) }

  /// - Parameter loop: The vertices, each once.
  init(of loop: [UInt32], in mesh: Mesh, _ around: LoopCorners, _ edges: Edges) {
    var numbers: [UInt32: Int32] = [:]
    for (place, vertex) in loop.enumerated() { numbers[vertex] = Int32(place) }
    var seen: Set<UInt32> = []
    for vertex in loop {
      var openEdges = 0
      var length = 0.0
      var count = 0.0
      for corner in around[vertex] {
        let corner = Int(corner)
        for halfedge in [corner, previousCorner(corner)] {
          if edges.isBoundary(ofCorner: halfedge) { openEdges += 1 }
          let (a, b) = (mesh.indices[halfedge], mesh.indices[nextCorner(halfedge)])
          length += (mesh.positions[Int(a)].double - mesh.positions[Int(b)].double).length
          count += 1
        }
        guard seen.insert(UInt32(corner / 3)).inserted else { continue }
        add(corner / 3, of: mesh, &numbers)
      }
      isClosed.append(openEdges == 2)
      edgeLengths.append(length / count)
    }
  }

  private mutating func add(_ face: Int, of mesh: Mesh, _ numbers: inout [UInt32: Int32]) {
    let vertices = (0..<3).map { mesh.indices[3 * face + $0] }
    guard vertices.allSatisfy({ mesh.positions[Int($0)].isFinite }) else { return }
    var corners = SIMD3<Int32>.zero
    for (index, vertex) in vertices.enumerated() {
      if numbers[vertex] == nil {
        positions.append(mesh.positions[Int(vertex)].double)
        numbers[vertex] = Int32(-positions.count)
      }
      corners[index] = numbers[vertex] ?? 0
    }
    faces.append(corners)
  }
}
