import MeshTestSupport
import MeshpipeBase
import Testing

struct OrderStatisticsTests {
  @Test func `what is selected is what sorting puts at a place`() {
    var random = SeededGenerator(seed: 7)
    for count in [1, 2, 3, 4, 7, 50, 200] {
      for spread in [2, 10, 1_000_000] {
        let values = (0..<count).map { _ in Float(Int(random.next() % UInt64(spread))) }
        let sorted = values.sorted()
        for rank in [0, count / 3, count / 2, count - 1] {
          var copy = values
          #expect(copy.select(rank) == sorted[rank])
          #expect(copy.sorted() == sorted)
        }
      }
    }
  }

  @Test func `values in order and equal values are selected from, too`() {
    for values in [Array(0..<1000), Array((0..<1000).reversed()), Array(repeating: 5, count: 1000)]
    {
      var copy = values
      #expect(copy.select(500) == values.sorted()[500])
    }
  }

  @Test(arguments: 0...9)
  func `medians are those of sorted values`(count: Int) {
    var random = SeededGenerator(seed: UInt64(count))
    let values = (0..<count).map { _ in Float(random.next() % 5) }
    let sorted = values.sorted()
    guard count > 0 else {
      #expect(values.median() == nil && values.interpolatedMedian() == nil)
      return
    }
    #expect(values.median() == sorted[count / 2])
    #expect(values.interpolatedMedian() == (sorted[count / 2] + sorted[(count - 1) / 2]) / 2)
  }
}
