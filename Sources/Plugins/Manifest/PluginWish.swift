import MeshPipeline

/// Something that a plugin asks for beyond what every plugin has, and gets when the user allows it by name.
public struct PluginWish: Sendable, Equatable {
  /// Begins with `asks`.
  public var text: String
  /// The option that allows it.
  public var option: String
  public var isAllowed: Bool
  /// Whether there is anything to be had.
  var isThere = true
}

extension PluginManifest {
  /// What the manifest asks for.
  public var wishes: [PluginWish] {
    var wishes: [PluginWish] = []
    if program.wantsNetwork {
      wishes.append(
        PluginWish(
          text: "asks for the network", option: "--allow-network \(name)",
          isAllowed: Allowance.network.contains(name)))
    }
    if !program.reads.isEmpty {
      wishes.append(
        PluginWish(
          text: "asks to read " + readableFolders.map(\.description).joined(separator: ", "),
          option: "--allow-reading \(name)", isAllowed: Allowance.reading.contains(name)))
    }
    return wishes
      + program.environment.map { variable in
        PluginWish(
          text: "asks for the environment variable \(variable)", option: "--allow-env \(variable)",
          isAllowed: Allowance.environment.contains(variable),
          isThere: FileSystem.environment(variable) != nil)
      }
  }
}
