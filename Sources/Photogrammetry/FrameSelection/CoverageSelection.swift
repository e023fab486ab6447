/// Chooses a small set of frames that together see everything well enough.
///
/// A greedy choice: always the frame that adds most. For coverage no polynomial algorithm is better
/// by more than a factor of 1 − 1/e (Nemhauser, Wolsey and Fisher 1978).
struct CoverageSelection {
  /// The samples that each frame sees well, with a weight from 0 to 1.
  let weights: [[(sample: Int, weight: Float)]]
  /// The number of further frames that each sample needs.
  private(set) var needs: [Int]
  private let isSeen: [Bool]

  /// - Parameters:
  ///   - views: What each frame sees.
  ///   - factors: The weight of each frame's views: sharp frames are preferred to blurred ones.
  ///   - views: The number of frames that should see each sample well.
  init(_ views: [[FrameView]], factors: [Float], sampleCount: Int, wanted: Int) {
    var best = [Float](repeating: 0, count: sampleCount)
    for view in views.joined() {
      best[Int(view.sample)] = max(best[Int(view.sample)], view.resolution)
    }
    weights = zip(views, factors).map { views, factor in
      views.compactMap { view in
        let share = view.resolution / best[Int(view.sample)]
        return share >= Self.wellSeen ? (Int(view.sample), share * factor) : nil
      }
    }
    needs = [Int](repeating: wanted, count: sampleCount)
    isSeen = best.map { $0 > 0 }
  }

  /// A frame sees a sample well if it has this share of the best resolution of any frame: half of it is one step of an
  /// image pyramid, and frames from twice as far show four times as much.
  static let wellSeen: Float = 0.5

  /// The gain from a frame: the weighted share of the surface that still needs it.
  func gain(of frame: Int) -> Float {
    var sum: Float = 0
    for view in weights[frame] where needs[view.sample] > 0 { sum += view.weight }
    return sum / Float(max(needs.count, 1))
  }

  /// Adds a frame to the selection.
  mutating func take(_ frame: Int) {
    for view in weights[frame] where needs[view.sample] > 0 { needs[view.sample] -= 1 }
  }

  /// Selects frames, the one that adds most first, until none adds `minimumGain` or `limit` is
  /// reached.
  ///
  /// - Returns: Each selected frame, with its gain.
  mutating func take(
    from candidates: [Int], minimumGain: Float, limit: Int
  ) -> [(frame: Int, gain: Float)] {
    // A gain can only fall, so an old one is an upper bound (Minoux 1978).
    var bounds = candidates.map { (frame: $0, gain: gain(of: $0)) }
    var taken: [(frame: Int, gain: Float)] = []
    while taken.count < limit {
      var best: (place: Int, gain: Float)?
      for place in bounds.indices.sorted(by: { bounds[$0].gain > bounds[$1].gain }) {
        if let best, best.gain >= bounds[place].gain { break }
        bounds[place].gain = gain(of: bounds[place].frame)
        if bounds[place].gain > best?.gain ?? 0 { best = (place, bounds[place].gain) }
      }
      guard let best, best.gain >= minimumGain else { break }
      let frame = bounds.remove(at: best.place).frame
      take(frame)
      taken.append((frame, best.gain))
    }
    return taken
  }

  /// The share of the visible surface that is seen by the requested number of frames.
  var coveredShare: Double {
    let seen = isSeen.count { $0 }
    let covered = zip(isSeen, needs).count { $0 && $1 == 0 }
    return seen > 0 ? Double(covered) / Double(seen) : 0
  }
}
