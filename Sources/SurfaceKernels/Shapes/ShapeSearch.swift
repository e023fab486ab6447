import MeshpipeScene

/// Finds shapes among samples by drawing few that determine one (efficient RANSAC: Schnabel, Wahl and Klein 2007).
///
/// Samples are drawn from windows of all sizes along a space-filling curve, so that they often are on one shape. What they
/// determine is tried on samples of its window and of all; the best few are fitted by least squares, and the best of these
/// is taken with its connected samples, which leave the search. The numbers that decide what is drawn are always the same.
struct ShapeSearch {
  struct Options: Sendable {
    var kinds: [Shape.Kind]
    var tolerance: ShapeTolerance
    /// The least weight of a shape.
    var leastWeight: Double
    /// Parts that are nearer to each other than about this are one.
    var gap: Double
    /// A shape is there within cells of this edge around its samples.
    var reach: Double
  }

  struct Found: Sendable {
    var model: ShapeModel
    /// The samples of the shape, in ascending order.
    var numbers: [Int32]
    var weight: Double
  }

  let samples: ShapeSamples
  var options: Options
  /// The samples that are on no shape so far.
  private(set) var remaining: SampleBlocks
  /// The samples at a seed; nil to find all shapes.
  var anchors: Set<Int32>?
  private(set) var found: [Found] = []

  /// The samples that are on no shape so far, along the curve.
  var order: [Int32] { remaining.order }

  /// Shapes that are drawn in a round, and the rounds without a find after which the search ends at the latest.
  private static let (draws, mostRounds) = (512, 40)
  /// The samples on which a shape is tried: of its window, of all, and of all for the best ones.
  private static let (local, global, many) = (48, 160, 4096)
  /// The best shapes of a round that are tried on more samples, and of these the ones that are fitted.
  private static let (chosen, fitted) = (48, 6)
  /// The fewest samples of a shape.
  static let leastCount = 10
  /// As many samples tell a shape among noise.
  private static let enough = 200
  /// The most shapes of a search.
  private static let mostShapes = 400

  /// - Parameter numbers: The samples to search, in ascending order.
  init(_ samples: ShapeSamples, _ numbers: [Int32], _ options: Options) {
    self.samples = samples
    self.options = options
    let curve = SpatialOrder(of: numbers.map { samples.positions[Int($0)] })
    remaining = SampleBlocks(samples, along: curve.indices.map { numbers[Int($0)] })
  }

  /// Finds shapes until none of the least weight is likely to be left.
  ///
  /// Where even the smallest shape has very many samples, shapes are found among fewer, and then take theirs of all.
  ///
  /// - Parameter progress: Called with the share of the samples searched; an error ends the search.
  mutating func run(progress: (Double) throws -> Void) rethrows {
    guard var few = thinned else { return try draw(progress: progress) }
    try few.draw(progress: progress)
    for find in few.found {
      // Parts that are one among few samples may be two.
      while let whole = judged(find.model) {
        found.append(whole)
        remove(whole.numbers)
      }
    }
  }

  /// A search among as few samples as still tell the smallest shape; nil if these are most.
  private var thinned: ShapeSearch? {
    let usual = samples.weight(of: order) / Double(max(order.count, 1))
    let share = usual > 0 ? options.leastWeight / usual / Double(Self.enough) : 1
    guard share >= 2 else { return nil }
    let step = Int(min(share, Double(order.count)))
    var few = self
    few.options.leastWeight /= Double(step)
    few.options.gap *= Double(step).squareRoot()
    few.remaining = SampleBlocks(
      samples, along: stride(from: step / 2, to: order.count, by: step).map { order[$0] })
    return few
  }

  private mutating func draw(progress: (Double) throws -> Void) rethrows {
    let all = max(order.count, 1)
    var (round, failures) = (0, 0)
    while order.count >= Self.leastCount, found.count < Self.mostShapes, failures < roundLimit {
      try progress(1 - Double(order.count) / Double(all))
      guard samples.weight(of: order) >= options.leastWeight else { return }
      let news = finds(ofRound: round)
      round += 1
      failures = news.isEmpty ? failures + 1 : 0
      found += news
      remove(news.flatMap(\.numbers))
    }
  }

  /// The heaviest shape around a seed, grown as far as its connected samples go.
  ///
  /// - Parameters:
  ///   - numbers: All samples, in ascending order.
  ///   - seed: Those around the seed.
  static func around(
    _ samples: ShapeSamples, _ numbers: [Int32], seed: [Int32], _ options: Options
  ) -> Found? {
    guard seed.count >= leastCount else { return nil }
    var near = ShapeSearch(samples, seed, options)
    near.options.leastWeight = leastSeedShare * samples.weight(of: seed)
    var all = ShapeSearch(samples, numbers, options)
    all.anchors = Set(seed)
    all.options.leastWeight = near.options.leastWeight
    let starts = (0..<seedRounds).flatMap { round in
      options.kinds.flatMap { near.starts(of: $0, round: round) }
    }
    let grown = Parallel.map(count: starts.count) { [all, starts] place -> Found? in
      all.judged(starts[place])
    }
    // The simplest of equally heavy ones comes first.
    return grown.compactMap { $0 }.max { $0.weight < $1.weight }
  }

  /// The least share of the samples around a seed that is on its shape, and the rounds in which it is looked for.
  private static let (leastSeedShare, seedRounds) = (0.3, 2)

  /// The best candidates of a kind, each fitted to all samples.
  private func starts(of kind: Shape.Kind, round: Int) -> [ShapeModel] {
    var search = self
    search.options.kinds = [kind]
    return best(search.candidates(ofRound: round), Self.seedStarts).map { candidate in
      let near = accepted(by: candidate.model)
      return candidate.model.fitted(
        to: samples, near, tolerance: options.tolerance.distance) ?? candidate.model
    }
  }

  /// The candidates of each kind that grow from a seed.
  private static let seedStarts = 3

  /// Rounds after which the smallest shape would have been drawn with a probability of 99 %: its share of the samples is
  /// that of the first one, and one in about forty of the others is on it together with that.
  private var roundLimit: Int {
    let weight = samples.weight(of: order)
    let share = weight > 0 ? min(options.leastWeight / weight, 1) : 1
    let rounds = 4.6 * 40 / (share * Double(Self.draws))
    return max(Int(min(rounds, Double(Self.mostRounds))), 4)
  }

  private mutating func remove(_ numbers: [Int32]) {
    guard !numbers.isEmpty else { return }
    var isGone = [Bool](repeating: false, count: samples.count)
    for number in numbers { isGone[Int(number)] = true }
    remaining = SampleBlocks(samples, along: order.filter { !isGone[Int($0)] })
  }

  // MARK: A round

  private struct Candidate: Sendable {
    var model: ShapeModel
    var score: Double
  }

  /// The shapes of a round that share no samples, the heaviest first.
  private func finds(ofRound round: Int) -> [Found] {
    let first = best(candidates(ofRound: round), Self.chosen)
    let trial = evenly(Self.many)
    let tried = Parallel.map(count: first.count) { index -> Candidate in
      let model = first[index].model
      return Candidate(model: model, score: max(score(model, on: trial), first[index].score))
    }
    let chosen = best(tried, Self.fitted)
    let refined = Parallel.map(count: chosen.count) { index -> Found? in
      self.refined(chosen[index].model, trial)
    }
    var finds: [Found] = []
    for find in refined.compactMap({ $0 }).sorted(by: { $0.weight > $1.weight }) {
      guard let find = finds.isEmpty ? find : rest(of: find, without: finds) else { continue }
      finds.append(find)
    }
    return finds
  }

  private func candidates(ofRound round: Int) -> [Candidate] {
    Parallel.mapChunks(of: Self.draws, chunkSize: 16) { range in
      range.flatMap { candidates(draw: round * Self.draws + $0) }
    }.flatMap(\.self)
  }

  /// The candidates with the highest scores, in this order; equal ones as they were drawn.
  private func best(_ candidates: [Candidate], _ count: Int) -> [Candidate] {
    let order = candidates.indices.filter { candidates[$0].score > 0 }.sorted {
      (candidates[$1].score, $0) < (candidates[$0].score, $1)
    }
    return order.prefix(count).map { candidates[$0] }
  }

  /// The shapes that one draw determines, with estimates of how many samples are on them.
  private func candidates(draw: Int) -> [Candidate] {
    var random = SplitMix64(seed: UInt64(draw) &* 0x9E37_79B9_97F4_A7C1)
    func below(_ count: Int) -> Int { min(Int(random.unit() * Double(count)), count - 1) }
    // Windows of 16 samples to all.
    var levels = 0
    while order.count >> (levels + 1) >= 16 { levels += 1 }
    let size = order.count >> below(levels + 1)
    let first = below(order.count)
    let start = min(max(first - below(size), 0), order.count - size)
    let numbers = [order[first]] + (0..<3).map { _ in order[start + below(size)] }
    let drawn = numbers.map { samples.sample($0) }
    let window = (0..<Self.local).map { _ in order[start + below(size)] }
    let some = (0..<Self.global).map { _ in order[below(order.count)] }
    return options.kinds.flatMap { kind in
      ShapeModel.candidates(kind, through: drawn).compactMap { model in
        guard model.isFinite, max(model.radius, model.tube) < Self.largestRadius,
          drawn.prefix(ShapeModel.sampleCount(of: kind)).allSatisfy({
            options.tolerance.accepts(model, $0)
          })
        else { return nil }
        let near = score(model, on: window) * Double(size) / Double(order.count)
        guard near > 0 else { return nil }
        return Candidate(model: model, score: max(near, score(model, on: some)))
      }
    }
  }

  /// The maximum radius in extents of the scene.
  private static let largestRadius = 2.0

  /// The mean agreement of samples.
  private func score(_ model: ShapeModel, on numbers: [Int32]) -> Double {
    var sum = 0.0
    for number in numbers {
      let sample = samples.sample(number)
      sum +=
        options.tolerance.agreement(of: model, sample.position, sample.normal)
        * Double(samples.weights[Int(number)])
    }
    return sum / Double(max(numbers.count, 1))
  }

  /// Some of the remaining samples, evenly along the curve.
  private func evenly(_ count: Int) -> [Int32] { order.evenly(atMost: count) }

  /// The remainder of a shape after others took their samples; nil if a tenth or more is gone, or it is too small.
  private func rest(of find: Found, without others: [Found]) -> Found? {
    let taken = Set(others.flatMap(\.numbers))
    let numbers = find.numbers.filter { !taken.contains($0) }
    // Most of a shape that was found twice is gone; another round finds the rest.
    guard Double(numbers.count) > 0.9 * Double(find.numbers.count) else { return nil }
    let weight = samples.weight(of: numbers)
    return weight < options.leastWeight
      ? nil : Found(model: find.model, numbers: numbers, weight: weight)
  }
}
