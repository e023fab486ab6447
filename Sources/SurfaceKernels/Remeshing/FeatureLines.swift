import MeshpipeScene

/// The lines of a surface that remeshing keeps, from corner to corner: borders, sharp edges, seams and
/// borders between classes.
///
/// A point on a line is its distance along the line from the line's beginning.
struct FeatureLines: Sendable {
  /// No line, or no segment.
  static let none = UInt32.max

  /// A piece of a line between two vertices, which is an edge of the surface.
  struct Segment: BitwiseCopyable, Sendable {
    /// The line of the segment; ``FeatureLines/none`` for an edge that stays as it is.
    var line: UInt32
    var from: UInt32
    var to: UInt32
    var start: Float
    var end: Float
    /// The reference's halfedge of an edge that stays.
    var halfedge = FeatureLines.none
  }

  /// The vertices of all lines.
  private(set) var vertices: [UInt32] = []
  /// From each vertex to the next one of its line, a halfedge along the line or against it.
  private(set) var halfedges: [UInt32] = []
  /// The distance of each vertex from the beginning of its line.
  private(set) var distances: [Float] = []
  /// Where the vertices of each line begin; one entry more than there are lines.
  private(set) var offsets = [0]

  var count: Int { offsets.count - 1 }

  /// Where a point of a line is: on which of its pieces, and how far along it, from 0 to 1.
  func place(_ line: UInt32, _ distance: Float) -> (piece: Int, share: Float) {
    var (low, high) = (offsets[Int(line)], offsets[Int(line) + 1] - 2)
    while low < high {
      let middle = (low + high + 1) / 2
      if distances[middle] <= distance { low = middle } else { high = middle - 1 }
    }
    let length = distances[low + 1] - distances[low]
    return (low, length > 0 ? min(1, max(0, (distance - distances[low]) / length)) : 0)
  }

  func position(_ line: UInt32, _ distance: Float, _ positions: [Vector3]) -> SIMD3<Float> {
    let (piece, share) = place(line, distance)
    let a = positions[Int(vertices[piece])].simd
    let b = positions[Int(vertices[piece + 1])].simd
    return a + (b - a) * share
  }

  /// Adds a line.
  fileprivate mutating func add(_ chain: ArraySlice<LineVertex>, _ positions: [Vector3]) {
    var distance: Float = 0
    var last: UInt32?
    for step in chain {
      if let last {
        distance += (positions[Int(step.vertex)].simd - positions[Int(last)].simd).length
      }
      last = step.vertex
      vertices.append(step.vertex)
      halfedges.append(step.halfedge)
      distances.append(distance)
    }
    offsets.append(vertices.count)
  }
}

/// A vertex of a chain, and the halfedge to the next one.
private struct LineVertex {
  var vertex: UInt32
  var halfedge: UInt32
}

/// Finds the lines of a surface.
struct FeatureLineSearch {
  private let faces: HalfedgeFaces
  private let positions: [Vector3]
  /// The halfedges on lines.
  private let isLine: [Bool]
  /// Half the length over which a bend of a line makes a corner.
  private let reach: Float

  private(set) var lines = FeatureLines()
  private(set) var isCorner: [Bool]
  private var isDone: [Bool]

  init(
    _ faces: HalfedgeFaces, _ positions: [Vector3], isLine: [Bool], isStuck: [Bool], reach: Float
  ) {
    self.faces = faces
    self.positions = positions
    self.isLine = isLine
    self.reach = reach
    isDone = isStuck
    isCorner = [Bool](repeating: false, count: positions.count)
    var degrees = [UInt8](repeating: 0, count: positions.count)
    for halfedge in isLine.indices where isLine[halfedge] && isOwner(UInt32(halfedge)) {
      let ends = [faces.vertices[halfedge], faces.end(of: UInt32(halfedge))]
      for end in ends {
        degrees[Int(end)] = min(3, degrees[Int(end)] + 1)
        if isStuck[halfedge] { isCorner[Int(end)] = true }
      }
    }
    for vertex in degrees.indices where degrees[vertex] % 2 == 1 { isCorner[vertex] = true }
    search()
  }

  /// Whether a halfedge stands for its edge.
  private func isOwner(_ halfedge: UInt32) -> Bool {
    let other = faces.opposites[Int(halfedge)]
    return other == HalfedgeFaces.none || halfedge < other
  }

  private mutating func search() {
    // From corners first; what is left are closed lines.
    for fromCorners in [true, false] {
      for halfedge in isLine.indices where isLine[halfedge] && !isDone[halfedge] {
        let start = faces.vertices[halfedge]
        let end = faces.end(of: UInt32(halfedge))
        if !fromCorners || isCorner[Int(start)] {
          split(chain(from: start, UInt32(halfedge)))
        } else if isCorner[Int(end)] {
          split(chain(from: end, UInt32(halfedge)))
        }
      }
    }
  }

  /// Follows a line until a corner, or back to where it began.
  private mutating func chain(from start: UInt32, _ halfedge: UInt32) -> [LineVertex] {
    var chain: [LineVertex] = []
    var (vertex, halfedge) = (start, halfedge)
    while true {
      chain.append(LineVertex(vertex: vertex, halfedge: halfedge))
      isDone[Int(halfedge)] = true
      let other = faces.opposites[Int(halfedge)]
      if other != HalfedgeFaces.none { isDone[Int(other)] = true }
      vertex =
        faces.vertices[Int(halfedge)] == vertex
        ? faces.end(of: halfedge) : faces.vertices[Int(halfedge)]
      guard vertex != start, !isCorner[Int(vertex)],
        let next = nextOnLine(from: vertex, near: halfedge)
      else { break }
      halfedge = next
    }
    chain.append(LineVertex(vertex: vertex, halfedge: HalfedgeFaces.none))
    return chain
  }

  /// A halfedge on a line at a vertex that has not been visited.
  private func nextOnLine(from vertex: UInt32, near halfedge: UInt32) -> UInt32? {
    let start = faces.vertices[Int(halfedge)] == vertex ? halfedge : following(halfedge)
    var found: UInt32?
    faces.forEachHalfedge(from: start) { outgoing in
      let incoming = preceding(outgoing)
      for candidate in [outgoing, incoming]
      where isLine[Int(candidate)] && !isDone[Int(candidate)] {
        found = found ?? candidate
      }
    }
    return found
  }

  /// Splits a chain where it bends sharply, and adds the parts as lines.
  private mutating func split(_ chain: [LineVertex]) {
    let points = chain.map { positions[Int($0.vertex)].simd }
    let isLoop = chain[0].vertex == chain[chain.count - 1].vertex
    var places = bends(of: points, isLoop: isLoop && !isCorner[Int(chain[0].vertex)])
    if places.first == 0 { places.removeFirst() }
    isCorner[Int(chain[0].vertex)] = true
    isCorner[Int(chain[chain.count - 1].vertex)] = true
    var start = 0
    for index in places + [chain.count - 1] where index > start {
      isCorner[Int(chain[index].vertex)] = true
      lines.add(chain[start...index], positions)
      start = index
    }
  }

  /// The cosine of the least bend of a line, of 45 degrees, that is a corner.
  private static let cornerCosine: Float = 0.7071

  /// The indices of the points where a line bends by at least 45 degrees, each the sharpest one within reach.
  private func bends(of points: [SIMD3<Float>], isLoop: Bool) -> [Int] {
    // Of a line that is not much longer, the corners are nearer to each other.
    let length = points.indices.dropFirst().reduce(Float(0)) {
      $0 + (points[$1] - points[$1 - 1]).length
    }
    let reach = min(self.reach, length / 12)
    let cosines = points.indices.map {
      cosine(ofBendAt: $0, points, isLoop: isLoop, reach: reach)
    }
    return points.indices.filter { index in
      guard cosines[index] < Self.cornerCosine else { return false }
      for direction in [-1, 1] {
        var (other, way) = (index, Float(0))
        for _ in 0..<Self.mostSteps {
          guard let next = step(from: other, direction, points.count, isLoop: isLoop) else { break }
          way += (points[next] - points[other]).length
          guard way < reach else { break }
          other = next
          if (cosines[other], other) < (cosines[index], index) { return false }
        }
      }
      return true
    }
  }

  private static let mostSteps = 64

  private func step(from index: Int, _ direction: Int, _ count: Int, isLoop: Bool) -> Int? {
    let next = index + direction
    if next >= 0, next < count { return next }
    // The last point of a loop is the first one.
    return isLoop ? (next < 0 ? count - 2 : 1) : nil
  }

  private func cosine(
    ofBendAt index: Int, _ points: [SIMD3<Float>], isLoop: Bool, reach: Float
  ) -> Float {
    var directions: [SIMD3<Float>] = []
    for direction in [-1, 1] {
      var (other, way) = (index, Float(0))
      for _ in 0..<Self.mostSteps where way < reach {
        guard let next = step(from: other, direction, points.count, isLoop: isLoop) else { break }
        way += (points[next] - points[other]).length
        other = next
      }
      directions.append((points[other] - points[index]).normalized)
    }
    if directions.contains(.zero) { return 1 }
    return -directions[0].dot(directions[1])
  }
}
