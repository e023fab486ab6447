import MeshpipeBase
import MeshpipeScene
import NativeLibraries

/// Loads the textures of a model, only from the model's folder.
struct AssimpTextureFiles {
  /// Larger files are not accepted as textures.
  static let sizeLimit = 1 << 29

  private let gate: AssimpFileGate
  private let search: SideFileSearch

  /// - Parameter gate: The folder that may be read, and what was read there.
  init(gate: AssimpFileGate) {
    self.gate = gate
    search = SideFileSearch(in: gate.mainFolder, pictureFolders: ["textures"])
  }

  /// The texture for `reference`, or nil if it can't be found: see ``SideFileSearch``.
  ///
  /// - Returns: Also a sentence for the user if it is not the one that was meant for sure, and the tiles for which it
  ///   stands.
  func load(_ reference: String) -> (texture: Texture, remark: String?, tiles: TextureTiles?)? {
    let tiles = search.tiles(of: reference).map {
      TextureTiles(name: reference, paths: $0.paths, named: $0.named)
    }
    if let tiles, let first = tiles.standIn, let texture = texture(at: first) {
      return (texture, nil, tiles)
    }
    let found = search.first(reference, isPicture: true) { path, _ in texture(at: path) }
    guard let found else { return nil }
    let name = FileSystem.name(of: found.path)
    let isSure = found.match == .name
    return (found.file, isSure ? nil : "'\(reference)' does not exist; '\(name)' is taken", tiles)
  }

  func texture(at place: String) -> Texture? {
    guard let admitted = gate.admit(place),
      let size = ((try? FileSystem.status(of: admitted)) ?? nil)?.size, size <= Self.sizeLimit
    else { return nil }
    // The bytes, their growing array, and the message.
    Sandbox.allowMemory(4 * size)
    guard
      let bytes = try? FileSystem.contents(of: admitted, limit: Self.sizeLimit), !bytes.isEmpty
    else { return nil }
    return Texture(bytes, fileName: FileSystem.name(of: place).withoutForeignBytes)
  }
}
