import Foundation
import MeshPipeline
import Synchronization
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

  /// The most threads that were inside `Parallel.forEach` and a loop inside it at once.
  private func mostThreads() -> Int {
    let inside = Atomic(0)
    let most = Atomic(0)
    Parallel.forEach(0..<8) { _ in
      Parallel.forEach(0..<8) { _ in
        let count = inside.add(1, ordering: .relaxed).newValue
        _ = most.max(count, ordering: .relaxed)
        usleep(1000)
        inside.subtract(1, ordering: .relaxed)
      }
    }
    return most.load(ordering: .relaxed)
  }

  @Test func `one thread is one thread, whatever other tests ask for`() {
    #expect(Parallel.withThreads(1, mostThreads) == 1)
    // A loop of three, each of which may begin another.
    #expect(1...9 ~= Parallel.withThreads(3, mostThreads))
    #expect(Parallel.withThreads(3) { Parallel.withThreads(1, mostThreads) } == 1)
  }

  @Test func `the limit holds in the threads of a loop`() {
    Parallel.withThreads(3) {
      let limits = Parallel.mapChunks(of: 64, chunkSize: 1) { _ in Parallel.maximumThreads }
      #expect(Set(limits) == [3])
    }
    #expect(Parallel.maximumThreads == .max)
  }
}
