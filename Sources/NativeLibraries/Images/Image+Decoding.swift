package import MeshpipeScene

extension Image {
  /// Decodes a file of any ``PictureKind``, without its opacity.
  ///
  /// - Parameters:
  ///   - path: Its name says whether it is TGA, which has no mark.
  ///   - isData: Whether the values of a picture of numbers (OpenEXR) are such, instead of light.
  ///   - reduction: 1, 2, 4 or 8: the image is returned at this fraction of its size,
  ///     rounded up.
  package static func decoded(
    from bytes: [UInt8], path: String, isData: Bool = false, reducedBy reduction: Int = 1
  ) throws(ImageError) -> Image {
    if Texture.Encoding(bytes: bytes) == .ktx2 {
      return try KTX2.raster(of: bytes, path: path).image.reduced(by: reduction)
    }
    let kind = PictureKind(bytes: bytes, fileName: path)
    try ImageLimits.check(bytes, path: path)
    switch kind {
    case .jpeg: return try JPEG.decode(bytes, reducedBy: reduction, path: path)
    case .png where reduction > 1:
      return try PNG.raster(of: bytes, reducedBy: reduction, isData: true, path: path).image
    case .png: return try PNG.decode(bytes, path: path)
    case .webp?, .heic?, .avif?:
      return try ModernPictures.decode(bytes, kind ?? .webp, path: path).reduced(by: reduction)
    case let kind?:
      return try RarePictures.raster(of: bytes, kind, isData: isData, path: path).image
        .reduced(by: reduction)
    case nil: throw ImageError(path, PictureKind.fault(of: nil) ?? "is not an image")
    }
  }

  /// The image at 1/`factor` of its size, rounded up; each pixel is the mean of the 8-bit values it
  /// covers.
  package func reduced(by factor: Int) -> Image {
    guard factor > 1 else { return self }
    let (newWidth, newHeight) = ((width + factor - 1) / factor, (height + factor - 1) / factor)
    var result = [UInt8]()
    result.reserveCapacity(3 * newWidth * newHeight)
    for y in 0..<newHeight {
      let rows = y * factor..<min((y + 1) * factor, height)
      for x in 0..<newWidth {
        let columns = x * factor..<min((x + 1) * factor, width)
        for channel in 0..<3 {
          var sum = 0
          for row in rows {
            for column in columns { sum += Int(pixels[3 * (row * width + column) + channel]) }
          }
          let count = rows.count * columns.count
          result.append(UInt8((sum + count / 2) / count))
        }
      }
    }
    var image = Image(width: newWidth, height: newHeight, pixels: result)
    image.mask = mask?.resized(to: image.size)
    return image
  }
}
