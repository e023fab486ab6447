/// Decoded pixels: three bytes (red, green, blue; sRGB) per pixel, row by row from the top left.
public struct Image: Sendable, Equatable {
  /// In pixels.
  public let width: Int
  /// In pixels.
  public let height: Int
  /// 3 × width × height bytes.
  public var pixels: [UInt8]
  /// The pixels that are not to be used; nil if all are.
  package var mask: PixelMask?

  /// Creates an image; `pixels` holds 3 × width × height bytes.
  public init(width: Int, height: Int, pixels: [UInt8]) {
    precondition(
      pixels.count == 3 * width * height, "an image of \(width)×\(height) has 3 bytes a pixel")
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// Creates an image of one colour.
  public init(width: Int, height: Int, filledWith color: (UInt8, UInt8, UInt8) = (0, 0, 0)) {
    var pixels = [UInt8](repeating: color.0, count: 3 * width * height)
    for pixel in 0..<width * height {
      pixels[3 * pixel + 1] = color.1
      pixels[3 * pixel + 2] = color.2
    }
    self.init(width: width, height: height, pixels: pixels)
  }

  /// Width and height in pixels.
  public var size: SIMD2<Int> { SIMD2(width, height) }
}

/// The depths measured by a frame's sensor, row by row from the top left.
public struct DepthMap: Sendable, Equatable {
  /// In pixels.
  public let width: Int
  /// In pixels.
  public let height: Int
  /// Metres from the camera's plane; 0 where nothing was measured.
  public var meters: [Float]
  /// 0 low, 1 medium, 2 high; nil if the source has none.
  public var confidences: [UInt8]?

  /// Creates a depth map, row by row from the top.
  ///
  /// - Precondition: There is one depth, and one confidence if any, for each pixel.
  public init(width: Int, height: Int, meters: [Float], confidences: [UInt8]? = nil) {
    precondition(
      meters.count == width * height, "a depth map of \(width)×\(height) has as many depths")
    precondition(
      confidences.map { $0.count == meters.count } ?? true, "a confidence for each depth")
    self.width = width
    self.height = height
    self.meters = meters
    self.confidences = confidences
  }

  /// Width and height in pixels.
  public var size: SIMD2<Int> { SIMD2(width, height) }
}
