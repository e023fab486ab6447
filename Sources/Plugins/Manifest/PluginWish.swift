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
          isAllowed: mayUseNetwork))
    }
    if !program.reads.isEmpty {
      wishes.append(
        PluginWish(
          text: "asks to read " + readableFolders.map(\.description).joined(separator: ", "),
          option: "--allow-reading \(name)", isAllowed: mayReadMore))
    }
    return wishes
      + program.environment.map { variable in
        PluginWish(
          text: "asks for the environment variable \(variable)", option: "--allow-env \(variable)",
          isAllowed: allowances.variables.contains(variable),
          isThere: FileSystem.environment(variable) != nil)
      }
  }

  /// Whether the program asks for the network, and the user allows it.
  var mayUseNetwork: Bool { program.wantsNetwork && allowances.network.contains(name) }

  /// Whether the program asks for files and folders of its own, and the user allows it.
  var mayReadMore: Bool { !program.reads.isEmpty && allowances.reading.contains(name) }

  /// The variables that the program asks for and the user allows: `NAME=VALUE`.
  var grantedVariables: [String] { PluginEnvironment.values(of: program.environment, allowances) }

  /// What the program asks for and the user allows.
  var grants: [String] {
    grantedVariables.sorted() + (mayUseNetwork ? ["network"] : [])
      + (mayReadMore ? ["reading"] : [])
  }
}
