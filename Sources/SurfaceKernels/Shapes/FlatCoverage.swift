import MeshpipeScene
import POSIX

/// The part of a rectangle that faces or points cover, as cells of a grid.
struct FlatCoverage {
  private let cell: Double
  private let perCell: Double
  /// The middle of the first cell.
  private let origin: SIMD2<Double>
  private let width: Int
  private let height: Int
  private var isCovered: [Bool]

  /// - Parameters:
  ///   - size: The sides of the rectangle, whose middle is zero.
  ///   - cell: The side of a cell.
  ///   - margin: The least space around the rectangle.
  init(size: SIMD2<Double>, cell: Double, margin: Double) {
    let rim = Int((margin / cell).rounded(.up)) + 2
    width = Int((size.x / cell).rounded(.up)) + 1 + 2 * rim
    height = Int((size.y / cell).rounded(.up)) + 1 + 2 * rim
    self.cell = cell
    perCell = 1 / cell
    origin = -size / 2 - Double(rim) * cell
    isCovered = [Bool](repeating: false, count: width * height)
  }

  mutating func cover(_ point: SIMD2<Double>) { mark(place(of: point)) }

  /// Covers what a triangle reaches, by samples at most a cell from each other.
  mutating func cover(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>) {
    let start = place(of: a)
    let (u, v) = (place(of: b) - start, place(of: c) - start)
    let longest = max((u * u).sum(), (v * v).sum(), ((v - u) * (v - u)).sum()).squareRoot()
    // A triangle on the rectangle is no longer than its diagonal.
    let most = Double(width + height)
    let steps = max(1, Int(min(longest, most).rounded(.up)))
    let (right, up) = (u / Double(steps), v / Double(steps))
    for i in 0...steps {
      let first = start + right * Double(i)
      for j in 0...steps - i { mark(first + up * Double(j)) }
    }
  }

  /// The coordinates of a point in cells, from the middle of the first one.
  private func place(of point: SIMD2<Double>) -> SIMD2<Double> { (point - origin) * perCell }

  private mutating func mark(_ position: SIMD2<Double>) {
    guard position.x >= 0, position.y >= 0, position.x < Double(width) - 0.5,
      position.y < Double(height) - 0.5
    else { return }
    isCovered[Int(position.y + 0.5) * width + Int(position.x + 0.5)] = true
  }

  /// The outlines of what is covered after gaps have been closed: counterclockwise around it, clockwise around holes.
  ///
  /// Gaps are closed by growing and shrinking by exact distances (morphological closing).
  ///
  /// - Parameter gap: The width of gaps that are closed.
  func contours(closing gap: Double) -> [[SIMD2<Double>]] {
    // Whole cells and a half, so that an upright border comes back where it was.
    let radius = Float((gap / 2 / cell).rounded(.down)) + 0.5
    let grown = squaredDistances { isCovered[$0] }
    let kept = squaredDistances { grown[$0] > radius * radius }
    // A little larger, so that no contour goes through the middle of a cell.
    let field = kept.map { $0.squareRoot() - radius - 0.49 }
    return FlatContours(field, width: width, height: height).loops.map { loop in
      loop.map { origin + $0 * cell }
    }
  }

  /// The squared distances from the nearest cell of a set, in cells.
  ///
  /// Source: Felzenszwalb and Huttenlocher, "Distance Transforms of Sampled Functions", Theory of Computing 8, 2012.
  private func squaredDistances(from isMember: (Int) -> Bool) -> [Float] {
    let far = Float(width + height)
    var distances = [Float](repeating: far, count: width * height)
    for x in 0..<width {
      var distance = far
      for y in 0..<height {
        distance = isMember(y * width + x) ? 0 : min(distance + 1, far)
        distances[y * width + x] = distance
      }
      distance = far
      for y in (0..<height).reversed() {
        distance = min(distance + 1, distances[y * width + x])
        distances[y * width + x] = distance * distance
      }
    }
    var parabolas = LowerEnvelope(count: width)
    for y in 0..<height { parabolas.apply(to: &distances, from: y * width) }
    return distances
  }
}

/// The lower envelope of parabolas along a row.
private struct LowerEnvelope {
  private let count: Int
  private var heights: [Float]
  private var vertices: [Int]
  /// Where the part of each parabola begins.
  private var starts: [Float]

  init(count: Int) {
    self.count = count
    heights = [Float](repeating: 0, count: count)
    vertices = [Int](repeating: 0, count: count)
    starts = [Float](repeating: 0, count: count)
  }

  /// Replaces squared distances along columns by those in the plane.
  mutating func apply(to distances: inout [Float], from first: Int) {
    for x in 0..<count { heights[x] = distances[first + x] }
    var last = 0
    (vertices[0], starts[0]) = (0, -.infinity)
    for x in 1..<count {
      var start = meeting(x, vertices[last])
      while start <= starts[last] {
        last -= 1
        start = meeting(x, vertices[last])
      }
      last += 1
      (vertices[last], starts[last]) = (x, start)
    }
    var part = 0
    for x in 0..<count {
      while part < last, starts[part + 1] < Float(x) { part += 1 }
      let step = Float(x - vertices[part])
      distances[first + x] = step * step + heights[vertices[part]]
    }
  }

  private func meeting(_ a: Int, _ b: Int) -> Float {
    (heights[a] - heights[b] + Float(a * a - b * b)) / Float(2 * (a - b))
  }
}

/// The contours at zero of values on a grid (marching squares), with what is above zero on the left.
private struct FlatContours {
  private(set) var loops: [[SIMD2<Double>]] = []
  private let field: [Float]
  private let width: Int

  /// - Parameter field: Values by rows; below zero along the border.
  init(_ field: [Float], width: Int, height: Int) {
    self.field = field
    self.width = width
    var next: [Int: Int] = [:]
    var order: [Int] = []
    for y in 0..<height - 1 {
      for x in 0..<width - 1 {
        let node = y * width + x
        let (low, high) = (field[node] > 0, field[node + width] > 0)
        if low == high, (field[node + 1] > 0) == low, (field[node + width + 1] > 0) == low {
          continue
        }
        for (from, to) in segments(at: node) {
          next[from] = to
          order.append(from)
        }
      }
    }
    for start in order where next[start] != nil {
      var loop: [SIMD2<Double>] = []
      var edge = start
      while let following = next.removeValue(forKey: edge) {
        loop.append(crossing(edge))
        edge = following
      }
      loops.append(loop)
    }
  }

  /// The segments in a square, from edge to edge: twice the number of an edge's lower left node, and one for upright ones.
  private func segments(at node: Int) -> [(from: Int, to: Int)] {
    let corners = [node, node + 1, node + width + 1, node + width]
    let isInside = corners.map { field[$0] > 0 }
    let edges = [2 * node, 2 * (node + 1) + 1, 2 * (node + width), 2 * node + 1]
    // Counterclockwise, the contour leaves the square where the inside begins.
    var (entries, exits): ([Int], [Int]) = ([], [])
    for side in 0..<4 where isInside[side] != isInside[(side + 1) % 4] {
      if isInside[side] { entries.append(side) } else { exits.append(side) }
    }
    guard entries.count == 2 else {
      return zip(entries, exits).map { (edges[$0], edges[$1]) }
    }
    // In a saddle the middle decides whether its parts are joined.
    let isJoined = corners.reduce(0) { $0 + field[$1] } > 0
    return entries.map { side in
      (edges[side], edges[(side + (isJoined ? 1 : 3)) % 4])
    }
  }

  private func crossing(_ edge: Int) -> SIMD2<Double> {
    let node = edge / 2
    let position = SIMD2(Double(node % width), Double(node / width))
    let (a, b) = (field[node], field[edge % 2 == 0 ? node + 1 : node + width])
    let share = Double(a / (a - b))
    return position + (edge % 2 == 0 ? SIMD2(share, 0) : SIMD2(0, share))
  }
}
