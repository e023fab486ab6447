import MeshPipeline

/// Writes consecutive values of a row, as text or binary.
struct PLYRow {
  let isText: Bool
  private let powers = DecimalPowers.shared
  private let delimiter: UInt8

  /// - Parameter delimiter: What follows a value in text.
  init(isText: Bool, delimiter: UInt8 = UInt8(ascii: " ")) {
    self.isText = isText
    self.delimiter = delimiter
  }

  func append(_ value: Float, to buffer: inout ByteBuffer) {
    if isText {
      buffer.append(decimal: value, powers: powers)
      buffer.append(byte: delimiter)
    } else {
      buffer.append(value)
    }
  }

  func append(_ value: some FixedWidthInteger & BitwiseCopyable, to buffer: inout ByteBuffer) {
    if isText {
      buffer.append(decimal: value)
      buffer.append(byte: delimiter)
    } else {
      buffer.append(value)
    }
  }

  func append(_ vector: Vector3, to buffer: inout ByteBuffer) {
    append(vector.x, to: &buffer)
    append(vector.y, to: &buffer)
    append(vector.z, to: &buffer)
  }

  /// Appends a position relative to an origin, in double precision unless that is zero.
  func append(_ position: Vector3, origin: SIMD3<Double>, to buffer: inout ByteBuffer) {
    guard origin != .zero else { return append(position, to: &buffer) }
    let point = position.double + origin
    append(custom: point.x, to: &buffer)
    append(custom: point.y, to: &buffer)
    append(custom: point.z, to: &buffer)
  }

  /// Appends a value of a custom attribute, in which NaN may mark a missing value.
  func append(custom value: some BinaryFloatingPoint & BitwiseCopyable, to buffer: inout ByteBuffer)
  {
    guard isText else { return buffer.append(value) }
    if let value = value as? Float, value.isFinite { return append(value, to: &buffer) }
    buffer.append(Array("\(value)".utf8) + [delimiter])
  }

  func append(_ color: Color, hasAlpha: Bool, to buffer: inout ByteBuffer) {
    append(color.red, to: &buffer)
    append(color.green, to: &buffer)
    append(color.blue, to: &buffer)
    if hasAlpha { append(color.alpha, to: &buffer) }
  }

  func append(label: UInt16, isWide: Bool, to buffer: inout ByteBuffer) {
    if isWide {
      append(label, to: &buffer)
    } else {
      append(UInt8(truncatingIfNeeded: label), to: &buffer)
    }
  }

  /// Ends the row: the delimiter after the last value in text becomes a line break.
  func end(_ buffer: inout ByteBuffer) {
    if isText { buffer.replaceLast(with: UInt8(ascii: "\n")) }
  }
}
