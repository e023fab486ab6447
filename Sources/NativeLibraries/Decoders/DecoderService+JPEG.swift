internal import CTurboJPEG
import MeshpipeBase
import MeshpipeScene

extension DecoderService {
  /// The samples of a JPEG with 3 or 4 channels, row by row, at 1/1, 1/2, 1/4 or 1/8 of its size.
  func jpeg(_ request: CellMessage) -> CellMessage {
    guard request.numbers.count == 4, [3, 4].contains(request.numbers[0]),
      let decoder = JPEGDecoder(request.bytes)
    else { return CellMessage(.damaged, text: "can't be decoded by libjpeg-turbo") }
    let channels = request.numbers[0]
    let (mostPixels, reduction) = (request.numbers[2], request.numbers[3])
    return Self.answer {
      let header = try decoder.header()
      try PictureDamage.check(header.size, mostPixels: mostPixels)
      let size = (header.size &+ (reduction - 1)) / reduction
      return try unsafe answer([size.x, size.y], count: channels * size.x * size.y) { target in
        guard header.isInInks else {
          return try unsafe decoder.decode(to: target, size, channels == 3 ? TJPF_RGB : TJPF_RGBA)
        }
        var inks = [UInt8](repeating: 0, count: 4 * size.x * size.y)
        try unsafe inks.withUnsafeMutableBytes {
          try unsafe decoder.decode(to: $0, size, TJPF_CMYK)
        }
        unsafe JPEGDecoder.print(inks, on: target, channels: channels)
      }
    }
  }
}

/// A decoder of libjpeg-turbo with the bytes of a file.
@safe final class JPEGDecoder {
  private let handle: tjhandle
  private let bytes: [UInt8]

  init?(_ bytes: [UInt8]) {
    guard let handle = unsafe tjInitDecompress() else { return nil }
    (unsafe self.handle, self.bytes) = unsafe (handle, bytes)
  }

  deinit { unsafe tjDestroy(handle) }

  func header() throws(PictureDamage) -> (size: SIMD2<Int>, isInInks: Bool) {
    var (width, height, subsampling, colors): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
    let failed = unsafe bytes.withUnsafeBufferPointer { source in
      unsafe tjDecompressHeader3(
        handle, source.baseAddress, UInt(source.count), &width, &height, &subsampling, &colors)
        != 0
    }
    guard !failed, width > 0, height > 0 else { throw PictureDamage(unsafe Self.reason(handle)) }
    let isInInks = [TJCS_CMYK, TJCS_YCCK].contains { Int32($0.rawValue) == colors }
    return (SIMD2(Int(width), Int(height)), isInInks)
  }

  /// Decodes the pixels after the header was read.
  @unsafe
  func decode(
    to target: UnsafeMutableRawBufferPointer, _ size: SIMD2<Int>, _ format: TJPF
  ) throws(PictureDamage) {
    let failed = unsafe bytes.withUnsafeBufferPointer { source in
      unsafe tjDecompress2(
        handle, source.baseAddress, UInt(source.count),
        target.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(size.x), 0, Int32(size.y),
        format.rawValue, TJFLAG_STOPONWARNING) != 0
    }
    if failed { throw PictureDamage(unsafe Self.reason(handle)) }
  }

  /// Writes the colours of inverted inks: what cyan, magenta and yellow leave, times what black leaves.
  @unsafe
  static func print(
    _ inks: [UInt8], on target: UnsafeMutableRawBufferPointer, channels: Int
  ) {
    for pixel in 0..<inks.count / 4 {
      let black = Int(inks[4 * pixel + 3])
      for channel in 0..<3 {
        let color = (Int(inks[4 * pixel + channel]) * black + 127) / 255
        unsafe target[channels * pixel + channel] = UInt8(color)
      }
      if channels == 4 { unsafe target[4 * pixel + 3] = 255 }
    }
  }

  /// What a handle of the library says of its last call.
  @unsafe static func reason(_ handle: tjhandle) -> String {
    guard let text = unsafe tjGetErrorStr2(handle) else { return "is not a JPEG" }
    return "incomplete JPEG: \(unsafe String(cString: text))"
  }

  /// Encodes a pixel, for which the library reads in a file what the processor can, on some machines.
  static func prepare() {
    guard let encoder = unsafe tjInitCompress() else { return }
    var bytes: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    _ = unsafe tjCompress2(
      encoder, [0, 0, 0], 1, 0, 1, Int32(TJPF_RGB.rawValue), &bytes, &count,
      Int32(TJSAMP_444.rawValue), 90, 0)
    unsafe tjFree(bytes)
    unsafe tjDestroy(encoder)
  }
}
