import MeshPipeline

extension Mesh {
  /// For attributes with a separate index per corner: one index per vertex, if that suffices.
  ///
  /// - Parameters:
  ///   - cornerIndices: An index into `values` per corner.
  ///   - values: The indexed values. Different indices of equal values agree.
  /// - Returns: An index per vertex, ``missingIndex`` for unused ones; nil if corners of one vertex
  ///   disagree or one has no index.
  func sharedIndices(of cornerIndices: [UInt32], in values: [Vector3]) -> [UInt32]? {
    var result = [UInt32](repeating: .missingIndex, count: vertexCount)
    for corner in indices.indices {
      let wanted = cornerIndices[corner]
      if wanted == .missingIndex { return nil }
      let vertex = Int(indices[corner])
      let known = result[vertex]
      if known == wanted { continue }
      if known == .missingIndex {
        result[vertex] = wanted
      } else if values[Int(known)] != values[Int(wanted)] {
        return nil
      }
    }
    return result
  }

  /// The unit normal of a face, zero if it has no area.
  func flatNormal(ofFace face: Int) -> Vector3 {
    Vector3(SIMD3<Float>(areaVector(ofFace: face).normalized))
  }
}

/// A face with `cornerCount` corners that became a fan of `cornerCount - 2` triangles.
struct FacePolygon: Sendable {
  var firstFace: Int
  var cornerCount: Int

  var firstCorner: Int { 3 * firstFace }
}

extension Mesh {
  /// The triangulation of a polygon in its plane.
  ///
  /// - Returns: The present corners in their new order; nil if the present fan is correct.
  ///   there is right.
  func cut(of polygon: FacePolygon) -> [Int]? {
    let first = polygon.firstCorner
    var corners = [first, first + 1]
    for fan in 0..<polygon.cornerCount - 2 { corners.append(first + 3 * fan + 2) }
    let outline = corners.map { positions[Int(indices[$0])] }
    if outline.count == 4, !PolygonTriangulation.prefersSecondDiagonal(outline) { return nil }
    return PolygonTriangulation.triangles(of: outline).map { corners[$0] }
  }
}

extension Array {
  /// Moves elements of this array, given by `order`, to a row that begins at `first`.
  mutating func permute(_ order: [Int], from first: Int) {
    let values = order.map { self[$0] }
    for (offset, value) in values.enumerated() { self[first + offset] = value }
  }
}

extension Color {
  /// A colour from three floats, white if one is NaN.
  init(_ color: Vector3, scale: Float) {
    guard !color.x.isNaN, !color.y.isNaN, !color.z.isNaN else {
      self = .white
      return
    }
    self.init(
      red: Self.byte(color.x * scale), green: Self.byte(color.y * scale),
      blue: Self.byte(color.z * scale))
  }

  /// The nearest 8-bit value.
  static func byte(_ value: Float) -> UInt8 {
    value >= 255 ? 255 : value > 0 ? UInt8((value + 0.5)) : 0
  }
}

extension UInt32 {
  /// The index of a missing element.
  static var missingIndex: UInt32 { .max }
}
