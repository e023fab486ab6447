package import MeshpipeBase
import MeshpipeScene

/// KTX2 with Basis Universal's codecs, as `KHR_texture_basisu` wants it, by a program of the machine: no library that
/// Debian packages decodes it.
///
/// Files and options are those of the KTX-Software's manual pages (`ktx create`, `ktx extract`, `toktx`) and of `basisu`.
package enum KTX2 {
  /// Seconds after which a program is stopped.
  private static let mostSeconds = 600.0

  /// The properties of a file that a program is asked to decode.
  private struct Header {
    var size: SIMD2<Int>
    /// Whether the pixels are in a codec of Basis Universal, and not in a format of graphics processors.
    var isUniversal: Bool

    /// - Throws: ``ImageError`` for what is damaged, too large, or no plain picture.
    init(_ bytes: [UInt8], path: String) throws(ImageError) {
      func number(_ offset: Int) -> Int {
        bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
      }
      guard bytes.count >= 80 else { throw ImageError(path, "is damaged or truncated") }
      size = SIMD2(number(20), number(24))
      isUniversal = number(12) == 0
      let (depth, layers, faces) = (number(28), number(32), number(36))
      guard size.min() > 0, depth == 0, layers == 0, faces == 1 else {
        throw ImageError(path, "is not one plain picture, as textures of models are")
      }
      try ImageLimits.check(size, path: path)
    }
  }

  /// The program that decodes; nil if there is none.
  package static var decoder: String? { FileSystem.program(named: "ktx") }

  /// The pixels of a file.
  ///
  /// - Throws: ``ImageError`` if it is damaged, or there is no program for it.
  package static func raster(of bytes: [UInt8], path: String) throws(ImageError) -> TextureRaster {
    let header = try Header(bytes, path: path)
    guard let decoder else {
      throw ImageError(
        path,
        "is KTX2, which needs the program 'ktx' of the KTX-Software in the PATH (4.3 or newer); or convert it to PNG"
      )
    }
    let picture = try run(decoder, on: bytes, "in.ktx2", path: path) { input, output in
      ["extract"] + (header.isUniversal ? ["--transcode", "rgba8"] : []) + [input, output + ".png"]
    }
    let raster = try TextureRaster(
      Texture(fileName: path, encoding: .png, bytes: picture))
    guard raster.size == header.size else {
      throw ImageError(path, "has another size than its header says")
    }
    return raster
  }

  /// Runs a program that makes one file of another, in a folder of its own.
  ///
  /// - Parameter arguments: Of the program, for the file that it reads and the one that it writes, which has its extension
  ///   added.
  /// - Parameter cancellation: Ends the program, which then fails.
  /// - Returns: The written file.
  static func run(
    _ program: String, on bytes: [UInt8], _ name: String, path: String,
    cancellation: (any Cancellable)? = nil,
    arguments: (_ input: String, _ output: String) -> [String]
  ) throws(ImageError) -> [UInt8] {
    do {
      let folder = try FileSystem.createPrivateFolder(
        prefix: "\(FileSystem.temporaryFolder)/meshpipe-texture-")
      defer { try? FileSystem.removeFolder(folder) }
      let writer = try FileWriter(creating: "\(folder)/\(name)")
      try writer.write(bytes)
      try writer.finish()
      let words = arguments("\(folder)/\(name)", "\(folder)/out")
      let run = try CompletedProgram(
        program, words, seconds: mostSeconds, cancellation: cancellation)
      let written = try FileSystem.names(inFolder: folder).first { $0.hasPrefix("out") }
      guard run.succeeded, let written else {
        let reason = run.lastErrorLine.isEmpty ? "" : ": \(run.lastErrorLine)"
        throw ImageError(path, "'\(FileSystem.name(of: program))' fails\(reason)")
      }
      return try FileSystem.contents(of: "\(folder)/\(written)")
    } catch let error as ImageError {
      throw error
    } catch {
      throw ImageError(path, "\(error)")
    }
  }
}

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
