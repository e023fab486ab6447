import MeshpipeScene

/// Divides a surface into nearly flat charts.
///
/// Regions grow from the flattest faces over shared edges, always to the face that deviates least
/// from the region's mean normal. Small regions are then merged with the neighbour with which they
/// share the longest border.
package struct ChartGrowth {
  package struct Limits {
    /// The cosine of the maximum angle between a face's smoothed normal and its region's.
    var growth: Float = 0.56
    /// The cosine of the maximum angle between a face's smoothed normal and that of two regions together, of which
    /// the smaller one, with the face, is merged into the other.
    var merging: Float = 0.42
    /// The minimum cosine between a face's own normal and that of its region; a noisy face may fall
    /// below it if the faces around it, together with it, reach ``ring``.
    var face: Float = 0.08
    var ring: Float = 0.75
    /// Regions below this share of the total area are merged if possible.
    var smallShare: Float = 0.002
  }

  private let surface: ChartSurface
  private let limits: Limits
  package private(set) var chartOfFace: [UInt32]
  /// The sum of the smoothed area vectors of each chart.
  private(set) var sums: [SIMD3<Float>] = []
  private var areas: [Float] = []

  package init(_ surface: ChartSurface, limits: Limits = Limits()) {
    self.surface = surface
    self.limits = limits
    chartOfFace = [UInt32](repeating: Atlas.noChart, count: surface.faceCount)
    grow()
    for _ in 0..<3 { mergeSmall() }
    renumber()
  }

  package var count: Int { sums.count }

  // MARK: - Growing

  /// Buckets of faces by deviation, so that the next face is found without a heap.
  private struct Front {
    static let bucketCount = 64
    var buckets = [[UInt32]](repeating: [], count: bucketCount)
    var lowest = bucketCount

    mutating func add(_ face: UInt32, deviation: Float) {
      let bucket = min(Int(max(deviation, 0) * 64), Self.bucketCount - 1)
      buckets[bucket].append(face)
      lowest = min(lowest, bucket)
    }

    mutating func takeFirst() -> UInt32? {
      while lowest < Self.bucketCount {
        if let face = buckets[lowest].popLast() { return face }
        lowest += 1
      }
      return nil
    }
  }

  private mutating func grow() {
    var front = Front()
    for seed in seeds() where chartOfFace[Int(seed)] == Atlas.noChart {
      growChart(from: seed, &front)
    }
  }

  /// All faces with an area, those in the flattest surroundings first.
  private func seeds() -> [UInt32] {
    let rows = surface.flatness.indices.map { face -> UInt32 in
      surface.areas[face] > 0 ? UInt32(255 * (1 - min(max(surface.flatness[face], 0), 1))) : 256
    }
    let order = ChartMembers(chartOfFace: rows, count: 257)
    return order.faces.filter { surface.areas[Int($0)] > 0 }
  }

  private mutating func growChart(from seed: UInt32, _ front: inout Front) {
    let chart = UInt32(truncatingIfNeeded: sums.count)
    var sum = SIMD3<Float>.zero
    var area: Float = 0
    var normal = surface.smoothNormals[Int(seed)].simd
    front.add(seed, deviation: 0)
    while let face = front.takeFirst() {
      let index = Int(face)
      guard chartOfFace[index] == Atlas.noChart else { continue }
      let isSeed = area == 0
      guard isSeed || fits(index, normal) else { continue }
      chartOfFace[index] = chart
      sum += surface.smoothNormals[index].simd * surface.areas[index]
      area += surface.areas[index]
      normal = sum.normalized
      for corner in 3 * index..<3 * index + 3 {
        let neighbor = surface.neighbors[corner]
        guard neighbor != ChartSurface.none, chartOfFace[Int(neighbor)] == Atlas.noChart,
          fits(Int(neighbor), normal)
        else { continue }
        front.add(neighbor, deviation: 1 - surface.smoothNormals[Int(neighbor)].simd.dot(normal))
      }
    }
    sums.append(sum)
    areas.append(area)
  }

  private func fits(_ face: Int, _ normal: SIMD3<Float>) -> Bool {
    surface.smoothNormals[face].simd.dot(normal) >= limits.growth
      && isUpright(face, normal)
  }

  /// Whether a face is front-facing in the plane normal to a vector, apart from noise.
  private func isUpright(_ face: Int, _ normal: SIMD3<Float>) -> Bool {
    surface.normals[face].simd.dot(normal) >= limits.face
      || surface.ringNormals[face].simd.dot(normal) >= limits.ring
  }

  // MARK: - Merging

  /// Merges each small chart with the neighbour across its longest border, if their faces allow it.
  private mutating func mergeSmall() {
    let total = areas.reduce(0, +)
    let members = ChartMembers(chartOfFace: chartOfFace, count: count)
    let order = (0..<count).sorted { (areas[$0], $0) < (areas[$1], $1) }
    for chart in order
    where areas[chart] < limits.smallShare * total || members[chart].count == 1 {
      // The chart may have absorbed others in this round, which wait for the next one.
      guard chartOfFace[Int(members[chart].first ?? 0)] == chart else { continue }
      guard let target = bestNeighbor(of: chart, members[chart]) else { continue }
      for face in members[chart] { chartOfFace[Int(face)] = UInt32(truncatingIfNeeded: target) }
      sums[target] += sums[chart]
      areas[target] += areas[chart]
      sums[chart] = .zero
      areas[chart] = .infinity
    }
    for chart in areas.indices where areas[chart] == .infinity { areas[chart] = 0 }
  }

  private func bestNeighbor(of chart: Int, _ faces: ArraySlice<UInt32>) -> Int? {
    var borders: [UInt32: Float] = [:]
    for face in faces {
      for corner in 3 * Int(face)..<3 * Int(face) + 3 {
        let neighbor = surface.neighbors[corner]
        guard neighbor != ChartSurface.none else { continue }
        let other = chartOfFace[Int(neighbor)]
        guard other != chart, other != Atlas.noChart else { continue }
        let a = surface.positions[Int(surface.vertices[corner])].simd
        let b = surface.positions[Int(surface.vertices[nextCorner(corner)])].simd
        borders[other, default: 0] += (b - a).length
      }
    }
    let candidates = borders.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    for (other, _) in candidates {
      let normal = (sums[Int(other)] + sums[chart]).normalized
      let fits = faces.allSatisfy {
        surface.smoothNormals[Int($0)].simd.dot(normal) >= limits.merging
          && isUpright(Int($0), normal)
      }
      if fits { return Int(other) }
    }
    return nil
  }

  /// Numbers the remaining charts in the order of their first face.
  private mutating func renumber() {
    var numbers = [UInt32](repeating: Atlas.noChart, count: count)
    var newSums: [SIMD3<Float>] = []
    for face in chartOfFace.indices where chartOfFace[face] != Atlas.noChart {
      let old = Int(chartOfFace[face])
      if numbers[old] == Atlas.noChart {
        numbers[old] = UInt32(truncatingIfNeeded: newSums.count)
        newSums.append(sums[old])
      }
      chartOfFace[face] = numbers[old]
    }
    sums = newSums
  }
}
