import MeshpipeScene

extension Mesh {
  /// The share of the footprint's box on which a solid stands well.
  private static var baseShare: Double { 0.02 }

  /// Raises the lowest vertices of a solid to one height, so that it stands on a plane rather than on a few points.
  ///
  /// No face is added or removed. Where the solid is thicker than `most`, which is up to the caller, it keeps its inside.
  ///
  /// - Parameters:
  ///   - up: The direction of an axis.
  ///   - most: The height that is cut off at most; less is, where the solid stands well before.
  /// - Returns: The height that was cut off.
  mutating func flattenBase(up: SIMD3<Double>, most: Double) -> Double {
    let heights = positions.map { $0.double.dot(up) }
    guard most > 0, let lowest = heights.min() else { return 0 }
    var base: [(cut: Double, area: Double)] = []
    for face in 0..<faceCount {
      let (a, b, c) = vertices(ofFace: face)
      let cut = max(heights[Int(a)], heights[Int(b)], heights[Int(c)]) - lowest
      guard cut <= most else { continue }
      let area = -areaVector(ofFace: face).dot(up) / 2
      if area > 0 { base.append((cut, area)) }
    }
    let size = SIMD3<Double>(bounds.size)
    let sides = size.replacing(with: 1, where: up .!= 0)
    let enough = Self.baseShare * sides.x * sides.y * sides.z
    base.sort { $0.cut < $1.cut }
    var area = 0.0
    let last = base.first {
      area += $0.area
      return area >= enough
    }
    let cut = last?.cut ?? most
    for (vertex, height) in heights.enumerated() where height < lowest + cut {
      let raised = positions[vertex].double + (lowest + cut - height) * up
      positions[vertex] = Vector3(SIMD3<Float>(raised))
    }
    return cut
  }
}
