import MeshPipeline

/// A permission that a plugin asks for beyond the defaults, and gets if the user grants it by name.
package struct PluginWish: Sendable, Equatable {
  /// Begins with `asks`.
  package var text: String
  /// The option that grants it.
  package var option: String
  package var isAllowed: Bool
  /// Whether it is granted.
  var isThere = true
}

extension PluginManifest {
  /// The permissions that the manifest asks for.
  package var wishes: [PluginWish] {
    var wishes: [PluginWish] = []
    if program.wantsNetwork {
      wishes.append(
        PluginWish(
          text: "asks for the network", option: "--allow-network \(name)",
          isAllowed: allowances.network.contains(name)))
    }
    if !program.reads.isEmpty {
      wishes.append(
        PluginWish(
          text: "asks to read " + readableFolders.map(\.description).joined(separator: ", "),
          option: "--allow-reading \(name)", isAllowed: allowances.reading.contains(name)))
    }
    return wishes
      + program.environment.map { variable in
        PluginWish(
          text: "asks for the environment variable \(variable)", option: "--allow-env \(variable)",
          isAllowed: allowances.variables.contains(variable),
          isThere: FileSystem.environment(variable) != nil)
      }
  }

  /// What the plugin asks for and the user allows; variables with their values.
  var grants: [String] {
    let values = PluginEnvironment.values(of: program.environment, allowances).sorted()
    let mayUseNetwork = program.wantsNetwork && allowances.network.contains(name)
    let mayRead = !program.reads.isEmpty && allowances.reading.contains(name)
    return values + (mayUseNetwork ? ["network"] : []) + (mayRead ? ["reading"] : [])
  }
}
