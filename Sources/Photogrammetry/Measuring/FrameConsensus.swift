import MeshpipeBase

/// Separates frames whose images agree from outliers.
struct FrameConsensus: Sendable {
  /// Frames with enough comparisons to judge them.
  private(set) var judged: [Int] = []
  /// The judged frames that agree with no other.
  private(set) var isolated: [Int] = []
  /// Whether each frame agrees with another one.
  private(set) var agrees: [Bool]
  /// Frames that contradict most of the others.
  private(set) var outliers: [Int] = []
  /// The mean correlation of each frame's patches with others; NaN without comparisons.
  private(set) var correlations: [Double]

  /// The correlation above which two images agree, and that below which they contradict each other.
  ///
  /// The best of many shifts correlates a little by chance; the worst of correct captures reached 0.53 in the mean.
  /// Between the two nothing is said, since a false accusation leaves out good frames.
  private static let agreeing = 0.3
  private static let contradicting = 0.15
  /// The minimum number of compared patches to judge a frame, of up to 300 in each of its pairs: frames that
  /// hardly overlap others are not judged.
  private static let leastPatches = 40
  /// The minimum number of agreeing patches in pairs, that is of three small ones: on the mesh of another room a
  /// handful of patches of a periodic texture agreed by chance.
  private static let leastAgreement = 24
  /// The mean correlation above which images certainly fit: between ``agreeing`` and the 0.53 of the worst of correct
  /// captures.
  private static let sure = 0.4
  /// With more than one frame in this many that agrees with none, or contradicts others, the rest proves nothing.
  private static let judgedPerOutlier = 10
  /// Contradictions of a group must be at least this share of its internal agreement: two rooms may
  /// have only the view of a mirror in common.
  private static let leastContradiction = 0.5

  /// The comparisons between two groups.
  private struct Tally {
    var patches = 0
    var sum = 0.0

    mutating func add(_ pair: ImageCorrelation.Pair) {
      patches += pair.patches
      sum += Double(pair.patches) * pair.correlation
    }

    var mean: Double { patches == 0 ? .nan : sum / Double(patches) }
  }

  init(_ pairs: [ImageCorrelation.Pair], count: Int) {
    var tallies = [Tally](repeating: Tally(), count: count)
    var agreeingPatches = [Int](repeating: 0, count: count)
    agrees = [Bool](repeating: false, count: count)
    for pair in pairs {
      for frame in [pair.first, pair.second] {
        tallies[frame].add(pair)
        if pair.correlation >= Self.agreeing { agreeingPatches[frame] += pair.patches }
      }
    }
    for frame in agrees.indices { agrees[frame] = agreeingPatches[frame] >= Self.leastAgreement }
    correlations = tallies.map(\.mean)
    judged = tallies.indices.filter { tallies[$0].patches >= Self.leastPatches }
    isolated = []
    isolated = judged.filter {
      !agrees[$0] && tallies[$0].mean < (Self.agreeing + Self.contradicting) / 2
    }
    outliers = Self.outliers(pairs, count: count)
  }

  /// The number of judged frames that is enough to judge all: of two, either may be the wrong one.
  static let leastJudged = 3

  /// Whether most judged frames agree with none.
  var isBroken: Bool {
    judged.count >= Self.leastJudged && 2 * isolated.count > judged.count
  }

  /// Whether nearly all of a sufficient number of frames agree.
  func isSure(of count: Int) -> Bool {
    let mean = judged.reduce(0) { $0 + correlations[$1] } / Double(max(judged.count, 1))
    return mean > Self.sure && 2 * judged.count > count
      && Self.judgedPerOutlier * isolated.count <= judged.count
      && Self.judgedPerOutlier * outliers.count <= judged.count
  }

  /// Groups of agreeing frames, the largest first; a group that contradicts earlier ones consists
  /// of outliers.
  private static func outliers(_ pairs: [ImageCorrelation.Pair], count: Int) -> [Int] {
    let groups = groups(pairs, count: count)
    var groupOf = [Int](repeating: 0, count: count)
    for (number, group) in groups.enumerated() { for frame in group { groupOf[frame] = number } }
    var byGroup = [[ImageCorrelation.Pair]](repeating: [], count: groups.count)
    var within = [Int](repeating: 0, count: groups.count)
    for pair in pairs {
      let (first, second) = (groupOf[pair.first], groupOf[pair.second])
      if first == second {
        within[first] += pair.patches
      } else {
        byGroup[max(first, second)].append(pair)
      }
    }
    var isTrusted = [Bool](repeating: true, count: groups.count)
    for number in groups.indices.dropFirst() {
      var tally = Tally()
      for pair in byGroup[number]
      where isTrusted[min(groupOf[pair.first], groupOf[pair.second])] {
        tally.add(pair)
      }
      let enough = max(leastPatches, Int(leastContradiction * Double(within[number])))
      isTrusted[number] = tally.patches < enough || tally.mean >= contradicting
    }
    return groups.indices.filter { !isTrusted[$0] }.flatMap { groups[$0] }.sorted()
  }

  /// Frames connected by agreeing pairs.
  private static func groups(_ pairs: [ImageCorrelation.Pair], count: Int) -> [[Int]] {
    var sets = DisjointSets(count: count)
    for pair in pairs where pair.correlation >= agreeing { sets.join(pair.first, pair.second) }
    var groups: [Int: [Int]] = [:]
    for frame in 0..<count { groups[sets.root(of: frame), default: []].append(frame) }
    return groups.values.sorted {
      $0.count != $1.count ? $0.count > $1.count : $0[0] < $1[0]
    }
  }
}
