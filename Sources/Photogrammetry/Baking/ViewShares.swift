import MeshPipeline
import POSIX

/// Chooses the frames that each vertex takes its fine detail from.
///
/// A Potts model over the vertices: each frame has a quality at each vertex, and neighbours prefer
/// to share frames. It is solved by mean field annealing, which ends in shares rather than hard
/// labels, so that frames blend over an edge's length wherever they change.
package struct ViewShares {
  package struct Options: Sendable {
    /// The weight of a neighbour's choice, in units of the logarithm of quality.
    package var smoothness: Float = 2
    /// The final temperature: how much worse a frame may be and still have a share.
    package var temperature: Float = 0.1
    /// Added to it where frames disagree strongly, and no single one is likely to be right.
    package var doubtTemperature: Float = 2.4
    /// Texels per metre: resolution above it does not count.
    package var density: Float = 1000
    package var rounds = 30
    /// The exponents of the single qualities.
    package var sharpnessPower: Float = 1.5
    package var resolutionPower: Float = 1
    /// The most frames that share a vertex.
    package var maximumViews = 5

    package init() {}
  }

  /// The share of each view of the table.
  ///
  /// - Parameters:
  ///   - doubts: How unreliable single frames are at each vertex: see ``ColorConsensus/doubts()``.
  ///   - offsets: See ``CellSurface/neighbors()``.
  static func choose(
    _ table: ViewTable, _ looks: FrameLooks, doubts: [Float], offsets: [UInt32],
    neighbors: [UInt32], options: Options
  ) -> [Float] {
    let qualities = Parallel.array(count: table.views.count) { index in
      quality(table.views[index], looks, options)
    }
    // In contiguous memory: neighbours' views are compared by them repeatedly.
    let frames = table.views.map(\.frame)
    var shares = [Float](repeating: 0, count: table.views.count)
    for round in 0..<options.rounds {
      // From warm to cold in even steps of the logarithm; the last half of the rounds is cold.
      let part = min(1, Float(round) / (Float(options.rounds) * 0.7))
      let warmth = exp((1 - part) * 2.3)
      let chunks = Parallel.mapChunks(of: table.vertexCount, chunkSize: 1 << 12) {
        [shares] range in
        var result: [Float] = []
        var field: [Float] = []
        for vertex in range {
          let views = table.range(of: vertex)
          field.removeAll(keepingCapacity: true)
          for index in views { field.append(qualities[index]) }
          if round > 0 {
            let first = Int(offsets[vertex])
            let last = Int(offsets[vertex + 1])
            let force = options.smoothness / Float(max(1, last - first))
            for place in first..<last {
              add(
                force, frames, shares, table.range(of: Int(neighbors[place])), to: &field, views)
            }
          }
          normalize(
            &field, warmth * (options.temperature + options.doubtTemperature * doubts[vertex]))
          if round > 0 {
            for (place, index) in views.enumerated() {
              field[place] = 0.5 * field[place] + 0.5 * shares[index]
            }
          }
          result += field
        }
        return result
      }
      shares = Parallel.joined(chunks)
    }
    prune(&shares, table, options)
    return shares
  }

  /// The logarithm of how good a view is.
  private static func quality(
    _ view: ViewTable.View, _ looks: FrameLooks, _ options: Options
  ) -> Float {
    let sighting = view.sighting
    let resolution = min(sighting.resolution / options.density, 1.2)
    return options.resolutionPower * log(max(resolution, 1e-3))
      + options.sharpnessPower * log(max(looks.sharpness[Int(view.frame)], 0.05))
      + log(max(sighting.trust, 1e-3)) + log(view.agreement + 0.02)
  }

  /// Adds a neighbour's preferences to the views of a vertex; both are sorted by frame.
  @inline(__always)
  private static func add(
    _ force: Float, _ frames: [UInt32], _ shares: [Float], _ others: Range<Int>,
    to field: inout [Float], _ views: Range<Int>
  ) {
    var other = others.lowerBound
    for (place, index) in views.enumerated() {
      let frame = frames[index]
      while other < others.upperBound, frames[other] < frame { other += 1 }
      guard other < others.upperBound else { return }
      if frames[other] == frame { field[place] += force * shares[other] }
    }
  }

  private static func normalize(_ field: inout [Float], _ temperature: Float) {
    guard let best = field.max() else { return }
    var sum: Float = 0
    for place in field.indices {
      field[place] = exp((field[place] - best) / temperature)
      sum += field[place]
    }
    for place in field.indices { field[place] /= sum }
  }

  /// Drops small shares: each requires sampling every texel around.
  private static func prune(_ shares: inout [Float], _ table: ViewTable, _ options: Options) {
    for vertex in 0..<table.vertexCount {
      let range = table.range(of: vertex)
      guard !range.isEmpty else { continue }
      let sorted = range.sorted { shares[$0] > shares[$1] }
      let limit = max(0.05, 0.1 * shares[sorted[0]])
      var sum: Float = 0
      for (rank, index) in sorted.enumerated() {
        if rank >= options.maximumViews || (rank > 0 && shares[index] < limit) { shares[index] = 0 }
        sum += shares[index]
      }
      for index in range { shares[index] /= sum }
    }
  }
}
