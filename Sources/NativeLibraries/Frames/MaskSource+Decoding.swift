import MeshpipeBase
package import MeshpipeScene

extension [Capture.MaskSource] {
  /// What the masks hide together, in the size of the first; nil if nothing.
  ///
  /// - Throws: If a file is missing, damaged or truncated.
  package func load() throws -> PixelMask? {
    var result: PixelMask?
    for source in self {
      let mask = try source.load()
      if mask.isEmpty { continue }
      // An opacity of 0 everywhere is that of a program which did not know opacity.
      if source.hidden == .transparent, !mask.hidden.contains(false) { continue }
      result = result.map { $0.union(mask) } ?? mask
    }
    return result
  }
}

extension Capture.MaskSource {
  /// Decodes the mask.
  package func load() throws -> PixelMask {
    let bytes = try FileSystem.contents(of: path)
    try ImageLimits.check(bytes, path: path)
    guard PictureKind(bytes: bytes) == .png else { return try lossyMask(bytes) }
    let samples = try PNG.samples(of: bytes, path: path)
    let step = samples.bitDepth / 8
    let stride = samples.channels * step
    let colors = samples.channels < 3 ? 1 : 3
    let hasAlpha = samples.channels % 2 == 0
    let (hidden, source) = (hidden, samples.bytes)
    // The high byte of the opacity, in machine byte order.
    let alpha = colors * step + (step == 2 && 1.littleEndian == 1 ? 1 : 0)
    return PixelMask(
      width: samples.width, height: samples.height,
      hidden: Parallel.array(count: samples.width * samples.height) { pixel in
        let first = pixel * stride
        if hidden == .transparent { return hasAlpha && source[first + alpha] < Self.middle }
        // Masks of nothing but 0 and 1 are black and white, too.
        let isBlack = !(first..<first + colors * step).contains { source[$0] != 0 }
        return isBlack == (hidden == .black)
      })
  }

  /// The code that separates black from white, and transparent from opaque, where compression moves both.
  private static let middle: UInt8 = 128

  private func lossyMask(_ bytes: [UInt8]) throws -> PixelMask {
    if hidden == .transparent {
      let raster = try TextureRaster(
        Texture(fileName: path, encoding: Texture.Encoding(bytes: bytes), bytes: bytes))
      return PixelMask(
        width: raster.size.x, height: raster.size.y,
        hidden: raster.pixels.map { $0.w < Self.middle })
    }
    let image = try Image.decoded(from: bytes, path: path)
    let (pixels, hidden) = (image.pixels, hidden)
    return PixelMask(
      width: image.width, height: image.height,
      hidden: Parallel.array(count: image.width * image.height) { pixel in
        let isBlack = !(3 * pixel..<3 * pixel + 3).contains { pixels[$0] >= Self.middle }
        return isBlack == (hidden == .black)
      })
  }
}

extension PictureHeader {
  /// Whether an image file may have transparent pixels, by its first bytes.
  package static func hasAlpha(ofFile path: String) -> Bool {
    guard let head = try? FileSystem.head(of: path, count: 1 << 12), head.count > 32 else {
      return false
    }
    switch PictureKind(bytes: head) {
    case .png:
      // The colour type; or a chunk before the pixels that makes some colours transparent.
      if head[25] & 4 != 0 { return true }
      return head.contains(Array("tRNS".utf8))
    case .webp:
      let chunk = head[12..<16]
      if chunk.elementsEqual("VP8X".utf8) { return head[20] & 0x10 != 0 }
      return chunk.elementsEqual("VP8L".utf8) && head[24] & 0x10 != 0
    default: return false
    }
  }
}
