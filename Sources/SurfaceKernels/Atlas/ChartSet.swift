import MeshpipeScene

/// Faces grouped into charts, each parameterised in its own plane.
package struct ChartSet: Sendable {
  /// The chart of each face, or ``Atlas/noChart``.
  package var chartOfFace: [UInt32]
  package var count: Int
  /// The position of each corner in the plane of its chart, x to the right and y down, in units in
  /// which a chart's area is about that of its faces.
  package var corners: [SIMD2<Float>]

  var members: ChartMembers { ChartMembers(chartOfFace: chartOfFace, count: count) }
}

/// The faces of each chart, in one array (compressed sparse rows), in ascending order.
struct ChartMembers: Sendable {
  let offsets: [UInt32]
  let faces: [UInt32]

  init(chartOfFace: [UInt32], count: Int) {
    var offsets = [UInt32](repeating: 0, count: count + 1)
    for chart in chartOfFace where chart != Atlas.noChart { offsets[Int(chart) + 1] += 1 }
    for chart in 0..<count { offsets[chart + 1] += offsets[chart] }
    var next = offsets
    var faces = [UInt32](repeating: 0, count: Int(offsets[count]))
    for face in chartOfFace.indices where chartOfFace[face] != Atlas.noChart {
      let chart = Int(chartOfFace[face])
      faces[Int(next[chart])] = UInt32(truncatingIfNeeded: face)
      next[chart] += 1
    }
    self.offsets = offsets
    self.faces = faces
  }

  var count: Int { offsets.count - 1 }

  subscript(chart: Int) -> ArraySlice<UInt32> {
    faces[Int(offsets[chart])..<Int(offsets[chart + 1])]
  }
}

extension ChartSet {
  /// The bounding box of faces of one chart.
  func box(of faces: some Sequence<UInt32>) -> (low: SIMD2<Float>, high: SIMD2<Float>) {
    var (low, high) = (SIMD2<Float>(repeating: .infinity), SIMD2<Float>(repeating: -.infinity))
    for face in faces {
      for corner in 3 * Int(face)..<3 * Int(face) + 3 {
        let place = corners[corner]
        low.replace(with: place, where: place .< low)
        high.replace(with: place, where: place .> high)
      }
    }
    return (low, high)
  }

  /// The charts without empty ones, renumbered in the order of their first face.
  func compacted() -> ChartSet {
    var compact = self
    var numbers = [UInt32](repeating: Atlas.noChart, count: count)
    compact.count = 0
    for face in chartOfFace.indices where chartOfFace[face] != Atlas.noChart {
      let old = Int(chartOfFace[face])
      if numbers[old] == Atlas.noChart {
        numbers[old] = UInt32(truncatingIfNeeded: compact.count)
        compact.count += 1
      }
      compact.chartOfFace[face] = numbers[old]
    }
    return compact
  }

  /// The area of all charts.
  var totalArea: Double {
    chartOfFace.indices.reduce(0.0) { sum, face in
      chartOfFace[face] == Atlas.noChart ? sum : sum + area(ofFace: face)
    }
  }

  /// The area of a face in its chart.
  func area(ofFace face: Int) -> Double {
    let (a, b, c) = (corners[3 * face], corners[3 * face + 1], corners[3 * face + 2])
    let (ab, ac) = (b - a, c - a)
    return abs(Double(ab.x) * Double(ac.y) - Double(ab.y) * Double(ac.x)) / 2
  }

  /// Cuts charts that are longer than a page into strips, face by face.
  func cut(longerThan limit: Float, _ members: ChartMembers) -> ChartSet {
    var cut = self
    for chart in 0..<count {
      let box = box(of: members[chart])
      let size = box.high - box.low
      guard max(size.x, size.y) > limit, members[chart].count > 1 else { continue }
      var largest = SIMD2<Float>.zero
      for face in members[chart] {
        let faceBox = self.box(of: CollectionOfOne(face))
        let extent = faceBox.high - faceBox.low
        largest.replace(with: extent, where: extent .> largest)
      }
      let columns = Self.strips(size.x, limit: limit, largestFace: largest.x)
      let rows = Self.strips(size.y, limit: limit, largestFace: largest.y)
      var numbers: [Int: UInt32] = [:]
      for face in members[chart] {
        let corner = 3 * Int(face)
        let center = (corners[corner] + corners[corner + 1] + corners[corner + 2]) / 3 - box.low
        let column = Self.strip(at: center.x / size.x, of: columns)
        let row = Self.strip(at: center.y / size.y, of: rows)
        let part = row * columns + column
        if numbers[part] == nil {
          numbers[part] = numbers.isEmpty ? UInt32(chart) : UInt32(cut.count)
          if numbers.count > 1 { cut.count += 1 }
        }
        cut.chartOfFace[Int(face)] = numbers[part] ?? 0
      }
    }
    return cut
  }

  private static func strip(at share: Float, of count: Int) -> Int {
    share.isFinite ? min(max(Int(share * Float(count)), 0), count - 1) : 0
  }

  /// The number of equal strips for a length such that none, with its faces, exceeds the limit.
  private static func strips(_ length: Float, limit: Float, largestFace: Float) -> Int {
    guard length > limit else { return 1 }
    return Int(min(64, (length / max(limit - largestFace, limit / 8)).rounded(.up)))
  }
}
