import MeshPipeline
import MeshTestSupport
import Testing

@Suite struct ConnectivityTests {
  @Test func `the cube has eighteen edges, all regular, and Euler characteristic two`() {
    let cube = MeshFixtures.cube
    let edges = Edges(cube)
    #expect(edges.map(\.valence) == Array(repeating: 2, count: 18))
    #expect(cube.vertexCount - 18 + cube.faceCount == 2)
    for corner in 0..<cube.cornerCount {
      // Consistently wound: the opposite halfedge runs the other way, and its opposite is this one.
      let opposite = edges.opposite(ofCorner: corner)
      #expect(opposite.flatMap { edges.opposite(ofCorner: $0) } == corner)
      #expect(opposite.map { cube.indices[$0] } == cube.indices[nextCorner(corner)])
    }
  }

  @Test func `the border of a grid is its outline`() {
    let mesh = MeshFixtures.grid(columns: 3, rows: 2)
    let edges = Edges(mesh)
    #expect(edges.count(where: \.isBoundary) == 2 * (3 + 2))
    #expect((0..<mesh.cornerCount).count(where: edges.isBoundary) == 2 * (3 + 2))
    let ends = edges.map { SIMD2($0.lower, $0.higher) }
    #expect(ends.count == 3 * 3 + 4 * 2 + 3 * 2)
    #expect(ends.first == [0, 1])
    for a in 0..<12 as Range<UInt32> {
      for b in 0..<12 as Range<UInt32> {
        #expect(edges.contains(a, b) == ends.contains([min(a, b), max(a, b)]))
      }
    }
  }

  @Test func `three faces at one edge make it non-manifold`() {
    let fan: [UInt32] = [0, 1, 2, 0, 1, 3, 1, 0, 4]
    let edges = Edges(indices: fan, vertexCount: 5)
    #expect(edges.map(\.valence) == [3, 1, 1, 1, 1, 1, 1])
    #expect(edges.halfedges.prefix(3) == [0, 3, 6])
    #expect(edges.opposite(ofCorner: 0) == nil)
  }

  @Test func `a degenerate face has no edge of its own`() {
    let edges = Edges(indices: [0, 0, 1], vertexCount: 2)
    #expect(edges.map(\.valence) == [2])
    #expect(edges.halfedges == [1, 2])
    #expect(edges.opposite(ofCorner: 0) == nil && !edges.isBoundary(ofCorner: 0))
    #expect(edges.opposite(ofCorner: 1) == 2 && !edges.contains(0, 0))
  }

  @Test(arguments: 0..<20)
  func `edges of a soup are those that a table of pairs has`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    // Few vertices and many faces: doubled, degenerate and non-manifold ones are common.
    let indices = (0..<3 * 60).map { _ in UInt32.random(in: 0..<12, using: &random) }
    var table: [SIMD2<UInt32>: [UInt32]] = [:]
    func ends(_ corner: Int) -> SIMD2<UInt32> {
      let (a, b) = (indices[corner], indices[nextCorner(corner)])
      return [min(a, b), max(a, b)]
    }
    for corner in indices.indices where ends(corner).x != ends(corner).y {
      table[ends(corner), default: []].append(UInt32(corner))
    }
    let edges = Edges(indices: indices, vertexCount: 12)
    let found = edges.map { SIMD2($0.lower, $0.higher) }
    #expect(found == table.keys.sorted { ($0.x, $0.y) < ($1.x, $1.y) })
    for edge in edges {
      #expect(Array(edges.halfedges[edge.places]) == table[[edge.lower, edge.higher]])
    }
    for corner in indices.indices {
      let all = table[ends(corner)] ?? []
      let others = all.filter { $0 != corner }.map(Int.init)
      #expect(edges.opposite(ofCorner: corner) == (all.count == 2 ? others[0] : nil))
      #expect(edges.isBoundary(ofCorner: corner) == (all.count == 1))
    }
  }

  @Test func `corners of a vertex are all corners that name it`() {
    let cube = MeshFixtures.cube
    let corners = VertexCorners(cube)
    for vertex in 0..<cube.vertexCount {
      let expected = (0..<cube.cornerCount).filter { cube.indices[$0] == vertex }
      #expect(corners[vertex].map(Int.init) == expected)
    }
  }

  @Test func `cubes that touch at a vertex are one part by vertices and two by edges`() {
    var mesh = MeshFixtures.cube
    // A second cube whose vertex 0 is the first one's vertex 7.
    mesh.positions += mesh.positions.dropFirst().map { Vector3($0.x + 1, $0.y + 1, $0.z + 1) }
    mesh.indices += mesh.indices.map { $0 == 0 ? 7 : $0 + 7 }
    let byEdge = FaceComponents(edges: Edges(mesh), faceCount: mesh.faceCount)
    #expect(byEdge.count == 2)
    #expect(byEdge.faceCounts == [12, 12])
    #expect(byEdge.labels == Array(repeating: 0, count: 12) + Array(repeating: 1, count: 12))
    let byVertex = FaceComponents(
      sharingVerticesOf: mesh.indices, vertexCount: mesh.vertexCount)
    #expect(byVertex.count == 1)
  }

  @Test func `islands of a class are parts of their own`() {
    let mesh = MeshFixtures.grid(columns: 4, rows: 1)
    // Cells wall, floor, wall, wall: two faces each.
    let labels: [UInt16] = [1, 1, 2, 2, 1, 1, 1, 1]
    let islands = FaceComponents(edges: Edges(mesh), faceCount: 8, within: labels)
    #expect(islands.labels == [0, 0, 1, 1, 2, 2, 2, 2])
  }

  @Test func `an empty mesh has nothing to connect`() {
    let empty = Mesh()
    #expect(Edges(empty).map(\.valence) == [])
    #expect(FaceComponents(edges: Edges(empty), faceCount: 0).count == 0)
  }
}
