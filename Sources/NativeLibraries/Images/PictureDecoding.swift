import MeshpipeBase
import MeshpipeScene

/// Pictures that a cell decodes, and the checks of what it answers.
enum PictureDecoding {
  /// A picture without its opacity.
  ///
  /// - Parameters:
  ///   - reduction: The pixels along a side of which one is made; of JPEG and PNG.
  ///   - path: For messages.
  /// - Throws: ``ImageError`` if it is damaged or truncated, there is no library for it, or that crashes, hangs or takes
  ///   more memory than any such picture does.
  static func image(
    of bytes: [UInt8], _ library: DecoderLibrary, reducedBy reduction: Int = 1, path: String
  ) throws(ImageError) -> Image {
    let answer = try answer(
      request(library, bytes, channels: 3, reducedBy: reduction), library, path)
    return Image(width: answer.numbers[0], height: answer.numbers[1], pixels: answer.bytes)
  }

  /// A picture with its opacity.
  ///
  /// - Parameters:
  ///   - decoder: FFmpeg's name of its decoder.
  ///   - isData: Whether the values of a picture of numbers, or means of pixels, are those of numbers instead of light.
  static func raster(
    of bytes: [UInt8], _ library: DecoderLibrary, reducedBy reduction: Int = 1,
    decoder: String = "", isData: Bool = false, path: String
  ) throws(ImageError) -> TextureRaster {
    let request = request(
      library, bytes, channels: 4, reducedBy: reduction, decoder: decoder, isData: isData)
    let answer = try answer(request, library, path)
    return TextureRaster(
      size: SIMD2(answer.numbers[0], answer.numbers[1]), pixels: answer.pixels)
  }

  /// The samples of a PNG as they are stored.
  static func samples(ofPNG bytes: [UInt8], path: String) throws(ImageError) -> PNG.Samples {
    let answer = try answer(request(.png, bytes, channels: 0, reducedBy: 1), .png, path)
    return PNG.Samples(
      width: answer.numbers[0], height: answer.numbers[1], channels: answer.numbers[2],
      bitDepth: answer.numbers[3], bytes: answer.bytes)
  }

  /// - Parameter channels: 4 with opacity, 3, or 0 for those that the file has.
  static func request(
    _ library: DecoderLibrary, _ bytes: [UInt8], channels: Int, reducedBy reduction: Int = 1,
    decoder: String = "", isData: Bool = false
  ) -> CellMessage {
    CellMessage(
      library.pictureTask, [channels, isData ? 1 : 0, PictureHeader.mostPixels, reduction],
      text: decoder, bytes: bytes)
  }

  private static func answer(
    _ request: CellMessage, _ library: DecoderLibrary, _ path: String
  ) throws(ImageError) -> CellMessage {
    let answer: CellMessage
    do {
      answer = try DecoderPool.answer(to: request, library, limits(for: request))
    } catch {
      throw ImageError(path, error.reason(library), error.exitCode)
    }
    guard answer.outcome == .done else { throw ImageError(path, answer.text) }
    if let fault = fault(of: answer, to: request) {
      throw ImageError(path, CellFailure.nonsense(fault).reason(library))
    }
    return answer
  }

  /// What is wrong with the answer to a request; nil if nothing is.
  static func fault(of answer: CellMessage, to request: CellMessage) -> String? {
    let (channels, reduction) = (request.numbers[0], request.numbers[3])
    let size = SIMD2(answer.numbers.first ?? 0, answer.numbers.dropFirst().first ?? 0)
    guard size.min() > 0, size.x <= PictureHeader.mostPixels / size.y else {
      return "a size is out of range"
    }
    // Cameras are for the size in the header.
    if let told = PictureHeader.size(of: request.bytes),
      (told &+ (reduction - 1)) / reduction != size
    {
      return "\(size.x) x \(size.y) pixels instead of the \(told.x) x \(told.y) of the header"
        + (reduction > 1 ? ", reduced by \(reduction)" : "")
    }
    var length = channels
    if channels == 0 {
      guard answer.numbers.count == 4, (1...4).contains(answer.numbers[2]),
        [8, 16].contains(answer.numbers[3])
      else { return "samples are of an unknown kind" }
      length = answer.numbers[2] * answer.numbers[3] / 8
    }
    let count = answer.bytes.count + 4 * answer.pixels.count
    return count == length * size.x * size.y ? nil : "pixels are missing"
  }

  /// What a picture may take, by the size that its header claims.
  private static func limits(for request: CellMessage) -> DecoderCell.Limits {
    let (channels, bytes) = (request.numbers[0], request.bytes)
    let claimed = PictureHeader.size(of: bytes).map { $0.x.multipliedReportingOverflow(by: $0.y) }
    let known = claimed.flatMap { $0.overflow || $0.partialValue <= 0 ? nil : $0.partialValue }
    let pixels = min(known ?? PictureHeader.mostPixels, PictureHeader.mostPixels)
    return DecoderCell.Limits(
      seconds: 60 + Double(pixels) / 1e6,
      memory: floor + memoryPerPixel * pixels + 4 * bytes.count,
      answer: (channels == 0 ? mostBytes : channels) * PictureHeader.mostPixels,
      isOfPixels: channels == 4, run: CurrentRun.current?.cancellation)
  }

  /// For the threads of decoders, in bytes.
  private static let floor = 1 << 29
  /// The most bytes: those of OpenEXR, as numbers, and of what comes of them.
  private static let memoryPerPixel = 64
  /// The most bytes of a pixel of a PNG.
  private static let mostBytes = 8
}
