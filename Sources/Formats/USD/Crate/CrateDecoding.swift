import MeshPipeline
import NativeLibraries

/// Reads what ``CrateCoding`` describes.
struct CrateDecoding {
  let bytes: USDBytes

  /// The bytes of compressed chunks.
  ///
  /// - Parameter most: How many they may be.
  func unpacked(_ part: Range<Int>, most: Int) throws -> [UInt8] {
    try bytes.with(part) { source in
      guard source.count > 0 else { throw bytes.fault(part.lowerBound, "has no compressed data") }
      let chunks = Int(source[0])
      if chunks == 0 {
        return try block(source.extracting(1..<source.count), part.lowerBound + 1, most: most)
      }
      var result: [UInt8] = []
      var place = 1
      for _ in 0..<chunks {
        guard source.count - place >= 4 else {
          throw bytes.fault(part.lowerBound + place, "a compressed chunk is missing")
        }
        let size = Int(source.word(at: place) as UInt32)
        place += 4
        guard size <= source.count - place else {
          throw bytes.fault(part.lowerBound + place, "a compressed chunk is truncated")
        }
        result += try block(
          source.extracting(place..<place + size), part.lowerBound + place,
          most: most - result.count)
        place += size
      }
      return result
    }
  }

  private func block(_ source: Span<UInt8>, _ offset: Int, most: Int) throws -> [UInt8] {
    guard let result = LZ4.decompressed(source, most: min(most, LZ4.mostBytes)) else {
      throw bytes.fault(offset, "the compressed data are damaged, or longer than declared")
    }
    return result
  }

  /// Integers of 32 or 64 bits from compressed differences, after the number of their bytes.
  ///
  /// - Returns: The integers and the offset after them.
  func integers<Word: FixedWidthInteger & BitwiseCopyable & Sendable>(
    at offset: Int, _ count: Int, _ type: Word.Type = Word.self
  ) throws -> (numbers: [Word], end: Int) {
    let size = try bytes.size(at: offset)
    let part = try bytes.range(offset + 8, size, of: 1)
    guard count > 0 else { return ([], part.upperBound) }
    // An integer takes at least two bits, and a byte stands for at most 255.
    guard count / 4 <= LZ4.largestRatio * size else {
      throw bytes.fault(offset, "\(count) integers don't fit into \(size) bytes")
    }
    let width = Word.bitWidth / 8
    let codeCount = (count + 3) / 4
    let coded = try unpacked(part, most: width + codeCount + width * count)
    let numbers = Self.decoded(coded.span, count, Word.self)
    guard let numbers else {
      throw bytes.fault(offset, "the coded integers are fewer than the \(count) declared")
    }
    return (numbers, part.upperBound)
  }

  /// Nil if bytes are missing.
  static func decoded<Word: FixedWidthInteger & BitwiseCopyable>(
    _ coded: Span<UInt8>, _ count: Int, _ type: Word.Type
  ) -> [Word]? {
    let width = Word.bitWidth / 8
    let codes = width
    var place = codes + (count + 3) / 4
    guard coded.count >= place else { return nil }
    let common: Word = coded.word(at: 0)
    var result: [Word] = []
    result.reserveCapacity(count)
    var number: Word = 0
    for index in 0..<count {
      let code = coded[codes + index / 4] >> (2 * UInt8(index % 4)) & 3
      // 8, 16 and 32 bits, or twice as many for integers of 64 bits.
      let size = code == 0 ? 0 : (width / 4) << (Int(code) - 1)
      guard size <= coded.count - place else { return nil }
      let difference: Word
      switch size {
      case 0: difference = common
      case 1: difference = Word(truncatingIfNeeded: Int8(bitPattern: coded[place]))
      case 2: difference = Word(truncatingIfNeeded: coded.word(at: place) as Int16)
      case 4: difference = Word(truncatingIfNeeded: coded.word(at: place) as Int32)
      default: difference = Word(truncatingIfNeeded: coded.word(at: place) as Int64)
      }
      place += size
      number = number &+ difference
      result.append(number)
    }
    return result
  }
}
