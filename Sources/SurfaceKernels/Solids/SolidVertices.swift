import MeshpipeScene

/// The vertices of a solid's surface, with the edges and corners of its planes (dual contouring; Ju and
/// others 2002).
///
/// Each stays in its cell, so that faces hardly ever turn over or intersect.
struct SolidVertices: Sendable {
  private(set) var positions: [Vector3]
  /// The mean of the crossings.
  private(set) var means: [Vector3]
  /// Whether planes meet in an edge or a corner.
  private(set) var isSharp: [Bool]

  init(_ cells: DualCells, _ field: SolidField, _ crossings: SolidCrossings) {
    let (starts, count) = (cells.starts, cells.starts[cells.starts.count - 1])
    positions = [Vector3](repeating: .zero, count: count)
    means = [Vector3](repeating: .zero, count: count)
    isSharp = [Bool](repeating: false, count: count)
    let placement = VertexPlacement(cells: cells, field: field, crossings: crossings)
    positions.withDisjointBuffer { positions in
      means.withDisjointBuffer { means in
        isSharp.withDisjointBuffer { isSharp in
          Parallel.forEachChunk(of: starts.count - 1, chunkSize: 64) { _, blocks in
            var vertex = starts[blocks.lowerBound]
            placement.forEachVertex(of: blocks) {
              (positions[vertex], means[vertex], isSharp[vertex]) = ($0, $1, $2)
              vertex += 1
            }
          }
        }
      }
    }
  }
}

/// Places the vertices of cells.
private struct VertexPlacement: Sendable {
  let cells: DualCells
  let field: SolidField
  let crossings: SolidCrossings

  /// Vertices keep this far off the sides of their cell, in voxels.
  private static let margin: Float = 0.01
  /// The weight of the mean of the crossings against their planes.
  private static let centering: Float = 0.05
  private static let rounds = 4
  /// The cosine between planes that meet in an edge.
  private static let edgeCosine: Float = 0.85

  /// Visits the vertices of some blocks in their order: their position, the mean of their crossings, and whether
  /// they are sharp.
  func forEachVertex(of blocks: Range<Int>, _ visit: (Vector3, Vector3, Bool) -> Void) {
    for cell in blocks.lowerBound * SparseBlocks.volume..<blocks.upperBound * SparseBlocks.volume
    where cells.cases[cell] != 0 {
      let loops = DualCell.loops[Int(cells.cases[cell])]
      let corner = field.position(ofVoxel: cell)
      for loop in 0..<loops[15] {
        let planes = planes(ofLoop: loop, loops, cell)
        let (place, mean) = Self.place(planes)
        // Two sheets in a cell could meet in a corner of it, but the means differ.
        let isAlone = loops[15] == 1
        visit(
          Vector3(corner + (isAlone ? place : mean) * field.voxel),
          Vector3(corner + mean * field.voxel), isAlone && Self.isSharp(planes))
      }
    }
  }

  /// A crossing in voxels from the lowest corner of a cell, and the plane there.
  private typealias TangentPlane = (point: SIMD3<Float>, normal: SIMD3<Float>)

  private func planes(
    ofLoop loop: UInt8, _ loops: SIMD16<UInt8>, _ cell: Int
  ) -> [TangentPlane] {
    var result: [TangentPlane] = []
    let index = SparseBlocks.place(of: cell)
    for edge in 0..<12 where loops[edge] == loop {
      let low = DualCell.corners[edge].0
      let offset = SIMD3(low & 1, low >> 1 & 1, low >> 2)
      let start = index &+ offset
      guard
        let voxel = field.neighbors.voxel(in: cell / SparseBlocks.volume, at: start)
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
