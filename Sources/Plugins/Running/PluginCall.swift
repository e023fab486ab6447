import MeshPipeline

/// One run of a stage of a plugin, in whichever lane it is.
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

  /// What generators of random numbers start from: the parameter of that name.
  static func seed(of parameters: [JSONValue.Member]) -> Int {
    let seed = parameters.first { $0.key == "seed" }?.value.number ?? 0
    return Int(exactly: seed) ?? 0
  }
}

extension PluginManifest {
  /// Whether the program is the one that the manifest means; its digest is taken only when it says one.
  ///
  /// - Throws: ``FileError`` when it can't be read for that.
  var hasItsProgram: Bool {
    get throws {
      guard let expected = program.sha256 else { return true }
      return try SHA256.hexadecimal(ofFile: programPath) == expected
    }
  }

  /// Demands that the program is the one that the manifest means.
  func checkDigest() throws {
    guard try hasItsProgram else {
      throw PluginError(plugin: name, fault: .changed(path: programPath), lastWords: "")
    }
  }
}
