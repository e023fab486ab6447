import MeshpipeBase
import MeshpipeScene
import POSIX

/// The regions that lines on the plan enclose, as walls enclose rooms.
///
/// Ends that nearly meet are joined, ends that nearly reach another line end on it, and lines that cross are divided
/// there. What ends freely encloses nothing. Then each region is walked around with the region on the left.
struct WallGraph {
  /// A piece of a wall's surface.
  struct Segment {
    var wall: Int
    var from: SIMD2<Double>
    var to: SIMD2<Double>
  }

  /// A side of a region: a wall, and whether it is walked from its start to its end.
  struct Side: Equatable {
    var wall: Int
    var isForward: Bool
    var from: SIMD2<Double>
    var to: SIMD2<Double>
  }

  /// The bounded regions, counterclockwise; the holes in them are not among them.
  private(set) var regions: [[Side]] = []
  /// The outer borders of what stands in a region or alone, clockwise.
  private(set) var outer: [[Side]] = []

  private struct Edge {
    var wall: Int
    var from: Int
    var to: Int
  }

  private let reach: Double
  private var nodes: [SIMD2<Double>] = []
  private var edges: [Edge] = []

  /// - Parameter reach: Gaps of at most this are closed, in metres.
  init(_ segments: [Segment], reach: Double) {
    self.reach = reach
    let pieces = divided(segments.filter { ($0.to - $0.from).length > 1e-6 })
    makeNodes(pieces)
    removeFreeEnds()
    walk()
  }

  /// Cuts segments where another one crosses them or ends on them.
  private func divided(_ segments: [Segment]) -> [Segment] {
    segments.indices.flatMap { index in
      let own = segments[index]
      let length = (own.to - own.from).length
      let line = PlanLine(from: own.from, to: own.to)
      var cuts: [Double] = []
      for (number, other) in segments.enumerated() where number != index {
        if other.wall == own.wall { continue }
        for end in [other.from, other.to] {
          let along = line.coordinate(of: end)
          if abs(line.distance(to: end)) < reach, along > reach, along < length - reach {
            cuts.append(along)
          }
        }
        if let along = crossing(line, length, other) { cuts.append(along) }
      }
      var ends = [0.0]
      for cut in cuts.sorted() where cut - (ends.last ?? 0) > reach { ends.append(cut) }
      ends.append(length)
      return zip(ends, ends.dropFirst()).map {
        Segment(wall: own.wall, from: line.point(at: $0), to: line.point(at: $1))
      }
    }
  }

  private func crossing(_ line: PlanLine, _ length: Double, _ other: Segment) -> Double? {
    let axis = PlanLine(from: other.from, to: other.to)
    guard let point = line.crossing(axis) else { return nil }
    let (own, theirs) = (line.coordinate(of: point), axis.coordinate(of: point))
    let isWithin =
      own > reach && own < length - reach && theirs > 0 && theirs < (other.to - other.from).length
    return isWithin ? own : nil
  }

  private mutating func makeNodes(_ pieces: [Segment]) {
    let ends = pieces.flatMap { [$0.from, $0.to] }
    var sets = DisjointSets(count: ends.count)
    for one in ends.indices {
      for other in 0..<one
      where one / 2 != other / 2 && (ends[one] - ends[other]).length <= reach {
        sets.join(one, other)
      }
    }
    let numbers = sets.numbered()
    var sums = [SIMD3<Double>](repeating: .zero, count: numbers.count)
    for (end, label) in zip(ends, numbers.labels) { sums[Int(label)] += SIMD3(end, 1) }
    nodes = sums.map { SIMD2($0.x, $0.y) / $0.z }
    for (index, piece) in pieces.enumerated() {
      let (from, to) = (Int(numbers.labels[2 * index]), Int(numbers.labels[2 * index + 1]))
      let isDouble = edges.contains {
        ($0.from == from && $0.to == to) || ($0.from == to && $0.to == from)
      }
      if from != to, !isDouble { edges.append(Edge(wall: piece.wall, from: from, to: to)) }
    }
  }

  private mutating func removeFreeEnds() {
    while true {
      var degrees = [Int](repeating: 0, count: nodes.count)
      for edge in edges {
        degrees[edge.from] += 1
        degrees[edge.to] += 1
      }
      let kept = edges.filter { degrees[$0.from] > 1 && degrees[$0.to] > 1 }
      if kept.count == edges.count { return }
      edges = kept
    }
  }

  /// Follows each half of each edge, at every node to the next edge clockwise.
  private mutating func walk() {
    // Half 2e leaves the start of edge e, half 2e + 1 its end.
    func origin(_ half: Int) -> Int { half % 2 == 0 ? edges[half / 2].from : edges[half / 2].to }
    func target(_ half: Int) -> Int { origin(half ^ 1) }
    var around = [[Int]](repeating: [], count: nodes.count)
    for half in 0..<2 * edges.count { around[origin(half)].append(half) }
    for node in nodes.indices {
      around[node].sort {
        ((nodes[target($0)] - nodes[node]).angle, $0)
          < ((nodes[target($1)] - nodes[node]).angle, $1)
      }
    }
    var isDone = [Bool](repeating: false, count: 2 * edges.count)
    for first in isDone.indices where !isDone[first] {
      var (half, sides) = (first, [Side]())
      while !isDone[half] {
        isDone[half] = true
        let edge = edges[half / 2]
        sides.append(
          Side(
            wall: edge.wall, isForward: half % 2 == 0, from: nodes[origin(half)],
            to: nodes[target(half)]))
        let star = around[target(half)]
        guard let place = star.firstIndex(of: half ^ 1) else { break }
        half = star[(place + star.count - 1) % star.count]
      }
      let isBounded = PolygonTriangulation.signedArea(of: sides.map(\.from)) > 0
      if isBounded { regions.append(sides) } else { outer.append(sides) }
    }
  }
}
