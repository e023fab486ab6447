package import MeshPipeline

/// What the user allows plugins by name, for one call with options or permanently in environment variables.
///
/// Nothing in a manifest or a pipeline file can grant a permission.
package struct PluginAllowances: Sendable, Equatable {
  /// The environment variables passed to plugins that ask for them.
  var variables: [String]
  /// The plugins that may use the network if they ask for it.
  var network: [String]
  /// The plugins that may read the files and folders that they ask for.
  var reading: [String]

  package init(_ settings: RunSettings) {
    variables = settings.allowedVariables
    network = settings.networkPlugins
    reading = settings.readingPlugins
  }

  /// What environment variables allow.
  static var permanent: PluginAllowances {
    // Only what is given on the command line can be at fault.
    PluginAllowances((try? RunSettings(words: { _ in nil })) ?? RunSettings())
  }
}
