/// The type of a number in a file or an array.
public enum NumberType: String, Sendable, CaseIterable {
  /// Signed and unsigned integers, and IEEE 754 numbers, by their size in bits.
  case int8, uint8, int16, uint16, int32, uint32, uint64, float32, float64

  /// Size in bytes.
  public var size: Int {
    switch self {
    case .int8, .uint8: 1
    case .int16, .uint16: 2
    case .int32, .uint32, .float32: 4
    case .uint64, .float64: 8
    }
  }

  /// Whether it holds whole numbers only.
  public var isInteger: Bool { self != .float32 && self != .float64 }

  /// The type for values of two: of different ones `float64`, which represents all but large ones of `uint64`; that for
  /// unsigned integers if one of them is.
  package func joined(with other: NumberType) -> NumberType {
    if self == other { return self }
    let unsigned: [NumberType] = [.uint8, .uint16, .uint32, .uint64]
    return [self, other].contains(.uint64) && unsigned.contains(self) && unsigned.contains(other)
      ? .uint64 : .float64
  }
}
