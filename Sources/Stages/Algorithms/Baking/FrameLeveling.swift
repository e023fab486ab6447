import MeshPipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Levels each frame to the consensus, place by place.
///
/// One gain per frame leaves what changes within a picture: vignetting, local tone mapping, glare. The
/// ratio of consensus to frame is taken at each vertex and smoothed over the surface, frame by frame,
/// so that it follows light but no texture (the global levelling of Waechter et al. 2014, over all
/// vertices instead of those of seams, which needs no sparse solve).
enum FrameLeveling {
  struct Options: Sendable {
    var rounds = 16
    /// How much the neighbours count beside a vertex's own ratio.
    var smoothness: Float = 4
    /// The largest correction, as a logarithm.
    var limit: Float = 0.35
  }

  /// Writes the levels of the views into the table.
  static func level(
    _ table: inout ViewTable, _ looks: FrameLooks, _ consensus: ColorConsensus,
    offsets: [UInt32], neighbors: [UInt32], options: Options = Options()
  ) {
    var data: [SIMD4<Float>] = []
    data.reserveCapacity(table.views.count)
    for vertex in 0..<table.vertexCount {
      for index in table.range(of: vertex) {
        data.append(ratio(table.views[index], looks, consensus.colors[vertex], options.limit))
      }
    }
    // Light ratios and, as the fourth, weights that are spread alike: where nothing is known, nothing
    // is changed.
    var fields = data.map { SIMD4($0.x * $0.w, $0.y * $0.w, $0.z * $0.w, $0.w) }
    let own = fields
    for _ in 0..<options.rounds {
      let chunks = Parallel.mapChunks(of: table.vertexCount, chunkSize: 1 << 12) {
        [table, fields] range in
        var result: [SIMD4<Float>] = []
        var sums: [SIMD4<Float>] = []
        for vertex in range {
          let views = table.range(of: vertex)
          sums.removeAll(keepingCapacity: true)
          for _ in views { sums.append(.zero) }
          let places = Int(offsets[vertex])..<Int(offsets[vertex + 1])
          for place in places {
            add(table, fields, table.range(of: Int(neighbors[place])), to: &sums, views)
          }
          let force = options.smoothness / Float(max(1, places.count))
          for (place, index) in views.enumerated() {
            result.append((own[index] + sums[place] * force) * (1 / (1 + options.smoothness)))
          }
        }
        return result
      }
      fields = Parallel.joined(chunks)
    }
    for index in fields.indices {
      let field = fields[index]
      let scale = 1 / (field.w + 0.02)
      table.views[index].level = Vector3(
        exp(field.x * scale), exp(field.y * scale), exp(field.z * scale))
    }
  }

  private static func ratio(
    _ view: ViewTable.View, _ looks: FrameLooks, _ consensus: SIMD4<Float>, _ limit: Float
  ) -> SIMD4<Float> {
    let color = SIMD4<Float>(view.sighting.color) * looks.gains[Int(view.frame)]
    var result = SIMD4<Float>.zero
    for channel in 0..<3 {
      // A little light is added to both, so that noise in the dark counts for nothing.
      let ratio = log((consensus[channel] + 650) / (color[channel] + 650))
      result[channel] = min(max(ratio, -limit), limit)
    }
    result.w = view.sighting.trust * view.agreement
    return result
  }

  @inline(__always)
  private static func add(
    _ table: ViewTable, _ fields: [SIMD4<Float>], _ others: Range<Int>,
    to sums: inout [SIMD4<Float>], _ views: Range<Int>
  ) {
    var other = others.lowerBound
    for (place, index) in views.enumerated() {
      let frame = table.views[index].frame
      while other < others.upperBound, table.views[other].frame < frame { other += 1 }
      guard other < others.upperBound else { return }
      if table.views[other].frame == frame { sums[place] += fields[other] }
    }
  }
}
