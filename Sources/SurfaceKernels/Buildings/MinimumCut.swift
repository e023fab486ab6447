/// The cheapest division of nodes into two sets, by maximal flow (Dinic 1970).
struct MinimumCut {
  private var heads: [[Int]]
  private var targets: [Int] = []
  private var capacities: [Double] = []
  private let source: Int
  private let sink: Int

  private static let least = 1e-12

  init(count: Int) {
    heads = [[Int]](repeating: [], count: count + 2)
    (source, sink) = (count, count + 1)
  }

  /// What it costs if a node is not in the first set, and if it is.
  mutating func addNode(_ node: Int, ifOutside: Double, ifInside: Double) {
    addArc(source, node, ifOutside, 0)
    addArc(node, sink, ifInside, 0)
  }

  /// What it costs if the first node is inside and the second outside, and the other way round.
  mutating func addPair(_ one: Int, _ other: Int, _ forward: Double, _ backward: Double) {
    addArc(one, other, forward, backward)
  }

  private mutating func addArc(_ from: Int, _ to: Int, _ forward: Double, _ backward: Double) {
    heads[from].append(targets.count)
    targets.append(to)
    capacities.append(forward)
    heads[to].append(targets.count)
    targets.append(from)
    capacities.append(backward)
  }

  /// Whether each node is in the first set.
  mutating func solve() -> [Bool] {
    while true {
      let levels = levels()
      guard levels[sink] >= 0 else { return levels.dropLast(2).map { $0 >= 0 } }
      var next = [Int](repeating: 0, count: heads.count)
      while push(levels, &next) {}
    }
  }

  /// The number of arcs from the source to each node; -1 where none leads.
  private func levels() -> [Int] {
    var levels = [Int](repeating: -1, count: heads.count)
    levels[source] = 0
    var queue = [source]
    var index = 0
    while index < queue.count {
      let node = queue[index]
      index += 1
      for arc in heads[node] where capacities[arc] > Self.least && levels[targets[arc]] < 0 {
        levels[targets[arc]] = levels[node] + 1
        queue.append(targets[arc])
      }
    }
    return levels
  }

  /// Sends flow along one path to the sink.
  private mutating func push(_ levels: [Int], _ next: inout [Int]) -> Bool {
    var path: [Int] = []
    var node = source
    while node != sink {
      var advanced = false
      while next[node] < heads[node].count {
        let arc = heads[node][next[node]]
        if capacities[arc] > Self.least, levels[targets[arc]] == levels[node] + 1 {
          path.append(arc)
          node = targets[arc]
          advanced = true
          break
        }
        next[node] += 1
      }
      if advanced { continue }
      // A dead end: back, and never here again.
      guard let last = path.popLast() else { return false }
      node = targets[last ^ 1]
      next[node] += 1
    }
    let flow = path.map { capacities[$0] }.min() ?? 0
    for arc in path {
      capacities[arc] -= flow
      capacities[arc ^ 1] += flow
    }
    return true
  }
}
