import MeshpipeScene

/// Pictures as modellers' and scanners' programs write them besides PNG and JPEG: OpenEXR, TIFF, BMP, TGA and so on,
/// through FFmpeg's decoders, and rare kinds of TIFF through libtiff, in cells.
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
      return opaque(try PictureDecoding.raster(of: bytes, .tiff, path: path))
    }
    guard let decoder = decoder(of: kind) else {
      throw ImageError(path, PictureKind.fault(of: kind) ?? "is not an image")
    }
    return opaque(
      try PictureDecoding.raster(of: bytes, .ffmpeg, decoder: decoder, isData: isData, path: path))
  }

  private static func opaque(_ raster: TextureRaster) -> TextureRaster {
    raster.pixels.contains { $0.w != 0 } ? raster : raster.opaque
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
