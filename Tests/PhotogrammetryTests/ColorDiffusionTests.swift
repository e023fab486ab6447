import Testing

@testable import Photogrammetry

/// A row of five vertices, of which one end is seen, and the unseen copy of the seen end at a crease.
struct ColorDiffusionTests {
  static let offsets: [UInt32] = [0, 1, 3, 5, 7, 8, 9, 10]
  static let neighbors: [UInt32] = [1, 0, 2, 1, 3, 2, 4, 3, 6, 5]

  @Test func `colour spreads along edges and over a crease`() {
    var colors = [SIMD4<Float>](repeating: .zero, count: 7)
    colors[0] = SIMD4(100, 50, 25, 1)
    // Vertex 5 lies where vertex 0 does; 6 is its neighbour on the other side of the crease.
    ColorDiffusion.fill(
      &colors, offsets: Self.offsets, neighbors: Self.neighbors, places: [0, 1, 2, 3, 4, 0, 5])
    for vertex in 1..<7 {
      #expect(abs(colors[vertex].x - 100) < 0.01 && abs(colors[vertex].z - 25) < 0.01)
      #expect(colors[vertex].w == 0, "what was filled is not taken for seen")
    }
    #expect(colors[0] == SIMD4(100, 50, 25, 1))
  }

  @Test func `a side that touches nothing seen gets the mean of all`() {
    var colors = [SIMD4<Float>](repeating: .zero, count: 7)
    colors[0] = SIMD4(100, 0, 0, 1)
    colors[4] = SIMD4(0, 100, 0, 1)
    ColorDiffusion.fill(
      &colors, offsets: Self.offsets, neighbors: Self.neighbors, places: [0, 1, 2, 3, 4, 5, 6])
    #expect(colors[5] == SIMD4(50, 50, 0, 0) && colors[6] == SIMD4(50, 50, 0, 0))
  }
}
