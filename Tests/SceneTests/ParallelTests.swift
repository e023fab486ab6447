import MeshPipeline
import Testing

@Suite struct ParallelTests {
  private struct Stop: Error {}

  @Test(arguments: [0, 1, 2, 1000])
  func `pieces are taken in order, whoever made them`(count: Int) {
    var taken: [Int] = []
    Parallel.inOrder(count: count, in: { [Int]() }) { number, piece in
      piece.removeAll()
      // The first of a few takes longest.
      for step in 0..<(7 - number % 8) * 1000 + 1 { piece.append(number + step) }
    } take: { piece in
      taken.append(piece[0])
    }
    #expect(taken == Array(0..<count))
  }

  @Test func `nothing is taken after what failed`() {
    var taken: [Int] = []
    #expect(throws: Stop.self) {
      try Parallel.inOrder(count: 500, in: { 0 }) { number, piece in
        piece = number
      } take: { piece in
        if piece == 100 { throw Stop() }
        taken.append(piece)
      }
    }
    #expect(taken == Array(0..<100))
  }

  @Test func `an array is changed in its place`() {
    var numbers = Array(0..<100_001)
    Parallel.update(&numbers) { part in
      for index in part.indices { part[index] *= 2 }
    }
    #expect(numbers == (0..<100_001).map { 2 * $0 })
  }
}
