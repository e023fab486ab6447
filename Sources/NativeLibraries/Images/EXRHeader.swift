import MeshpipeBase

/// The header of a single-part scan-line OpenEXR file, as used for depth maps.
package struct EXRHeader: Sendable, Equatable {
  /// The number types, by their codes in files.
  package enum Number: Int, Sendable {
    case uint32 = 0, half, float

    /// The size of a number in bytes.
    package var byteCount: Int { self == .half ? 2 : 4 }
  }

  /// A channel of pixels of one number type.
  package struct Channel: Sendable, Equatable {
    package var name: String
    package var number: Number
  }

  /// In the order of their rows.
  package private(set) var channels: [Channel] = []
  /// The code in files: 0 none, 2 ZIP of single lines, 3 ZIP of 16 lines.
  package private(set) var compression = -1
  /// Width and height of the stored data.
  package private(set) var size = SIMD2<Int>.zero
  /// The first stored line.
  package private(set) var firstLine = 0
  /// The offset of the block table.
  package private(set) var length = 0

  /// More than any depth map has; decoders check the product of both.
  private static let largestSide = 1 << 16
  /// Enough for every header without embedded images.
  private static let headLength = 1 << 16

  /// - Returns: Nil if the file has another structure, is truncated, or claims an impossible size.
  package init?(ofFile path: String) {
    guard let file = try? MappedFile(path: path, allowsPipes: false) else { return nil }
    self.init(file.withBytes { [UInt8](copying: $0.extracting(first: Self.headLength)) })
  }

  /// - Parameter bytes: The file, or its beginning.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count > 8, bytes.starts(with: [0x76, 0x2F, 0x31, 0x01]), bytes[4] == 2,
      // Neither tiles nor deep pixels nor several parts; long names are accepted.
      bytes[5] & 0x1A == 0, bytes[6] == 0, bytes[7] == 0
    else { return nil }
    var offset = 8
    while offset < bytes.count, bytes[offset] != 0 {
      guard let name = Self.text(bytes, &offset), let type = Self.text(bytes, &offset),
        let count = Self.number(bytes, offset), count >= 0, count <= bytes.count - offset - 4
      else { return nil }
      offset += 4
      guard take(name, type, Array(bytes[offset..<offset + count])) else { return nil }
      offset += count
    }
    length = offset + 1
    guard offset < bytes.count, !channels.isEmpty, compression >= 0, size.min() > 0 else {
      return nil
    }
  }

  private mutating func take(_ name: String, _ type: String, _ value: [UInt8]) -> Bool {
    switch (name, type) {
    case ("channels", "chlist"): return takeChannels(value)
    case ("compression", "compression"): compression = value.first.map(Int.init) ?? -1
    case ("dataWindow", "box2i"):
      let corners = (0..<4).compactMap { Self.number(value, 4 * $0) }
      guard corners.count == 4 else { return false }
      firstLine = corners[1]
      size = SIMD2(corners[2] - corners[0] + 1, corners[3] - corners[1] + 1)
      return size.min() > 0 && size.max() <= Self.largestSide
    default: break
    }
    return true
  }

  private mutating func takeChannels(_ value: [UInt8]) -> Bool {
    var offset = 0
    while offset < value.count, value[offset] != 0 {
      guard let name = Self.text(value, &offset),
        let number = Self.number(value, offset).flatMap(Number.init(rawValue:)),
        // Subsampled channels are only used for colours.
        Self.number(value, offset + 8) == 1, Self.number(value, offset + 12) == 1
      else { return false }
      channels.append(Channel(name: name, number: number))
      offset += 16
    }
    return channels.count <= 64
  }

  /// A zero-terminated text.
  private static func text(_ bytes: [UInt8], _ offset: inout Int) -> String? {
    guard offset < bytes.count, let end = bytes[offset...].prefix(256).firstIndex(of: 0) else {
      return nil
    }
    defer { offset = end + 1 }
    return String(decoding: bytes[offset..<end], as: UTF8.self)
  }

  /// A signed number of four bytes.
  private static func number(_ bytes: [UInt8], _ offset: Int) -> Int? {
    guard offset >= 0, offset + 4 <= bytes.count else { return nil }
    let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1)) }
    return Int(Int32(bitPattern: bits))
  }
}
