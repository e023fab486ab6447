import MeshpipeBase
package import MeshpipeScene

extension Capture.Frame {
  /// Decodes the frame's image, with its mask.
  ///
  /// - Parameter reduction: 1, 2, 4 or 8: the image is returned at this fraction of its size,
  ///   rounded up.
  /// - Throws: If the file is missing, damaged or truncated.
  package func loadImage(reducedBy reduction: Int = 1) throws -> Image {
    let image: Image =
      switch self.image {
      case .file(let path):
        try Image.decoded(from: FileSystem.contents(of: path), path: path, reducedBy: reduction)
      case .video(let path, let index):
        try VideoReader.shared(path).picture(index, reducedBy: reduction)
      }
    // Pixels beside hidden ones have some of their colours.
    guard let mask = try masks.load() else { return image }
    return image.masked(mask.resized(to: image.size).grown())
  }

  /// The frame's mask; nil if it has none or hides nothing.
  ///
  /// - Throws: If the file is missing or damaged.
  package func loadMask() throws -> PixelMask? { try masks.load() }

  /// The strongest reduction of ``loadImage(reducedBy:)`` that leaves enough of an image; 1 if none does.
  package static func strongestReduction(leavingEnough isEnough: (Int) -> Bool) -> Int {
    [8, 4, 2].first(where: isEnough) ?? 1
  }

  /// Returns the same image, decoded only if it is not in a store.
  package func loadImage(reducedBy reduction: Int = 1, from store: FrameStore) throws -> Image {
    try store.image(of: self, reducedBy: reduction) { try loadImage(reducedBy: reduction) }
  }

  /// Decodes the frame's depth map with its confidences; nil if it has none.
  package func loadDepth() throws -> DepthMap? { try depth?.load() }

  /// The readable part of the frame's depth map, and the problem with the rest.
  ///
  /// A photograph is useful without its depth map.
  package func readableDepth() -> (map: DepthMap?, fault: String?) {
    depth?.readable() ?? (nil, nil)
  }
}

extension Capture.DepthSource {
  /// Width and height as the file's header claims them, without decoding; nil if the file is missing,
  /// truncated or of another encoding.
  package var headerSize: SIMD2<Int>? {
    switch encoding {
    case .float32(let width, let height): SIMD2(width, height)
    case .exr: EXRHeader(ofFile: path)?.size
    case .png16: PictureHeader.greyPNGSize(ofFile: path, bits: 16)
    case .npy: NumPyArray.Header(ofFile: path)?.size
    }
  }

  /// The depth map with its confidences, decoded once in a run.
  package func load() throws -> DepthMap {
    guard let store = CurrentRun.current?.depthMaps else { return try decoded() }
    return try store.value(
      for: self, size: { 4 * $0.meters.count + ($0.confidences?.count ?? 0) }, make: decoded)
  }

  private func decoded() throws -> DepthMap {
    var map = try maskedDepths()
    if let confidence {
      let values = try Self.confidences(of: confidence, width: map.width, height: map.height)
      map.confidences = values.map {
        UInt8(min(2, (Int($0) * 2 + confidence.highest / 2) / max(confidence.highest, 1)))
      }
    }
    return map
  }

  /// The readable part of the depth map, and the problem with the rest.
  ///
  /// A map is useful without its confidences.
  package func readable() -> (map: DepthMap?, fault: String?) {
    do {
      return (try load(), nil)
    } catch {
      return (try? maskedDepths(), error.userMessage)
    }
  }

  /// The values of a confidence file: a PNG, or bytes compressed with LZFSE.
  private static func confidences(
    of source: Capture.DepthSource.Confidence, width: Int, height: Int
  ) throws -> [UInt8] {
    let bytes = try FileSystem.contents(of: source.path)
    let fault = ImageError(
      source.path, "confidences are not one byte for each of \(width)×\(height) depths")
    if LZFSE.isPresent(in: bytes) {
      let values = try LZFSE.decode(bytes, limit: width * height, path: source.path)
      guard values.count == width * height else { throw fault }
      return values
    }
    let samples = try PNG.samples(of: bytes, path: source.path)
    guard samples.width == width, samples.height == height, samples.channels == 1,
      samples.bitDepth == 8
    else { throw fault }
    return samples.bytes
  }

  /// A depth, or 0 for an invalid one.
  private static func measured(_ value: Float) -> Float {
    value.isFinite && value > 0 ? value : 0
  }

  /// The depths in metres, without those that a mask hides.
  private func maskedDepths() throws -> DepthMap {
    var map = try depths()
    if scale != 1 {
      let factor = Float(scale)
      for pixel in map.meters.indices { map.meters[pixel] *= factor }
    }
    if let mask = try masks.load()?.resized(to: map.size) {
      for pixel in map.meters.indices where mask.hidden[pixel] { map.meters[pixel] = 0 }
    }
    return map
  }

  private func depths() throws -> DepthMap {
    let bytes = try FileSystem.contents(of: path)
    switch encoding {
    case .png16(let metersPerUnit):
      let samples = try PNG.samples(of: bytes, path: path)
      guard samples.channels == 1, samples.bitDepth == 16 else {
        throw ImageError(path, "depth is not a 16-bit greyscale PNG")
      }
      // The greatest number stands for all that are too great for 16 bits: no depth.
      let meters = unsafe samples.bytes.withUnsafeBytes { raw in
        unsafe raw.bindMemory(to: UInt16.self).map {
          $0 == .max ? 0 : Float(Double($0) * metersPerUnit)
        }
      }
      return DepthMap(width: samples.width, height: samples.height, meters: meters)
    case .float32(let width, let height):
      var bytes = bytes
      if bytes.count != 4 * width * height, LZFSE.isPresent(in: bytes) {
        bytes = try LZFSE.decode(bytes, limit: 4 * width * height, path: path)
      }
      guard bytes.count == 4 * width * height else {
        throw ImageError(path, "depth is not \(width)×\(height) numbers of 4 bytes")
      }
      let meters = (0..<width * height).map { index in
        let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[4 * index + $1]) << (8 * $1) }
        return Self.measured(Float(bitPattern: bits))
      }
      return DepthMap(width: width, height: height, meters: meters)
    case .exr:
      let channel = try EXR.depths(of: bytes, path: path)
      return DepthMap(
        width: channel.size.x, height: channel.size.y, meters: channel.values.map(Self.measured))
    case .npy:
      let array = try NumPyArray(bytes, path: path)
      return DepthMap(
        width: array.size.x, height: array.size.y, meters: array.values.map(Self.measured))
    }
  }
}
