import MeshpipeScene

/// The surface of a solid in a grid, with the edges and corners of its planes (dual contouring; Ju and
/// others 2002), as a manifold (``DualCells``).
///
/// Each vertex stays in its cell, so that faces hardly ever turn over or intersect.
struct SolidSurface: Sendable {
  private let field: SolidField
  private let cells: DualCells
  private let crossings: SolidCrossings

  init(_ field: SolidField, _ crossings: SolidCrossings) {
    self.field = field
    self.crossings = crossings
    cells = DualCells(field.neighbors, field: field.values)
  }

  private struct Vertices: Sendable {
    var positions: [Vector3] = []
    /// The mean of the crossings.
    var means: [Vector3] = []
    /// Whether planes meet in an edge or a corner.
    var isSharp: [Bool] = []
  }

  /// Vertices keep this far off the sides of their cell, in voxels.
  private static let margin: Float = 0.01
  /// The weight of the mean of the crossings against their planes.
  private static let centering: Float = 0.05
  private static let rounds = 4
  /// The cosine between planes that meet in an edge.
  private static let edgeCosine: Float = 0.85
  /// Repetitions of taking vertices of intersecting faces to the mean of their crossings.
  private static let repairs = 4

  func mesh() -> Mesh {
    let parts = Parallel.mapChunks(of: cells.starts.count - 1, chunkSize: 64) { vertices(of: $0) }
    let means = Parallel.joined(parts.map(\.means))
    let isSharp = Parallel.joined(parts.map(\.isSharp))
    var mesh = Mesh(positions: Parallel.joined(parts.map(\.positions)))
    mesh.indices = faces(mesh.positions, isSharp)
    repair(&mesh, means, isSharp)
    return mesh
  }

  /// Takes the vertices of intersecting faces to the mean of their crossings.
  private func repair(_ mesh: inout Mesh, _ means: [Vector3], _ isSharp: [Bool]) {
    var isAsked: [Bool]?
    for _ in 0..<Self.repairs {
      let faces = SelfIntersections(of: mesh, among: isAsked).faces
      guard !faces.isEmpty else { return }
      var isMoved = [Bool](repeating: false, count: mesh.vertexCount)
      for vertex in faces.flatMap({ mesh.indices[3 * $0..<3 * $0 + 3] }).map(Int.init) {
        mesh.positions[vertex] = means[vertex]
        isMoved[vertex] = true
      }
      mesh.indices = self.faces(mesh.positions, isSharp)
      // Others were sound, and still are.
      isAsked = (0..<mesh.faceCount).map { face in
        mesh.indices[3 * face..<3 * face + 3].contains { isMoved[Int($0)] }
      }
    }
  }

  /// Edges between planes become edges of faces.
  private func faces(_ positions: [Vector3], _ isSharp: [Bool]) -> [UInt32] {
    cells.faces { quad in
      let first = isSharp[Int(quad.x)] && isSharp[Int(quad.z)]
      let second = isSharp[Int(quad.y)] && isSharp[Int(quad.w)]
      return first == second ? DualCells.isShorterAcross(quad, positions) : second
    }
  }

  private func vertices(of range: Range<Int>) -> Vertices {
    var result = Vertices()
    for cell in range.lowerBound * SparseBlocks.volume..<range.upperBound * SparseBlocks.volume
    where cells.cases[cell] != 0 {
      let loops = DualCell.loops[Int(cells.cases[cell])]
      let corner = field.position(ofVoxel: cell)
      for loop in 0..<loops[15] {
        let planes = planes(ofLoop: loop, loops, cell)
        let (place, mean) = Self.place(planes)
        // Two sheets in a cell could meet in a corner of it, but the means differ.
        let isAlone = loops[15] == 1
        result.positions.append(Vector3(corner + (isAlone ? place : mean) * field.voxel))
        result.means.append(Vector3(corner + mean * field.voxel))
        result.isSharp.append(isAlone && Self.isSharp(planes))
      }
    }
    return result
  }

  /// A crossing in voxels from the lowest corner of a cell, and the plane there.
  private typealias TangentPlane = (point: SIMD3<Float>, normal: SIMD3<Float>)

  private func planes(
    ofLoop loop: UInt8, _ loops: SIMD16<UInt8>, _ cell: Int
  ) -> [TangentPlane] {
    var result: [TangentPlane] = []
    let place = SparseBlocks.place(of: cell)
    for edge in 0..<12 where loops[edge] == loop {
      let low = DualCell.corners[edge].0
      let offset = SIMD3(low & 1, low >> 1 & 1, low >> 2)
      let start = place &+ offset
      guard
        let voxel = field.neighbors.voxel(cell / SparseBlocks.volume, start.x, start.y, start.z)
      else { continue }
      let crossing = crossings.crossing(from: voxel, along: edge / 4)
      var point = SIMD3<Float>(Float(offset.x), Float(offset.y), Float(offset.z))
      point[edge / 4] = crossing.share
      result.append((point, crossing.normal.simd))
    }
    return result
  }

  /// The point nearest to all planes, near the mean of the crossings, and that mean.
  private static func place(_ planes: [TangentPlane]) -> (SIMD3<Float>, mean: SIMD3<Float>) {
    let mean = planes.reduce(.zero) { $0 + $1.point } / Float(planes.count)
    var matrix = SymmetricMatrix()
    for plane in planes { matrix.addSquare(of: plane.normal, times: 1) }
    let weight = Double(centering)
    guard
      let inverse = matrix.inverse(
        diagonal: SIMD3(Double(matrix.xx), Double(matrix.yy), Double(matrix.zz)) + weight)
    else { return (mean, mean) }
    var place = mean
    for _ in 0..<rounds {
      let right = planes.reduce(SIMD3<Float>.zero) {
        $0 + $1.normal * $1.normal.dot($1.point - place)
      }
      place += inverse * right
    }
    let low = SIMD3<Float>(repeating: margin)
    return (place.clamped(lowerBound: low, upperBound: 1 - low), mean)
  }

  private static func isSharp(_ planes: [TangentPlane]) -> Bool {
    planes.indices.contains { first in
      planes[..<first].contains {
        $0.normal.dot(planes[first].normal) < edgeCosine && $0.normal != .zero
          && planes[first].normal != .zero
      }
    }
  }
}
