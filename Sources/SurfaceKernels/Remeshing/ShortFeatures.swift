import MeshpipeScene

/// Sharp edges that are too few in a row to be a feature of the new surface; noise makes many of them.
///
/// Edges that meet, and nowhere close a line, are too few if they are together shorter than three new edges. The end
/// of a line, up to where other lines meet, is too short if it is shorter than one new edge. Closed lines stay, however
/// short: rims of pins, coins and holes are their shape.
struct ShortFeatures {
  private let faces: HalfedgeFaces
  private let positions: [Vector3]
  private let isSharp: [Bool]
  /// A halfedge that starts at each vertex.
  private let starts: [UInt32]
  /// The sharp edges that are left, by one of their halfedges.
  private var edges: [UInt32]
  /// The number of edges on lines that meet at each vertex.
  private var degrees: [UInt32]

  /// The halfedges on lines, without short features.
  private(set) var isLine: [Bool]

  /// - Parameters:
  ///   - isLine: The halfedges on all lines.
  ///   - isSharp: Those that are on lines for no other reason than their angle; they have opposite ones.
  ///   - edgeLength: Of the new surface, in the unit of positions.
  init(
    _ faces: HalfedgeFaces, _ positions: [Vector3], isLine: [Bool], isSharp: [Bool],
    edgeLength: Float
  ) {
    self.faces = faces
    self.positions = positions
    self.isLine = isLine
    self.isSharp = isSharp
    var starts = [UInt32](repeating: HalfedgeFaces.none, count: positions.count)
    var degrees = [UInt32](repeating: 0, count: positions.count)
    edges = []
    for halfedge in faces.vertices.indices {
      let start = Int(faces.vertices[halfedge])
      starts[start] = UInt32(halfedge)
      let other = faces.opposites[halfedge]
      guard isLine[halfedge], other == HalfedgeFaces.none || halfedge < other else { continue }
      if isSharp[halfedge] { edges.append(UInt32(halfedge)) }
      degrees[start] += 1
      degrees[Int(faces.end(of: UInt32(halfedge)))] += 1
    }
    self.starts = starts
    self.degrees = degrees
    removeTrees(shorterThan: 3 * edgeLength)
    removeEnds(shorterThan: edgeLength)
  }

  private func length(of halfedge: UInt32) -> Float {
    let (start, end) = (faces.vertices[Int(halfedge)], faces.end(of: halfedge))
    return (positions[Int(start)].simd - positions[Int(end)].simd).length
  }

  private mutating func remove(_ halfedge: UInt32) {
    guard isLine[Int(halfedge)] else { return }
    isLine[Int(halfedge)] = false
    isLine[Int(faces.opposites[Int(halfedge)])] = false
    degrees[Int(faces.vertices[Int(halfedge)])] -= 1
    degrees[Int(faces.end(of: halfedge))] -= 1
  }

  /// The halfedges of sharp edges on lines that start at a vertex.
  private func forEachSharpHalfedge(from vertex: UInt32, _ body: (UInt32) -> Void) {
    faces.forEachHalfedge(from: starts[Int(vertex)]) { halfedge in
      if isSharp[Int(halfedge)], isLine[Int(halfedge)] { body(halfedge) }
    }
  }

  // MARK: Trees

  /// Removes edges that meet one another, but close no line, and meet none of another kind.
  private mutating func removeTrees(shorterThan limit: Float) {
    var isDone = [Bool](repeating: false, count: positions.count)
    for edge in edges where !isDone[Int(faces.vertices[Int(edge)])] {
      let group = group(of: edge, &isDone)
      if group.isTree, group.edges.reduce(0, { $0 + length(of: $1) }) < limit {
        group.edges.forEach { remove($0) }
      }
    }
    edges.removeAll { !isLine[Int($0)] }
  }

  private func group(
    of edge: UInt32, _ isDone: inout [Bool]
  ) -> (edges: [UInt32], isTree: Bool) {
    var group: [UInt32] = []
    var (vertexCount, isAlone) = (0, true)
    var stack = [faces.vertices[Int(edge)]]
    isDone[Int(stack[0])] = true
    while let vertex = stack.popLast() {
      vertexCount += 1
      var count: UInt32 = 0
      forEachSharpHalfedge(from: vertex) { halfedge in
        count += 1
        if halfedge < faces.opposites[Int(halfedge)] { group.append(halfedge) }
        let end = faces.end(of: halfedge)
        guard !isDone[Int(end)] else { return }
        isDone[Int(end)] = true
        stack.append(end)
      }
      if degrees[Int(vertex)] > count { isAlone = false }
    }
    // A tree has one vertex more than edges.
    return (group, isAlone && group.count < vertexCount)
  }

  // MARK: Ends

  /// Removes ends of lines until none is short; in each round all that are, so that their order does not count.
  private mutating func removeEnds(shorterThan limit: Float) {
    while true {
      let ends = edges.flatMap { [$0, faces.opposites[Int($0)]] }
        .filter { degrees[Int(faces.vertices[Int($0)])] == 1 }
        .compactMap { end(from: $0, shorterThan: limit) }
      if ends.isEmpty { return }
      ends.joined().forEach { remove($0) }
      edges.removeAll { !isLine[Int($0)] }
    }
  }

  /// The edges from the free end of a line to where it meets others; nil if they are not short.
  private func end(from halfedge: UInt32, shorterThan limit: Float) -> [UInt32]? {
    var end = [halfedge]
    var last = halfedge
    var way = length(of: halfedge)
    while way < limit {
      let vertex = faces.end(of: last)
      guard degrees[Int(vertex)] == 2 else { return end }
      var next = HalfedgeFaces.none
      forEachSharpHalfedge(from: vertex) { if faces.opposites[Int($0)] != last { next = $0 } }
      guard next != HalfedgeFaces.none else { return end }
      way += length(of: next)
      end.append(next)
      last = next
    }
    return nil
  }
}
