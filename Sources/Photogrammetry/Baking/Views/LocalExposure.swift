import MeshpipeScene
import POSIX
import SurfaceKernels

/// Levels each frame to the consensus, locally.
///
/// One gain per frame doesn't correct variations within an image: vignetting, local tone mapping,
/// glare. The ratio of consensus to frame is taken at each vertex and smoothed over the surface,
/// frame by frame, so that it follows light but not texture. It takes the place of seam levelling (Lempitsky and
/// Ivanov 2007; global adjustment of Waechter et al. 2014): frames are levelled wherever they are seen, not only
/// along seams, towards what all agree on, and by some Jacobi steps instead of a sparse solve.
package enum LocalExposure {
  package struct Options: Sendable {
    /// Steps of smoothing.
    ///
    /// Each carries four fifths of the neighbours' ratios one edge further, so that after 16 hardly anything is left
    /// to come (0.8¹⁶ = 0.03).
    package var rounds = 16
    /// The weight of the neighbours relative to a vertex's own ratio.
    ///
    /// Measured on a real chair: less smoothing, or none, changes nothing with triangles of 5 cm, over which colours
    /// are blurred already; much more would miss the glare of a lamp.
    package var smoothness: Float = 4
    /// The largest correction, as a logarithm: 42 %.
    ///
    /// More is not exposure but another colour: a moved object, or a pose that is off.
    package var limit: Float = 0.35

    package init() {}
  }

  /// Added to the smoothed weight that corrections are divided by: with less evidence around, none.
  ///
  /// It takes a fiftieth from the correction of observations that agree (weight 1), and half from that of those
  /// whose surroundings have hardly any that do.
  private static let leastWeight: Float = 0.02

  /// Writes the levels of the chosen observations.
  ///
  /// Frames are independent here: each is levelled by itself, so that working memory is needed for
  /// only a few frames at a time.
  static func level(
    _ selected: inout SelectedObservations, in table: ObservationTable,
    photometry: FramePhotometry, consensus: ColorConsensus, offsets: [UInt32], neighbors: [UInt32],
    options: Options = Options()
  ) {
    let rows = FrameRows(table)
    let (first, vertexCount) = (selected.offsets, selected.vertexCount)
    selected.contributions.withDisjointBuffer { views in
      Parallel.forEach(0..<table.frameCount) { frame in
        let row = rows.range(of: frame)
        guard !row.isEmpty else { return }
        let own = row.map { entry in
          let vertex = Int(rows.vertices[entry])
          return ratio(
            of: table.observations[Int(rows.views[entry])], photometry: photometry,
            consensus: consensus.colors[vertex], limit: options.limit)
        }
        let vertices = Array(rows.vertices[row])
        let fields = smoothed(
          own, at: vertices, of: vertexCount, offsets: offsets, neighbors: neighbors, options)
        for (vertex, field) in zip(vertices, fields) {
          let selected = Int(first[Int(vertex)])..<Int(first[Int(vertex) + 1])
          guard let index = selected.first(where: { views[$0].frame == frame }) else { continue }
          let scale = 1 / (field.w + leastWeight)
          views[index].localGain = Vector3(
            exp(field.x * scale), exp(field.y * scale), exp(field.z * scale))
        }
      }
    }
  }

  /// Diffuses weighted ratios of a frame, and their weights, alike: where nothing is known, nothing
  /// changes.
  private static func smoothed(
    _ own: [SIMD4<Float>], at vertices: [UInt32], of vertexCount: Int, offsets: [UInt32],
    neighbors: [UInt32], _ options: Options
  ) -> [SIMD4<Float>] {
    var places = [UInt32](repeating: .max, count: vertexCount)
    for (place, vertex) in vertices.enumerated() {
      places[Int(vertex)] = UInt32(truncatingIfNeeded: place)
    }
    var fields = own
    var next = own
    for _ in 0..<options.rounds {
      for (place, vertex) in vertices.enumerated() {
        let around = Int(offsets[Int(vertex)])..<Int(offsets[Int(vertex) + 1])
        var sum = SIMD4<Float>.zero
        for index in around {
          let other = places[Int(neighbors[index])]
          if other != .max { sum += fields[Int(other)] }
        }
        let force = options.smoothness / Float(max(1, around.count))
        next[place] = (own[place] + sum * force) * (1 / (1 + options.smoothness))
      }
      swap(&fields, &next)
    }
    return fields
  }

  /// The logarithm of the ratio of consensus to observation, times its weight, and the weight.
  private static func ratio(
    of observation: ObservationTable.Observation, photometry: FramePhotometry,
    consensus: SIMD4<Float>, limit: Float
  ) -> SIMD4<Float> {
    let color =
      SIMD4<Float>(observation.measurement.color) * photometry.gains[Int(observation.frame)]
    let weight = observation.measurement.confidence * observation.agreement
    var result = SIMD4<Float>.zero
    for channel in 0..<3 {
      let ratio = log(
        (consensus[channel] + ColorConsensus.noiseFloor)
          / (color[channel] + ColorConsensus.noiseFloor))
      result[channel] = min(max(ratio, -limit), limit) * weight
    }
    result.w = weight
    return result
  }
}

/// The observations of a table, frame by frame.
private struct FrameRows {
  private let offsets: [Int]
  /// For each frame the vertices that it sees, ascending, and the indices of their observations in the
  /// table.
  let vertices: [UInt32]
  let views: [UInt32]

  init(_ table: ObservationTable) {
    var offsets = [Int](repeating: 0, count: table.frameCount + 1)
    for observation in table.observations { offsets[Int(observation.frame) + 1] += 1 }
    for frame in 0..<table.frameCount { offsets[frame + 1] += offsets[frame] }
    var next = offsets
    var vertices = [UInt32](repeating: 0, count: table.observations.count)
    var views = vertices
    for vertex in 0..<table.vertexCount {
      for index in table.range(of: vertex) {
        let frame = Int(table.observations[index].frame)
        vertices[next[frame]] = UInt32(truncatingIfNeeded: vertex)
        views[next[frame]] = UInt32(truncatingIfNeeded: index)
        next[frame] += 1
      }
    }
    (self.offsets, self.vertices, self.views) = (offsets, vertices, views)
  }

  func range(of frame: Int) -> Range<Int> { offsets[frame]..<offsets[frame + 1] }
}
