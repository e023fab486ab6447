import MeshPipeline

@testable import Formats

/// The three encodings of PLY files.
enum Kind: String, CaseIterable {
  case ascii
  case littleEndian = "binary_little_endian"
  case bigEndian = "binary_big_endian"
}

/// A PLY file that is put together number by number, in any encoding.
final class PLYFixture {
  private(set) var bytes: [UInt8] = []
  private let kind: Kind
  private let lineEnding: String

  init(_ kind: Kind, lineEnding: String = "\n") {
    self.kind = kind
    self.lineEnding = lineEnding
    line("ply")
    line("format \(kind.rawValue) 1.0")
  }

  func line(_ text: String) { bytes += Array((text + lineEnding).utf8) }

  func element(_ name: String, _ count: Int, _ properties: [String]) {
    line("element \(name) \(count)")
    for property in properties { line(property) }
  }

  func endHeader() { line("end_header") }

  @discardableResult
  func value(_ value: Double, _ type: NumberType) -> PLYFixture {
    if kind == .ascii {
      bytes += Array((type.isInteger ? "\(Int(value)) " : "\(value) ").utf8)
      return self
    }
    var little: [UInt8]
    switch type {
    case .int8: little = [UInt8(bitPattern: Int8(value))]
    case .uint8: little = [UInt8(value)]
    case .int16: little = Self.littleEndian(UInt16(bitPattern: Int16(value)))
    case .uint16: little = Self.littleEndian(UInt16(value))
    case .int32: little = Self.littleEndian(UInt32(bitPattern: Int32(value)))
    case .uint32: little = Self.littleEndian(UInt32(value))
    case .uint64: little = Self.littleEndian(UInt64(value))
    case .float32: little = Self.littleEndian(Float(value).bitPattern)
    case .float64: little = Self.littleEndian(value.bitPattern)
    }
    bytes += kind == .bigEndian ? little.reversed() : little
    return self
  }

  @discardableResult
  func list(_ countType: NumberType, _ values: [Double], _ type: NumberType) -> PLYFixture {
    value(Double(values.count), countType)
    for element in values { value(element, type) }
    return self
  }

  func endRecord() {
    if kind == .ascii { line("") }
  }

  private static func littleEndian(_ value: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
    (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}
