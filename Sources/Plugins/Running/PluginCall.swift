import MeshPipeline

/// One run of a plugin's stage, as a process or a library.
struct PluginCall {
  let manifest: PluginManifest
  let stage: String
  let parameters: [JSONValue.Member]

  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    switch manifest.program.lane {
    case .process:
      let call = ProcessCall(manifest: manifest, stage: stage, parameters: parameters)
      return try call.run(scene, in: context)
    case .library:
      let call = LibraryCall(manifest: manifest, stage: stage, parameters: parameters)
      return try call.run(scene, in: context)
    }
  }

  /// The seed of random number generators: the parameter of that name.
  static func seed(of parameters: [JSONValue.Member]) -> Int {
    let seed = parameters.first { $0.key == "seed" }?.value.number ?? 0
    return Int(exactly: seed) ?? 0
  }
}

extension PluginManifest {
  /// Whether the program matches the manifest's SHA-256; computed only if the manifest has one.
  ///
  /// - Throws: ``FileError`` if it can't be read.
  var hasItsProgram: Bool {
    get throws {
      guard let expected = program.sha256 else { return true }
      return try SHA256.hexadecimal(ofFile: programPath) == expected
    }
  }

  /// Throws unless the program matches the manifest.
  func checkDigest() throws {
    guard try hasItsProgram else {
      throw PluginError(plugin: name, fault: .changed(path: programPath))
    }
  }
}
