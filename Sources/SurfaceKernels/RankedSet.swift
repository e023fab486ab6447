/// A set of numbers with a rank query, in one and a half bits for each possible member.
struct RankedSet: Sendable {
  private var words: [UInt64]
  /// The number of members before each word.
  private var before: [UInt32]

  /// - Parameter members: Calls the given function with each member.
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

  @inline(__always)
  func contains(_ number: UInt32) -> Bool {
    words[Int(number >> 6)] >> UInt64(number & 63) & 1 == 1
  }

  /// The number of smaller members.
  @inline(__always)
  func rank(of number: UInt32) -> Int {
    let (word, bit) = (Int(number >> 6), UInt64(number & 63))
    return Int(before[word]) + (words[word] & (1 << bit - 1)).nonzeroBitCount
  }
}
