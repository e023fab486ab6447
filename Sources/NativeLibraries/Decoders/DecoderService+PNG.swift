internal import CPNG
import MeshpipeBase
import MeshpipeScene

extension DecoderService {
  /// The samples of a PNG, row by row: with 3 or 4 channels of 8 bits, of which those with 4 may be reduced, or with 0
  /// channels as they are stored, with their channels and bits after the size.
  func png(_ request: CellMessage) -> CellMessage {
    guard request.numbers.count == 4, [0, 3, 4].contains(request.numbers[0]) else {
      return CellMessage(.damaged, text: "is not asked for")
    }
    let (channels, isData) = (request.numbers[0], request.numbers[1] == 1)
    let (mostPixels, reduction) = (request.numbers[2], request.numbers[3])
    let file = PNGFile(bytes: request.bytes)
    return Self.answer {
      let header = try file.header(mostPixels: mostPixels)
      if reduction > 1 {
        let means = RowReduction(by: reduction, isData: isData)
        try unsafe file.forEachRow { row, _ in
          unsafe means.add(
            row, width: header.columns, channels: header.samples, isWide: header.isWide)
        }
        let (size, pixels) = means.result
        return CellMessage(.done, [size.x, size.y], values: pixels)
      }
      let kind = channels == 0 ? [header.samples, header.isWide ? 16 : 8] : []
      let length = channels == 0 ? header.rowLength : channels * header.columns
      return try unsafe answer([header.columns, header.rows] + kind, count: length * header.rows) {
        target in
        try unsafe file.forEachRow { row, number in
          let place = unsafe UnsafeMutableRawBufferPointer(
            rebasing: target[number * length..<(number + 1) * length])
          unsafe header.write(row, to: place, channels: channels)
        }
      }
    }
  }
}

/// The bytes of a file that libpng reads.
private struct PNGFile {
  let bytes: [UInt8]

  func header(mostPixels: Int) throws(PictureDamage) -> meshpipe_png_header {
    var header = meshpipe_png_header()
    try unsafe check { error, size in
      unsafe bytes.withUnsafeBufferPointer { source in
        unsafe meshpipe_png_inspect(source.baseAddress, source.count, &header, error, size)
      }
    }
    try PictureDamage.check(SIMD2(header.columns, header.rows), mostPixels: mostPixels)
    // zlib expands a byte to at most 1,032, and a pixel of one bit becomes four bytes.
    guard header.rowLength * header.rows / 32 / 1100 <= bytes.count else {
      throw PictureDamage(
        "incomplete PNG: too short for \(header.columns) x \(header.rows) pixels")
    }
    return header
  }

  /// Calls a function with the samples of each row and its number, in order.
  @unsafe
  func forEachRow(
    _ body: (_ row: UnsafeBufferPointer<UInt8>, _ number: Int) -> Void
  ) throws(PictureDamage) {
    @safe final class Rows {
      let body: (UnsafeBufferPointer<UInt8>, Int) -> Void
      var count = 0
      init(_ body: @escaping (UnsafeBufferPointer<UInt8>, Int) -> Void) { unsafe self.body = body }
    }
    try unsafe withoutActuallyEscaping(body) { body throws(PictureDamage) in
      let rows = unsafe Rows(body)
      try unsafe check { error, size in
        unsafe bytes.withUnsafeBufferPointer { source in
          unsafe meshpipe_png_read(
            source.baseAddress, source.count,
            { context, header, row in
              guard let context = unsafe context, let header = unsafe header else { return }
              let rows = unsafe Unmanaged<Rows>.fromOpaque(context).takeUnretainedValue()
              unsafe rows.body(
                UnsafeBufferPointer(start: row, count: header.pointee.rowLength), rows.count)
              rows.count += 1
            }, Unmanaged.passUnretained(rows).toOpaque(), error, size)
        }
      }
    }
  }

  private func check(
    _ body: (UnsafeMutablePointer<CChar>?, Int) -> Int32
  ) throws(PictureDamage) {
    var failed = false
    let words = unsafe nativeMessage { error, size in failed = unsafe body(error, size) != 0 }
    if failed { throw PictureDamage("incomplete PNG: \(words)") }
  }
}

extension meshpipe_png_header {
  fileprivate var columns: Int { Int(width) }
  fileprivate var rows: Int { Int(height) }
  /// Of a pixel.
  fileprivate var samples: Int { Int(channels) }
  fileprivate var isWide: Bool { bit_depth == 16 }
  fileprivate var rowLength: Int { columns * samples * (isWide ? 2 : 1) }

  /// Writes a row with 3 channels of 8 bits, the higher ones of 16; with 4, rounded; or with 0 as it is.
  @unsafe
  fileprivate func write(
    _ row: UnsafeBufferPointer<UInt8>, to target: UnsafeMutableRawBufferPointer, channels: Int
  ) {
    if channels == 0 || channels == samples && !isWide {
      return unsafe target.copyMemory(from: UnsafeRawBufferPointer(row))
    }
    let (step, high) = isWide ? (2, 1.littleEndian == 1 ? 1 : 0) : (1, 0)
    func code(_ sample: Int) -> UInt8 {
      let index = step * sample
      guard isWide, channels == 4 else { return unsafe row[index + high] }
      let value = unsafe 256 * Int(row[index + high]) + Int(row[index + 1 - high])
      return UInt8((value + 128) / 257)
    }
    for pixel in 0..<columns {
      let first = pixel * samples
      for channel in 0..<3 {
        unsafe target[channels * pixel + channel] = code(first + (samples < 3 ? 0 : channel))
      }
      guard channels == 4 else { continue }
      unsafe target[4 * pixel + 3] = samples % 2 == 0 ? code(first + samples - 1) : 255
    }
  }
}
