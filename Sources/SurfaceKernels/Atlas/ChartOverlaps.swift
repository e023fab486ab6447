import MeshpipeScene

/// Finds faces that overlap others of their chart.
enum ChartOverlaps {
  /// The faces of each chart that own a texel also owned by an earlier face of the chart.
  static func faces(in charts: ChartSet, _ members: ChartMembers, scale: Float) -> [UInt32] {
    Parallel.map(count: charts.count) { overlapping(members[$0], charts, scale: scale) }
      .flatMap(\.self)
  }

  private static func overlapping(
    _ faces: ArraySlice<UInt32>, _ charts: ChartSet, scale: Float
  ) -> [UInt32] {
    guard faces.count > 1 else { return [] }
    let box = charts.box(of: faces)
    let extent = (box.high - box.low) * scale
    // A position outside any page: such a chart is cut before it is parameterised.
    guard extent.x < 32_000, extent.y < 32_000 else { return [] }
    var map = TexelMap(width: Int(extent.x) + 2, height: Int(extent.y) + 2)
    return faces.filter { face in
      let corners = (0..<3).map { corner -> SIMD2<Int32> in
        let position = (charts.corners[3 * Int(face) + corner] - box.low) * (scale * 256)
        return SIMD2(Int32(position.x.rounded()), Int32(position.y.rounded()))
      }
      return !map.take(TexelTriangle(corners[0], corners[1], corners[2]))
    }
  }
}
