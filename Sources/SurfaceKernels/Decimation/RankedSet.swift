/// A set of numbers that tells how many smaller ones it has: a bit and a half for each number that it could have.
struct RankedSet {
  private var words: [UInt64]
  /// How many there are before each word.
  private var before: [UInt32]

  /// - Parameter members: Calls the function that it gets with each member.
  init(below limit: Int, members: ((UInt32) -> Void) -> Void) {
    var words = [UInt64](repeating: 0, count: (limit + 63) / 64)
    members { words[Int($0 >> 6)] |= 1 << UInt64($0 & 63) }
    self.words = words
    before = []
    before.reserveCapacity(words.count)
    var count: UInt32 = 0
    for word in words {
      before.append(count)
      count += UInt32(word.nonzeroBitCount)
    }
  }

  /// How many members are smaller.
  @inline(__always)
  func rank(of number: UInt32) -> Int {
    let (word, bit) = (Int(number >> 6), UInt64(number & 63))
    return Int(before[word]) + (words[word] & (1 << bit - 1)).nonzeroBitCount
  }
}
