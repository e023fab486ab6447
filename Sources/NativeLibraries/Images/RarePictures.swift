internal import CPictures
internal import CVideo
import MeshPipeline
import POSIX

/// Pictures as modellers' and scanners' programs write them besides PNG and JPEG: OpenEXR, TIFF, BMP, TGA and so on,
/// through FFmpeg's decoders, and rare kinds of TIFF through libtiff, both of which are opened for the first one.
enum RarePictures {
  /// The pixels of a picture, with their opacity.
  ///
  /// One without anything opaque is taken for one without opacity: programs leave those bytes at zero.
  /// - Parameter isData: Whether its values are directions or shares instead of light.
  /// - Throws: ``ImageError`` if it is damaged or truncated, or there is no library for it.
  static func raster(
    of bytes: [UInt8], _ kind: PictureKind, isData: Bool, path: String
  ) throws(ImageError) -> TextureRaster {
    if kind == .exr, let fault = EXREnd.fault(of: bytes) { throw ImageError(path, fault) }
    if kind == .tiff, TIFFHeader(bytes)?.isCommon == false {
      return try libtiff(bytes, path: path)
    }
    guard let decoder = decoder(of: kind) else {
      throw ImageError(path, PictureKind.fault(of: kind) ?? "is not an image")
    }
    return try unsafe decoded(path) { width, height, pixels, error, size in
      unsafe bytes.withUnsafeBufferPointer { source in
        unsafe meshpipe_still_read(
          source.baseAddress, source.count, decoder, Int64(ImageLimits.pixels), isData ? 1 : 0,
          &width, &height, &pixels, error, size) == meshpipe_video_ok
      }
    }
  }

  private static func libtiff(_ bytes: [UInt8], path: String) throws(ImageError) -> TextureRaster {
    try unsafe decoded(path) { width, height, pixels, error, size in
      unsafe bytes.withUnsafeBufferPointer { source in
        unsafe meshpipe_tiff_read(
          source.baseAddress, source.count, &width, &height, &pixels, error, size)
          == meshpipe_picture_ok
      }
    }
  }

  private static func decoded(
    _ path: String,
    _ read: (
      inout Int32, inout Int32, inout UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<CChar>?,
      Int
    ) -> Bool
  ) throws(ImageError) -> TextureRaster {
    var (width, height): (Int32, Int32) = (0, 0)
    var pixels: UnsafeMutablePointer<UInt8>?
    var isRead = false
    let words = unsafe nativeMessage { error, size in
      isRead = unsafe read(&width, &height, &pixels, error, size)
    }
    defer { unsafe free(pixels) }
    guard isRead, let pixels = unsafe pixels else { throw ImageError(path, words) }
    let size = SIMD2(Int(width), Int(height))
    let start = unsafe UnsafeRawPointer(pixels).assumingMemoryBound(to: SIMD4<UInt8>.self)
    let result = unsafe Array(UnsafeBufferPointer(start: start, count: size.x * size.y))
    let raster = TextureRaster(size: size, pixels: result)
    return result.contains { $0.w != 0 } ? raster : raster.opaque
  }

  /// FFmpeg's name of a decoder; nil if there is none.
  private static func decoder(of kind: PictureKind) -> String? {
    switch kind {
    case .exr: "exr"
    case .tiff: "tiff"
    case .bmp: "bmp"
    case .tga: "targa"
    case .gif: "gif"
    case .dds: "dds"
    case .psd: "psd"
    case .jpeg2000: "jpeg2000"
    case .sgi: "sgi"
    case .pcx: "pcx"
    case .pnm: "ppm"
    case .qoi: "qoi"
    case .radiance: "hdr"
    case .jpegXL: "libjxl"
    case .jpeg, .png, .webp, .heic, .avif: nil
    }
  }
}

extension TIFFHeader {
  /// Whether FFmpeg decodes it rightly.
  fileprivate var isCommon: Bool {
    !isBig && !isTiled && [1, 2, 3, 4, 5, 8, 32_773, 32_946].contains(compression)
  }
}
