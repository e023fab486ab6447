internal import CPNG
import MeshpipeBase
import MeshpipeScene

/// Depth maps in OpenEXR files: scan lines, uncompressed or ZIP, as written by Record3D and most
/// programs ("Technical Introduction to OpenEXR").
enum EXR {
  /// The names of depth channels, the most likely first; a single channel is used whatever its
  /// name.
  private static let depthNames = ["Z", "R", "Y"]
  /// More than any depth map has; a small malicious file can claim any size.
  private static let mostPixels = 64_000_000

  /// The values of the depth channel, row by row from the top left.
  ///
  /// - Throws: If the file is damaged, truncated, or of an unsupported kind.
  static func depths(
    of bytes: [UInt8], path: String
  ) throws(ImageError) -> (size: SIMD2<Int>, values: [Float]) {
    guard let header = EXRHeader(bytes), header.size.x <= mostPixels / header.size.y else {
      throw ImageError(path, "is not a single-part scan-line OpenEXR file, or is truncated")
    }
    guard [0, 2, 3].contains(header.compression) else {
      throw ImageError(
        path, "has an unsupported compression: save it with ZIP compression")
    }
    // zlib expands a byte to at most 1,032.
    let pixelLength = header.channels.reduce(0) { $0 + $1.number.byteCount }
    guard pixelLength * header.size.x * header.size.y / 1100 <= bytes.count else {
      throw ImageError(path, "is too short for \(header.size.x) x \(header.size.y) pixels")
    }
    let reader = BlockReader(bytes: bytes, header: header, channel: try channel(header, path))
    var values: [Float] = []
    values.reserveCapacity(header.size.x * header.size.y)
    let linesPerBlock = header.compression == 3 ? 16 : 1
    for first in stride(from: 0, to: header.size.y, by: linesPerBlock) {
      let lines = first..<min(first + linesPerBlock, header.size.y)
      guard let block = reader.values(block: first / linesPerBlock, lines: lines) else {
        throw ImageError(path, "is damaged or truncated at line \(first)")
      }
      values += block
    }
    return (header.size, values)
  }

  /// The value of a half-precision number, for which some machines have no type.
  static func float(half bits: UInt32) -> Float {
    let (sign, exponent, fraction) = (bits >> 15, bits >> 10 & 0x1F, bits & 0x3FF)
    if exponent == 0 { return (sign == 1 ? -1 : 1) * Float(fraction) * 0x1p-24 }
    // Infinity and NaN keep the largest exponent.
    let wide = exponent == 0x1F ? 0xFF : exponent + 112
    return Float(bitPattern: sign << 31 | wide << 23 | fraction << 13)
  }

  private static func channel(_ header: EXRHeader, _ path: String) throws(ImageError) -> Int {
    let names = header.channels.map(\.name)
    let named = depthNames.lazy.compactMap { names.firstIndex(of: $0) }.first
    guard let channel = names.count == 1 ? 0 : named, header.channels[channel].number != .uint32
    else {
      throw ImageError(path, "has no depth channel (only \(names.joined(separator: ", ")))")
    }
    return channel
  }
}

/// Reads one channel from the blocks of an OpenEXR file.
private struct BlockReader {
  let bytes: [UInt8]
  let header: EXRHeader
  let channel: Int

  /// The channel's values in the lines of a block; nil if it is damaged.
  func values(block: Int, lines: Range<Int>) -> [Float]? {
    guard let place = number(header.length + 8 * block, 8), let line = number(place, 4),
      let count = number(place + 4, 4), count <= bytes.count - place - 8,
      Int32(truncatingIfNeeded: line)
        == Int32(truncatingIfNeeded: header.firstLine + lines.lowerBound)
    else { return nil }
    let rowLength = header.channels.reduce(0) { $0 + $1.number.byteCount } * header.size.x
    let data = bytes[place + 8..<place + 8 + count]
    guard let content = unpacked(Array(data), length: rowLength * lines.count) else { return nil }
    let number = header.channels[channel].number
    let start = header.channels[..<channel].reduce(0) { $0 + $1.number.byteCount } * header.size.x
    return (0..<lines.count).flatMap { line in
      (0..<header.size.x).map { column in
        let offset = line * rowLength + start + column * number.byteCount
        return number == .half
          ? EXR.float(half: UInt32(content[offset]) | UInt32(content[offset + 1]) << 8)
          : Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(content[offset + $1]) << (8 * $1) })
      }
    }
  }

  /// A number of some bytes, if it is an offset in the file or below 2³².
  private func number(_ offset: Int, _ count: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - count else { return nil }
    let value = (0..<count).reduce(UInt64(0)) { $0 | UInt64(bytes[offset + $1]) << (8 * $1) }
    return value < 1 << 40 ? Int(value) : nil
  }

  /// The uncompressed contents of a block; incompressible ones are stored uncompressed.
  private func unpacked(_ data: [UInt8], length: Int) -> [UInt8]? {
    if data.count == length { return data }
    guard header.compression != 0, data.count < length else { return nil }
    var deltas = [UInt8](repeating: 0, count: length)
    let isWhole = unsafe data.withUnsafeBufferPointer { source in
      unsafe deltas.withUnsafeMutableBufferPointer { target in
        unsafe meshpipe_inflate(source.baseAddress, source.count, target.baseAddress, length) == 0
      }
    }
    guard isWhole else { return nil }
    // Each byte is stored as the difference from the previous one, first the even bytes, then the
    // odd ones.
    for index in 1..<max(length, 1) {
      deltas[index] = deltas[index] &+ deltas[index - 1] &- 128
    }
    let half = (length + 1) / 2
    return (0..<length).map { deltas[$0 % 2 == 0 ? $0 / 2 : half + $0 / 2] }
  }
}
