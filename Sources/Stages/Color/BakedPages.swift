import MeshPipeline
import NativeLibraries

/// The meshes with their texture coordinates and materials, and the pages before they are encoded.
struct BakedPages {
  /// The last of its textures are the pages, still empty.
  var scene: Scene
  var images: [Image]
  /// Whether so little is seen that the model can't look like its photographs.
  var isHardlySeen: Bool

  init(_ scene: Scene, _ images: [Image], isHardlySeen: Bool) {
    (self.scene, self.images, self.isHardlySeen) = (scene, images, isHardlySeen)
  }

  /// The index of the first page among the textures.
  var firstPage: Int { scene.textures.count - images.count }

  /// With the pages as they are: nothing is compressed.
  var packed: StagePart.Packed {
    get throws {
      var packed = scene
      for (page, image) in images.enumerated() {
        packed.textures[firstPage + page].bytes = try PNG.encode(image, level: 0)
      }
      return StagePart.Packed(
        packed, facts: ["pages": images.count.json, "isHardlySeen": isHardlySeen.json])
    }
  }

  init?(_ packed: StagePart.Packed) throws {
    guard let pages = Self.count(packed.facts["pages"]),
      0...packed.scene.textures.count ~= pages
    else { return nil }
    (scene, isHardlySeen) = (packed.scene, packed.facts["isHardlySeen"]?.isTrue == true)
    images = try packed.scene.textures.suffix(pages).map {
      try PNG.decode($0.bytes, path: $0.fileName)
    }
  }

  // Inlined it makes the optimiser of Swift 6.3 crash.
  @inline(never) private static func count(_ json: JSONValue?) -> Int? {
    guard let number = json?.number else { return nil }
    return Int(exactly: number)
  }
}
