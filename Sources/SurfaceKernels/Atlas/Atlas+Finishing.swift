import MeshpipeScene

extension Atlas {
  /// The faces that own a texel of an earlier face.
  func overlappingFaces() -> [UInt32] {
    var overlapping: [UInt32] = []
    var maps = pages.map { TexelMap(width: $0.x, height: $0.y) }
    for face in 0..<faceCount where faceCharts[face] != Self.noChart {
      let triangle = triangle(ofFace: face)
      if !maps[Int(facePages[face])].take(triangle) {
        overlapping.append(UInt32(truncatingIfNeeded: face))
      }
    }
    return overlapping
  }

  /// Unplaces the given faces, puts all unplaced faces onto a neighbour's corner, and measures the
  /// use of the pages.
  mutating func finish(without overlapping: [UInt32], vertices: [UInt32]) {
    for face in overlapping {
      faceCharts[Int(face)] = Self.noChart
      facePages[Int(face)] = Self.noPage
    }
    placeLostFaces(vertices: vertices)
    measureUse()
  }

  /// Puts the corners of unplaced faces on a corner of a neighbouring face.
  private mutating func placeLostFaces(vertices: [UInt32]) {
    let vertexCount = vertices.reduce(0) { max($0, Int($1) + 1) }
    var anchors = [UInt32](repeating: .max, count: vertexCount)
    var anyCorner: Int?
    for corner in vertices.indices where faceCharts[corner / 3] != Self.noChart {
      anchors[Int(vertices[corner])] = UInt32(truncatingIfNeeded: corner)
      anyCorner = anyCorner ?? corner
    }
    guard let anyCorner else { return }
    for face in 0..<faceCount where faceCharts[face] == Self.noChart {
      let corners = 3 * face..<3 * face + 3
      let anchor = corners.lazy.map { anchors[Int(vertices[$0])] }.first { $0 != .max }
      let source = anchor.map { Int($0) } ?? anyCorner
      for corner in corners { cornerTexels[corner] = cornerTexels[source] }
      facePages[face] = facePages[source / 3]
    }
  }

  private mutating func measureUse() {
    var used = 0.0
    for face in 0..<faceCount where faceCharts[face] != Self.noChart {
      let a = SIMD2<Int>(truncatingIfNeeded: cornerTexels[3 * face])
      let ab = SIMD2<Int>(truncatingIfNeeded: cornerTexels[3 * face + 1]) &- a
      let ac = SIMD2<Int>(truncatingIfNeeded: cornerTexels[3 * face + 2]) &- a
      used += Double(abs(ab.x * ac.y - ab.y * ac.x)) / 2
    }
    let room = pages.reduce(0) { $0 + $1.x * $1.y } * Int(Self.unitsPerTexel * Self.unitsPerTexel)
    usedShare = room > 0 ? used / Double(room) : 0
  }
}
