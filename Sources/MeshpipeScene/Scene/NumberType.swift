/// The type of a number in a file or an array.
public enum NumberType: String, Sendable, CaseIterable {
  /// Signed and unsigned integers, and IEEE 754 numbers, by their size in bits.
  case int8, uint8, int16, uint16, int32, uint32, float32, float64

  /// Size in bytes.
  public var size: Int {
    switch self {
    case .int8, .uint8: 1
    case .int16, .uint16: 2
    case .int32, .uint32, .float32: 4
    case .float64: 8
    }
  }

  /// Whether it holds whole numbers only.
  public var isInteger: Bool { self != .float32 && self != .float64 }
}
