import MeshTestSupport
import MeshpipeScene
import Testing

@testable import SurfaceKernels

/// Sharp edges along the edges of a grid of 10 by 10 cells, each 1 long.
struct ShortFeaturesTests {
  /// A vertex of the grid by its column and row.
  private typealias Vertex = (x: Int, z: Int)

  private let faces: HalfedgeFaces
  private let positions: [Vector3]

  init() {
    let grid = MeshFixtures.grid(columns: 10, rows: 10)
    faces = HalfedgeFaces.split(grid.indices, vertexCount: grid.vertexCount).faces
    positions = grid.positions
  }

  private func number(of vertex: Vertex) -> UInt32 { UInt32(vertex.x + 11 * vertex.z) }

  /// The halfedges between neighbours in a row of vertices.
  private func halfedges(along vertices: [Vertex]) -> Set<Int> {
    let pairs = zip(vertices, vertices.dropFirst()).map { (number(of: $0), number(of: $1)) }
    let found = faces.vertices.indices.filter { halfedge in
      let (start, end) = (faces.vertices[halfedge], faces.end(of: UInt32(halfedge)))
      return pairs.contains { ($0, $1) == (start, end) || ($1, $0) == (start, end) }
    }
    return Set(found)
  }

  /// What is left of sharp edges.
  private func left(
    of sharp: Set<Int>, edgeLength: Float, others: Set<Int> = []
  ) -> Set<Int> {
    let isBorder = faces.opposites.map { $0 == HalfedgeFaces.none }
    let features = ShortFeatures(
      faces, positions,
      isLine: isBorder.indices.map { isBorder[$0] || sharp.contains($0) || others.contains($0) },
      isSharp: isBorder.indices.map { sharp.contains($0) }, edgeLength: edgeLength)
    // Lines of other kinds stay.
    for halfedge in isBorder.indices where isBorder[halfedge] || others.contains(halfedge) {
      #expect(features.isLine[halfedge])
    }
    return sharp.filter { features.isLine[$0] }
  }

  @Test func `a closed line stays, without its short ends`() {
    let square = halfedges(along: [(4, 4), (5, 4), (5, 5), (4, 5), (4, 4)])
    #expect(square.count == 8)
    let end = halfedges(along: [(5, 5), (6, 5)])
    #expect(left(of: square.union(end), edgeLength: 0.9) == square.union(end))
    #expect(left(of: square.union(end), edgeLength: 20) == square)
  }

  @Test func `an open line goes if it is shorter than three edges`() {
    let line = halfedges(along: [(3, 5), (4, 5), (5, 5), (6, 5)])
    #expect(left(of: line, edgeLength: 0.9) == line)
    #expect(left(of: line, edgeLength: 1.1).isEmpty)
  }

  @Test func `short ends of a line go, all at once, and the line stays`() {
    // Across the grid, with a fork of two ends and a longer one.
    let line = halfedges(along: (0...10).map { ($0, 5) })
    let stem = halfedges(along: [(4, 5), (4, 6)])
    let fork = halfedges(along: [(3, 6), (4, 6), (5, 6)])
    let long = halfedges(along: [(7, 5), (7, 6), (7, 7), (7, 8)])
    let all = line.union(stem).union(fork).union(long)
    #expect(left(of: all, edgeLength: 0.5) == all)
    #expect(left(of: all, edgeLength: 1.5) == line.union(long))
    #expect(left(of: all, edgeLength: 4) == line)
  }

  @Test func `a line between two others stays, and one that ends before the other is an end`() {
    let border = halfedges(along: (0...10).map { ($0, 5) })
    let bridge = halfedges(along: [(5, 4), (5, 5)])
    let other = halfedges(along: (0...10).map { ($0, 4) })
    #expect(left(of: bridge, edgeLength: 3, others: border.union(other)) == bridge)
    #expect(left(of: bridge, edgeLength: 3, others: border).isEmpty)
  }

  @Test func `a vertex of 70,000 sharp edges is no trouble`() {
    let count: UInt32 = 70_000
    let indices = (0..<count).flatMap { [count, $0, ($0 + 1) % count] }
    let (fan, _, _) = HalfedgeFaces.split(indices, vertexCount: Int(count) + 1)
    let isBorder = fan.opposites.map { $0 == HalfedgeFaces.none }
    let features = ShortFeatures(
      fan, (0...count).map { Vector3(Float($0), 0, 0) },
      isLine: isBorder.map { _ in true }, isSharp: isBorder.map { !$0 }, edgeLength: 1e9)
    #expect(features.isLine.allSatisfy { $0 })
  }
}
