extension ChartSet {
  /// The outcome of moving faces to charts of their own.
  struct Separation {
    /// The new charts.
    var parts: Range<Int>
    /// The chart that each face was of.
    var origins: [UInt32: UInt32]
  }

  /// Moves faces to charts of their own, together with those neighbours that are moved too.
  ///
  /// - Parameters:
  ///   - neighbors: The face across the edge that begins at each corner, as ``ChartSurface/neighbors``.
  ///   - oneByOne: Whether neighbours get different charts.
  mutating func separate(
    _ faces: [UInt32], _ neighbors: [UInt32], oneByOne: Bool
  ) -> Separation {
    let pending = UInt32.max - 1
    let firstNew = count
    var origins: [UInt32: UInt32] = [:]
    for face in faces {
      origins[face] = chartOfFace[Int(face)]
      chartOfFace[Int(face)] = pending
    }
    for face in faces where chartOfFace[Int(face)] == pending {
      let chart = UInt32(truncatingIfNeeded: count)
      count += 1
      var stack = [face]
      chartOfFace[Int(face)] = chart
      while let face = stack.popLast(), !oneByOne {
        for corner in 3 * Int(face)..<3 * Int(face) + 3 {
          let neighbor = neighbors[corner]
          guard neighbor != ChartSurface.none, chartOfFace[Int(neighbor)] == pending,
            origins[neighbor] == origins[face]
          else { continue }
          chartOfFace[Int(neighbor)] = chart
          stack.append(neighbor)
        }
      }
    }
    return Separation(parts: firstNew..<count, origins: origins)
  }
}
