import MeshPipeline

/// Loads the images that a model names, from the model's folder only.
struct AssimpTextureFiles {
  /// Larger files are not taken for textures.
  static let sizeLimit = 1 << 29

  let gate: AssimpFileGate

  /// The image that `reference` means, or nil when the folder has none of that name.
  ///
  /// Models carry paths of the machine that they were made on; where the path leads nowhere, the
  /// bare name is looked for beside the model and in a folder `textures` beside it.
  func load(_ reference: String) -> Texture? {
    let path = reference.withForwardSlashes
    let name = FileSystem.name(of: path)
    guard !name.isEmpty else { return nil }
    for candidate in [path, name, "textures/\(name)"] {
      let place = candidate.hasPrefix("/") ? candidate : "\(gate.mainFolder)/\(candidate)"
      guard let admitted = gate.admit(place),
        let size = ((try? FileSystem.status(of: admitted)) ?? nil)?.size, size <= Self.sizeLimit
      else { continue }
      // The bytes, the array that they grow in, and the message that they leave in.
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
