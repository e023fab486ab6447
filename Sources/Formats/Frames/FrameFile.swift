import MeshPipeline
internal import NativeLibraries

/// The bytes of a frame's file: those of another file, or new ones.
enum FrameFile {
  case copy(String)
  case bytes([UInt8])

  /// Writes the file.
  func write(to path: String, in context: (any Cancellable)? = nil) throws {
    // The transaction syncs all files at once.
    let writer = try FileWriter(creating: path, in: context)
    switch self {
    case .bytes(let bytes): try writer.write(bytes)
    case .copy(let source): try writer.write(contentsOf: source)
    }
    try writer.finish(synchronizing: false)
  }
}

extension FrameFile {
  /// The same picture without what it says beside its pixels.
  ///
  /// - Throws: ``PrivatePicture`` if that can't be taken away.
  var withoutMetadata: FrameFile {
    get throws {
      guard case .copy(let path) = self else { return self }
      guard let plain = try Self.plainPicture(path) else {
        throw PrivatePicture(name: FileSystem.name(of: path))
      }
      return .bytes(plain)
    }
  }

  /// The bytes of a PNG or JPEG without what it says beside its pixels; nil for other files.
  static func plainPicture(_ path: String) throws -> [UInt8]? {
    PictureMetadata.removed(from: try FileSystem.contents(of: path, limit: .max))
  }
}

extension Capture.Frame {
  /// The quality of images that are encoded again.
  static let quality = 95

  /// Its image as a file, with the extension of its name.
  ///
  /// - Parameter isPrivate: Whether it must say nothing beside its pixels.
  func imageFile(isPrivate: Bool) throws -> (file: FrameFile, extension: String) {
    guard case .file(let path) = image else {
      return (.bytes(try JPEG.encode(loadImage(), quality: Self.quality)), "jpg")
    }
    guard isPrivate else { return (.copy(path), fileExtension(of: path)) }
    if let bytes = try FrameFile.plainPicture(path) {
      return (.bytes(bytes), bytes.first == 0xFF ? "jpg" : "png")
    }
    return (.bytes(try JPEG.encode(loadImage(), quality: Self.quality)), "jpg")
  }

  /// Its mask as a PNG in which black is left out, besides the opacity of the image itself; nil if there is none.
  func maskFile() throws -> FrameFile? {
    let sources = masks.filter { $0.hidden != .transparent }
    guard let first = sources.first else { return nil }
    if sources.count == 1, first.hidden == .black, fileExtension(of: first.path) == "png" {
      return .copy(first.path)
    }
    guard let mask = try sources.load() else { return nil }
    return .bytes(
      try PNG.encodeGray8(
        mask.hidden.map { $0 ? 0 : 255 }, width: mask.width, height: mask.height))
  }
}

extension Capture.DepthSource {
  /// The depth map and its confidences as PNG files, which stay as they are where they have that form.
  ///
  /// - Returns: Nil for what can't be read, and for confidences that the format does not keep.
  func files(
    as depths: FramePictures.Depths
  ) throws -> (depth: FrameFile?, confidence: FrameFile?) {
    let keepsDepth = encoding == .png16(metersPerUnit: depths.metersPerUnit) && scale == 1
    let confidence = depths.keepsConfidences ? confidence : nil
    // A PNG of depths needs a PNG of confidences.
    let keepsConfidence = keepsDepth && confidence?.highest == 2
    let isAllKept = keepsDepth && (confidence == nil || keepsConfidence)
    let map = isAllKept ? nil : readable().map
    var files: (depth: FrameFile?, confidence: FrameFile?)
    if keepsDepth {
      files.depth = .copy(path)
    } else if let map {
      let samples = map.meters.map { meters in
        // Depths too large for 16 bits count as not measured.
        UInt16(exactly: (Double(meters) / depths.metersPerUnit).rounded()) ?? 0
      }
      files.depth = .bytes(
        try PNG.encodeGray16(samples, width: map.width, height: map.height))
    }
    if keepsConfidence, let confidence {
      files.confidence = .copy(confidence.path)
    } else if confidence != nil, let map, let values = map.confidences {
      files.confidence = .bytes(
        try PNG.encodeGray8(values, width: map.width, height: map.height))
    }
    return files
  }
}
