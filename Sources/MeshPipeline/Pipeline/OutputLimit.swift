import MeshpipeBase
import MeshpipeScene

/// How an output stays within a number of bytes: what may be made smaller, in the order of how
/// little it costs.
///
/// Textures are encoded with less quality first, then the format's smaller forms are tried, and
/// only then do textures lose size. Meshes are not changed.
package struct OutputLimit: Sendable {
  /// The bytes of all files of the output.
  package var bytes: Int
  /// The options of the format's smaller forms that may be written, the first of them the largest; options that the
  /// pipeline or its user sets stay as they are.
  package var smallerForms: [[String: JSONValue]] = []
  /// The smaller forms that may not be written, of which one that fits is named when nothing else does.
  package var otherForms: [[String: JSONValue]] = []
  /// Makes the stage that limits textures; nil if there is none.
  package var textureLimiter: (@Sendable (TextureLimit) -> any PreparedStage)?
}

/// The limits of textures, as options of the stage whose role is ``StageRole/limitsTextures``.
package struct TextureLimit: Sendable, Hashable {
  /// The maximum number of pixels along a side.
  package var maximumSize: Int
  /// The quality of JPEG, from 1 to 100.
  package var quality: Int

  /// The limits to try, from what is hardly seen to a few pixels.
  static let ladder = sizes.flatMap { size in
    qualities.map { TextureLimit(maximumSize: size, quality: $0) }
  }

  /// For textures that are only encoded otherwise.
  static let largest = TextureLimit(maximumSize: sizes[0], quality: 95)

  private static let qualities = [85, 70]
  /// The first is above the size of any texture; the last one is that of an icon.
  private static let sizes = (6...14).reversed().map { 1 << $0 }

  /// Whether no texture loses size.
  var keepsSize: Bool { maximumSize == Self.sizes[0] }

  /// The options of the stage.
  package var options: [JSONValue.Member] {
    [.init("maximumSize", maximumSize.json), .init("quality", quality.json)]
  }
}
