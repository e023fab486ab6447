/// Tells blurred frames from frames of a plain subject: by what other frames show of the same points.
enum RelativeSharpness {
  /// What one frame shows at one point.
  struct Observation: Sendable {
    var sample: UInt32
    /// The logarithm to base 2 of fine over coarse detail.
    var value: Float
  }

  /// How much sharper each frame is than the others who see the same points, as a logarithm to base 2.
  ///
  /// Each observation is taken as the sum of what the point shows and how sharp the frame is; both are
  /// found by medians in turns (Tukey's median polish, 1977), so that up to half of the frames of
  /// a point may be blurred. A typical frame has 0.
  ///
  /// - Returns: Nil for a frame that shares fewer than `minimumShared` points with two other frames.
  static func polished(
    _ frames: [[Observation]], sampleCount: Int, minimumShared: Int = 25, rounds: Int = 8
  ) -> [Float?] {
    let bySample = transposed(frames, sampleCount)
    var sharpness = [Float](repeating: 0, count: frames.count)
    var isKnown = [Bool](repeating: false, count: frames.count)
    for _ in 0..<rounds {
      let subjects: [Float] = bySample.map { views in
        views.count < 3 ? .nan : median(views.map { $0.value - sharpness[$0.frame] })
      }
      for frame in frames.indices {
        let rest = frames[frame].compactMap { observation in
          let subject = subjects[Int(observation.sample)]
          return subject.isNaN ? nil : observation.value - subject
        }
        isKnown[frame] = rest.count >= minimumShared
        sharpness[frame] = isKnown[frame] ? median(rest) : 0
      }
      let typical = median(frames.indices.filter { isKnown[$0] }.map { sharpness[$0] })
      for frame in frames.indices where isKnown[frame] { sharpness[frame] -= typical }
    }
    return frames.indices.map { isKnown[$0] ? sharpness[$0] : nil }
  }

  /// How much sharper each frame is than its neighbours in time: for captures without a surface.
  static func besideNeighbors(_ values: [Float?], reach: Int = 7) -> [Float?] {
    values.indices.map { index in
      let neighbors = max(0, index - reach)...min(values.count - 1, index + reach)
      guard let value = values[index] else { return nil }
      return value - median(neighbors.compactMap { values[$0] })
    }
  }

  /// The median; 0 when there is nothing.
  static func median(_ values: [Float]) -> Float {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    guard let high = middle < sorted.count ? sorted[middle] : nil else { return 0 }
    return sorted.count % 2 == 1 ? high : (sorted[middle - 1] + high) / 2
  }

  private static func transposed(
    _ frames: [[Observation]], _ sampleCount: Int
  ) -> [[(frame: Int, value: Float)]] {
    var result = [[(frame: Int, value: Float)]](repeating: [], count: sampleCount)
    for (frame, observations) in frames.enumerated() {
      for observation in observations {
        result[Int(observation.sample)].append((frame, observation.value))
      }
    }
    return result
  }
}
