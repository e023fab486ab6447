import MeshpipeBase
import MeshpipeScene

/// An image of numbers in NumPy's own file format (`.npy`; NEP 1).
package struct NumPyArray: Sendable {
  /// Columns and rows.
  package let size: SIMD2<Int>
  /// Row by row.
  package let values: [Float]

  /// What a file holds.
  package struct Header: Sendable, Equatable {
    /// The kinds of numbers, by their letters.
    package enum Kind: Character, Sendable {
      case signed = "i"
      case unsigned = "u"
      case float = "f"
    }

    package let kind: Kind
    /// In bytes.
    package let width: Int
    package let isBigEndian: Bool
    /// Whether values are stored column by column.
    package let isByColumns: Bool
    /// Columns and rows; axes of length 1 before or behind them are ignored.
    package let size: SIMD2<Int>
    /// The offset of the values.
    package let length: Int
  }

  /// More than any depth map has; a small malicious file can claim any size.
  private static let mostPixels = 64_000_000

  /// - Throws: If the file is truncated, or no image of numbers.
  package init(_ bytes: [UInt8], path: String) throws(ImageError) {
    guard let header = Header(bytes) else {
      throw ImageError(path, "is not a NumPy array of rows and columns of numbers")
    }
    size = header.size
    guard size.x <= Self.mostPixels / size.y,
      bytes.count - header.length >= size.x * size.y * header.width
    else {
      throw ImageError(path, "is too short for \(size.x) x \(size.y) numbers")
    }
    let size = size
    values = Parallel.array(count: size.x * size.y) { pixel in
      let index = header.isByColumns ? pixel % size.x * size.y + pixel / size.x : pixel
      return header.value(of: bytes, at: header.length + index * header.width)
    }
  }
}

extension NumPyArray.Header {
  /// More than the few words that a header has.
  private static let greatestLength = 1 << 16

  /// Reads the header of a file; nil if it is not such an image, or is missing.
  package init?(ofFile path: String) {
    // A pipe in its place may never end.
    guard (try? FileSystem.status(of: path))?.isRegularFile == true,
      let head = try? FileSystem.head(of: path, count: Self.greatestLength)
    else { return nil }
    self.init(head)
  }

  init?(_ bytes: [UInt8]) {
    guard bytes.count > 12, bytes.starts(with: [0x93] + Array("NUMPY".utf8)) else { return nil }
    let start = bytes[6] == 1 ? 10 : 12
    let count = (8..<start).reversed().reduce(0) { $0 << 8 | Int(bytes[$1]) }
    guard count <= Self.greatestLength, start + count <= bytes.count else { return nil }
    length = start + count
    let text = String(decoding: bytes[start..<length], as: UTF8.self).filter { $0 != " " }
    // 'descr':'<f4','fortran_order':False,'shape':(144,192),
    func value(_ key: String, until end: Character) -> Substring? {
      guard let mark = text.firstRange(of: "'\(key)':") else { return nil }
      return text[mark.upperBound...].prefix { $0 != end }
    }
    guard let type = value("descr", until: ",")?.filter({ $0 != "'" }),
      let order = value("fortran_order", until: ","),
      let shape = value("shape", until: ")"), shape.first == "("
    else { return nil }
    let marks = Array(type)
    guard marks.count >= 3, let kind = Kind(rawValue: marks[1]),
      let width = Int(String(marks[2...])),
      (kind == .float ? [2, 4, 8] : [1, 2, 4, 8]).contains(width)
    else { return nil }
    (self.kind, self.width) = (kind, width)
    isBigEndian = marks[0] == ">"
    isByColumns = order == "True"
    let axes = shape.dropFirst().split(separator: ",").map { Int(String($0)) ?? 0 }
    guard axes.count >= 2, axes.allSatisfy({ $0 > 0 && $0 <= 1 << 16 }) else { return nil }
    // (rows, columns), (rows, columns, 1) or (1, rows, columns).
    var long = axes[...]
    while long.count > 2, long.last == 1 { long.removeLast() }
    while long.count > 2, long.first == 1 { long.removeFirst() }
    guard long.count == 2, let rows = long.first, let columns = long.last else { return nil }
    size = SIMD2(columns, rows)
  }

  /// The number at an offset.
  fileprivate func value(of bytes: [UInt8], at offset: Int) -> Float {
    var bits: UInt64 = 0
    for index in 0..<width {
      let byte = bytes[offset + (isBigEndian ? index : width - 1 - index)]
      bits = bits << 8 | UInt64(byte)
    }
    switch (kind, width) {
    case (.float, 2): return EXR.float(half: UInt32(bits))
    case (.float, 4): return Float(bitPattern: UInt32(bits))
    case (.float, _): return Float(Double(bitPattern: bits))
    case (.unsigned, _): return Float(bits)
    case (.signed, _):
      let shift = 64 - 8 * width
      return Float(Int64(bitPattern: bits << UInt64(shift)) >> Int64(shift))
    }
  }
}
