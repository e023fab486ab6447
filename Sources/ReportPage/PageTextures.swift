import MeshPipeline
import NativeLibraries
import Rendering

/// The textures with colours of a model in a page.
enum PageTextures {
  /// The most bytes of all textures of a page, and of one that stays as it is.
  private static let mostBytes = 6_000_000
  private static let mostBytesOfOne = 3_000_000
  private static let quality = 85

  /// Adds the textures, at lower resolution if they are too large.
  ///
  /// - Parameter share: The part of the page's textures that the model may have.
  /// - Returns: What refers to them, and the place among them of each texture of the scene.
  static func add(
    of scene: Scene, share: Double, to data: PageData, warn: (String) -> Void
  ) -> (textures: [JSONValue], places: [Int: Int]) {
    let used = scene.materials.textures([\.baseColorTexture]).sorted()
      .filter(scene.textures.indices.contains)
    for longestSide in [4096, 2048, 1024, 512] {
      let pictures = used.map { picture(of: scene.textures[$0], longestSide: longestSide) }
      let size = pictures.reduce(0) { $0 + ((try? $1.get().bytes.count) ?? 0) }
      guard Double(size) <= share * Double(mostBytes) || longestSide == 512 else { continue }
      var (textures, places): ([JSONValue], [Int: Int]) = ([], [:])
      for (index, picture) in zip(used, pictures) {
        switch picture {
        case .success(let picture):
          places[index] = textures.count
          textures.append(data.add(picture.bytes, type: picture.type))
        case .failure(let error): warn("texture \(error.message)")
        }
      }
      return (textures, places)
    }
    return ([], [:])
  }

  private static func picture(
    of texture: Texture, longestSide: Int
  ) -> Result<(bytes: [UInt8], type: String), ImageError> {
    let types: [Texture.Encoding: String] = [
      .jpeg: "image/jpeg", .png: "image/png", .webp: "image/webp",
    ]
    let size = texture.pixelSize ?? SIMD2(0, 0)
    if let type = types[texture.encoding], size.max() <= longestSide, size.min() > 0,
      texture.bytes.count <= mostBytesOfOne
    {
      return .success((texture.bytes, type))
    }
    return Result { () throws(ImageError) in
      let reduction = [1, 2, 4].first { size.max() / $0 < 2 * longestSide } ?? 8
      let image = try Image.decoded(
        from: texture.bytes, path: texture.fileName, reducedBy: reduction)
      let small = image.shrunk(to: image.size.fitted(into: SIMD2(repeating: longestSide)))
      return (try JPEG.encode(small, quality: quality), "image/jpeg")
    }
  }
}
