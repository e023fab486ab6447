import MeshPipeline

/// Loads the textures of a model, only from the model's folder.
struct AssimpTextureFiles {
  /// Larger files are not accepted as textures.
  static let sizeLimit = 1 << 29

  let gate: AssimpFileGate

  /// The texture for `reference`, or nil if it can't be found.
  ///
  /// Models contain paths of the original machine; if a path does not exist, the bare name is
  /// looked up next to the model and in a folder `textures` there.
  func load(_ reference: String) -> Texture? {
    let path = reference.withForwardSlashes
    let name = FileSystem.name(of: path)
    guard !name.isEmpty else { return nil }
    for candidate in [path, name, "textures/\(name)"] {
      let place = candidate.hasPrefix("/") ? candidate : "\(gate.mainFolder)/\(candidate)"
      guard let admitted = gate.admit(place),
        let size = ((try? FileSystem.status(of: admitted)) ?? nil)?.size, size <= Self.sizeLimit
      else { continue }
      // The bytes, their growing array, and the message.
      Sandbox.allowMemory(4 * size)
      guard
        let bytes = try? FileSystem.contents(of: admitted, limit: Self.sizeLimit), !bytes.isEmpty
      else { continue }
      return Texture(fileName: name, encoding: Texture.Encoding(bytes: bytes), bytes: bytes)
    }
    return nil
  }
}

extension String {
  var withForwardSlashes: String {
    String(decoding: utf8.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }, as: UTF8.self)
  }
}
