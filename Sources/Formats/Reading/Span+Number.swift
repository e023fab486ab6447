import MeshPipeline

extension Span<UInt8> {
  /// A number in binary; its bytes must be inside the span.
  @inline(__always)
  func number(at offset: Int, _ type: NumberType, isBigEndian: Bool) -> Double {
    switch type {
    case .int8: Double(Int8(bitPattern: self[offset]))
    case .uint8: Double(self[offset])
    case .int16: Double(Int16(bitPattern: word(at: offset, isBigEndian)))
    case .uint16: Double(word(at: offset, isBigEndian) as UInt16)
    case .int32: Double(Int32(bitPattern: word(at: offset, isBigEndian)))
    case .uint32: Double(word(at: offset, isBigEndian) as UInt32)
    case .uint64: Double(word(at: offset, isBigEndian) as UInt64)
    case .float32: Double(Float(bitPattern: word(at: offset, isBigEndian)))
    case .float64: Double(bitPattern: word(at: offset, isBigEndian))
    }
  }

  /// An unaligned integer; traps if it is not inside the span.
  @inline(__always)
  func word<Word: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, _ isBigEndian: Bool = false
  ) -> Word {
    let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Word.self)
    return isBigEndian ? Word(bigEndian: word) : Word(littleEndian: word)
  }
}
