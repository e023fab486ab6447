import MeshPipeline

/// Pictures that a cell decodes.
enum PictureDecoding {
  /// The size of a picture and its samples, row by row.
  ///
  /// - Parameters:
  ///   - channels: 4 with opacity, or 3.
  ///   - decoder: FFmpeg's name of its decoder.
  ///   - isData: Whether the values of a picture of numbers are such, instead of light.
  /// - Throws: ``ImageError`` if it is damaged or truncated, there is no library for it, or that crashes, hangs or takes
  ///   more memory than any such picture does.
  static func samples(
    of bytes: [UInt8], _ library: DecoderLibrary, channels: Int = 4, decoder: String = "",
    isData: Bool = false, path: String
  ) throws(ImageError) -> (size: SIMD2<Int>, samples: [UInt8]) {
    let request = CellMessage(
      library.pictureTask, [channels, isData ? 1 : 0, PictureHeader.mostPixels], text: decoder,
      bytes: bytes)
    let answer: CellMessage
    do {
      answer = try DecoderPool.answer(to: request, library, limits(for: bytes, channels))
    } catch {
      throw ImageError(path, error.reason(library), error.exitCode)
    }
    guard answer.outcome == .done else { throw ImageError(path, answer.text) }
    let size = SIMD2(answer.numbers.first ?? 0, answer.numbers.dropFirst().first ?? 0)
    guard size.min() > 0, size.x <= PictureHeader.mostPixels / size.y,
      answer.bytes.count == channels * size.x * size.y
    else {
      throw ImageError(path, CellFailure.nonsense("pixels are missing").reason(library))
    }
    return (size, answer.bytes)
  }

  /// What a picture may take, by the size that its header claims.
  private static func limits(for bytes: [UInt8], _ channels: Int) -> DecoderCell.Limits {
    let claimed = PictureHeader(bytes).size.map { $0.x.multipliedReportingOverflow(by: $0.y) }
    let known = claimed.flatMap { $0.overflow || $0.partialValue <= 0 ? nil : $0.partialValue }
    let pixels = min(known ?? PictureHeader.mostPixels, PictureHeader.mostPixels)
    return DecoderCell.Limits(
      seconds: 60 + Double(pixels) / 1e6,
      memory: floor + memoryPerPixel * pixels + 4 * bytes.count,
      answer: channels * PictureHeader.mostPixels)
  }

  /// For the threads of decoders, in bytes.
  private static let floor = 1 << 29
  /// The most bytes: those of OpenEXR, as numbers, and of what comes of them.
  private static let memoryPerPixel = 64
}
