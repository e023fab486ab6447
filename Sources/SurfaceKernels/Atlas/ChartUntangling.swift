import MeshpipeScene

/// Unfolds faces that noise folded over in their chart's projection.
///
/// The vertices of a folded face move to the mean of their neighbours, as in Tutte's embedding,
/// until the face is front-facing again: one noisy face in a wall would otherwise need its own
/// chart.
struct ChartUntangling {
  private static let rounds = 30
  /// A face is folded if its signed area in the chart is less than this share of its area.
  private static let leastShare: Float = 0.04

  private let surface: ChartSurface
  private let vertexCorners: VertexCorners

  init(_ surface: ChartSurface) {
    self.surface = surface
    vertexCorners = VertexCorners(
      indices: surface.vertices, vertexCount: surface.positions.count)
  }

  /// Untangles all charts.
  ///
  /// - Returns: The faces that remain folded.
  func untangle(_ charts: inout ChartSet) -> [UInt32] {
    var pending = folded(in: charts)
    for _ in 0..<Self.rounds where !pending.isEmpty {
      var touched: Set<UInt32> = []
      for face in pending {
        for corner in 3 * Int(face)..<3 * Int(face) + 3 {
          relax(corner, &charts, &touched)
        }
      }
      pending = touched.filter { isFolded(Int($0), charts) }.sorted()
    }
    return pending
  }

  /// The faces that are folded over, in ascending order.
  func folded(in charts: ChartSet) -> [UInt32] {
    Parallel.mapChunks(of: surface.faceCount) { faces in
      faces.filter { isFolded($0, charts) }.map { UInt32(truncatingIfNeeded: $0) }
    }.flatMap(\.self)
  }

  private func isFolded(_ face: Int, _ charts: ChartSet) -> Bool {
    guard charts.chartOfFace[face] != Atlas.noChart else { return false }
    let a = charts.corners[3 * face]
    let (ab, ac) = (charts.corners[3 * face + 1] - a, charts.corners[3 * face + 2] - a)
    // With y down, a counter-clockwise face has a negative area.
    return (ab.y * ac.x - ab.x * ac.y) / 2 < Self.leastShare * surface.areas[face]
  }

  /// Moves the vertex of a corner in its chart to the mean of its neighbours.
  private func relax(_ corner: Int, _ charts: inout ChartSet, _ touched: inout Set<UInt32>) {
    let chart = charts.chartOfFace[corner / 3]
    let corners = vertexCorners[Int(surface.vertices[corner])]
    var sum = SIMD2<Float>.zero
    var count: Float = 0
    for other in corners where charts.chartOfFace[Int(other) / 3] == chart {
      sum += charts.corners[nextCorner(Int(other))] + charts.corners[previousCorner(Int(other))]
      count += 2
    }
    guard count > 0 else { return }
    for other in corners where charts.chartOfFace[Int(other) / 3] == chart {
      charts.corners[Int(other)] = sum / count
      touched.insert(other / 3)
    }
  }
}
