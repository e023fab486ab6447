package import MeshpipeBase
import MeshpipeScene

extension KTX2 {
  /// A program that encodes; the first that is in the PATH is taken.
  private enum Encoder: String, CaseIterable {
    case ktx, toktx, basisu

    /// The arguments for a PNG that becomes a file with all levels of detail.
    ///
    /// Colours are stored as ETC1S, the smaller codec, and numbers as UASTC, the more exact one. One thread, since
    /// the bytes may depend on their number.
    func arguments(
      _ input: String, _ output: String, quality: Int, hasColors: Bool, hasAlpha: Bool
    ) -> [String] {
      let level = "\(max(1, quality * 255 / 100))"
      switch self {
      case .ktx:
        let channels = hasAlpha ? "R8G8B8A8" : "R8G8B8"
        let coding =
          hasColors
          ? [
            "--format", "\(channels)_SRGB", "--assign-oetf", "srgb", "--encode", "basis-lz",
            "--qlevel", level,
          ]
          : [
            "--format", "\(channels)_UNORM", "--assign-oetf", "linear", "--assign-primaries",
            "none", "--encode", "uastc", "--uastc-quality", "2", "--zstd", "18",
          ]
        return ["create"] + coding + ["--generate-mipmap", "--threads", "1", input, output]
      case .toktx:
        let coding =
          hasColors
          ? ["--assign_oetf", "srgb", "--encode", "etc1s", "--qlevel", level]
          : [
            "--assign_oetf", "linear", "--assign_primaries", "none", "--encode", "uastc",
            "--uastc_quality", "2", "--zcmp", "18",
          ]
        return ["--t2"] + coding + ["--genmipmap", "--threads", "1", output, input]
      case .basisu:
        let coding =
          hasColors ? ["-q", level] : ["-uastc", "-uastc_level", "2", "-linear"]
        return ["-ktx2"] + coding
          + ["-mipmap", "-no_multithreading", "-file", input, "-output_file", output]
      }
    }
  }

  private static var encoder: (kind: Encoder, path: String)? {
    for kind in Encoder.allCases {
      if let path = FileSystem.program(named: kind.rawValue) { return (kind, path) }
    }
    return nil
  }

  /// The program that encodes; nil if there is none.
  package static var encoderPath: String? { encoder?.path }

  /// Why it can't be written on this machine, with the way out; nil if it can.
  package static var fault: NativeLibraryError? {
    encoder == nil
      ? NativeLibraryError(
        "KTX2", "needs 'ktx' or 'toktx' of the KTX-Software, or 'basisu', in the PATH") : nil
  }

  /// Encodes a picture with its smaller levels of detail.
  ///
  /// - Parameters:
  ///   - quality: That of colours, from 1 to 100.
  ///   - hasColors: Whether its values are colours in sRGB, and not directions or other numbers, which keep more.
  ///   - cancellation: Ends the program, which then fails.
  /// - Throws: ``ImageError``, also for a size that is not a multiple of 4 pixels, as glTF demands.
  package static func encode(
    _ raster: TextureRaster, quality: Int, hasColors: Bool, path: String,
    cancellation: (any Cancellable)? = nil
  ) throws(ImageError) -> [UInt8] {
    guard let encoder else { throw ImageError(path, fault?.message ?? "") }
    let size = raster.size
    guard size.x % 4 == 0, size.y % 4 == 0 else {
      throw ImageError(
        path, "has \(size.x) x \(size.y) pixels, and KTX2 in glTF needs multiples of 4")
    }
    let picture = try raster.encoded(as: .png, quality: nil)
    let bytes = try run(
      encoder.path, on: picture, "in.png", path: path, cancellation: cancellation
    ) { input, output in
      encoder.kind.arguments(
        input, output + ".ktx2", quality: quality, hasColors: hasColors,
        hasAlpha: raster.hasTransparency)
    }
    let made = Texture(fileName: path, encoding: .ktx2, bytes: bytes)
    guard Texture.Encoding(bytes: bytes) == .ktx2, made.pixelSize == size else {
      throw ImageError(path, "'\(FileSystem.name(of: encoder.path))' made no KTX2 of it")
    }
    return bytes
  }
}
