import MeshpipeBase
import MeshpipeScene

/// Removes what textures say beside their pixels.
///
/// Pictures of which that can't be taken away, as of WebP and TIFF, are encoded again as PNG or JPEG.
struct PrivateTextures {
  /// Makes the stage that encodes textures in a format.
  typealias Encoder = @Sendable (_ format: JSONValue) -> any PreparedStage

  let encoder: Encoder?
  let context: StageContext

  /// - Throws: ``PrivatePicture`` if a texture can't be had without what it says.
  func remove(from scene: inout Scene) throws {
    var foreign: [Int] = []
    for index in scene.textures.indices where !scene.textures[index].bytes.isEmpty {
      if let plain = PictureMetadata.removed(from: scene.textures[index].bytes) {
        scene.textures[index] = Texture(plain, fileName: scene.textures[index].fileName)
      } else {
        foreign.append(index)
      }
    }
    // PNG where it is larger than what was read, of which the stage would keep the smaller one.
    for format in ["auto", "png"] where !foreign.isEmpty {
      try encode(&foreign, in: &scene, as: format)
    }
    if let index = foreign.first {
      throw PrivatePicture(name: scene.textures[index].fileName)
    }
  }

  /// Encodes some textures, and leaves those that this does not help.
  private func encode(_ foreign: inout [Int], in scene: inout Scene, as format: String) throws {
    guard let encoder else { return }
    let places = Dictionary(uniqueKeysWithValues: zip(foreign, foreign.indices))
    var part = Scene(materials: scene.materials, textures: foreign.map { scene.textures[$0] })
    // They say which textures are numbers.
    for index in part.materials.indices {
      for key in Material.textureKeys {
        part.materials[index][keyPath: key] = part.materials[index][keyPath: key]
          .flatMap { places[$0] }
      }
    }
    let encoded = try encoder(format.json).run(part, in: context.apart).textures
    var left: [Int] = []
    for (index, texture) in zip(foreign, encoded) {
      if let plain = PictureMetadata.removed(from: texture.bytes) {
        scene.textures[index] = Texture(plain, fileName: texture.fileName)
      } else {
        left.append(index)
      }
    }
    foreign = left
  }
}

/// A picture that may say something beside its pixels, and can't be written without it.
package struct PrivatePicture: UserError {
  private let name: String

  package init(name: String) { self.name = name }

  /// ``ExitCode/data``.
  package var exitCode: ExitCode { .data }
  /// Names the picture, and the way out.
  package var message: String {
    "'\(name)' can't be read in order to leave out what it says beside its pixels, as --private asks: "
      + "make it a PNG or a JPEG, or remove it"
  }
}
