import MeshPipeline

/// Bytes of a LAS file, made field by field and apart from the project's own writer.
struct LASFixture {
  var minor: UInt8 = 2
  var format: UInt8 = 0
  var records: [(user: String, id: UInt16, body: [UInt8])] = []
  var scale = SIMD3(0.01, 0.01, 0.01)
  var offset = SIMD3<Double>.zero
  /// Each with the size of the format and its extra bytes.
  var points: [[UInt8]] = []
  /// What the header claims, if not the truth.
  var claimedCount: UInt64?

  var bytes: [UInt8] {
    let headerSize = minor < 3 ? 227 : minor < 4 ? 235 : 375
    var records: [UInt8] = []
    for record in self.records {
      records += [0, 0] + Self.text(record.user, 16) + Self.little(record.id)
      records += Self.little(UInt16(record.body.count)) + Self.text("", 32) + record.body
    }
    var head =
      Self.text("LASF", 24) + [1, minor] + Self.text("scanner", 32) + Self.text("test", 32)
    head += Self.little(UInt32(0)) + Self.little(UInt16(headerSize))
    head += Self.little(UInt32(headerSize + records.count))
    head += Self.little(UInt32(self.records.count)) + [format]
    head += Self.little(UInt16(points.first?.count ?? 20))
    let count = claimedCount ?? UInt64(points.count)
    head += Self.little(minor < 4 ? UInt32(truncatingIfNeeded: count) : 0) + Self.text("", 20)
    for axis in 0..<3 { head += Self.little(scale[axis].bitPattern) }
    for axis in 0..<3 { head += Self.little(offset[axis].bitPattern) }
    head += Self.text("", 48)
    if minor > 2 { head += Self.text("", 8) }
    if minor > 3 { head += Self.text("", 12) + Self.little(count) + Self.text("", 120) }
    return head + records + points.joined()
  }

  static func point(_ x: Int32, _ y: Int32, _ z: Int32, _ rest: [UInt8]) -> [UInt8] {
    little(x) + little(y) + little(z) + rest
  }

  static func little(_ number: some FixedWidthInteger) -> [UInt8] {
    (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  static func text(_ text: String, _ count: Int) -> [UInt8] {
    Array(text.utf8) + [UInt8](repeating: 0, count: count - text.utf8.count)
  }

  /// The description of an extra number.
  static func extra(
    _ name: String, type: UInt8, options: UInt8 = 0, scale: Double = 0, shift: Double = 0
  ) -> [UInt8] {
    var bytes: [UInt8] = [0, 0, type, options] + text(name, 32) + text("", 76)
    bytes += little(scale.bitPattern) + text("", 16)
    return bytes + little(shift.bitPattern) + text("", 48)
  }
}
