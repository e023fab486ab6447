import MeshpipeKit

/// The options for plugins.
extension Option {
  static let plugins = Option(
    "--plugins", in: .plugins, value: .file("DIR"), repeats: true,
    help: "Look for plugins in this folder first.")
  static let noPlugins = Option("--no-plugins", in: .plugins, help: "Use no plugins.")
  static let allowEnvironment = Option(
    "--allow-env", in: .plugins, value: .text("NAME"), repeats: true,
    help: "Pass this environment variable to plugins that ask for it.")
  static let allowNetwork = Option(
    "--allow-network", in: .plugins, value: .text("PLUGIN"), repeats: true,
    help: "Let this plugin use the network, if it asks for it.")
  static let allowReading = Option(
    "--allow-reading", in: .plugins, value: .text("PLUGIN"), repeats: true,
    help: "Let this plugin read the files and folders its manifest asks for.")
  static let kind = Option(
    "--kind", in: .output, value: .choice("KIND", PluginSkeleton.Kind.allCases.map(\.rawValue)),
    help: "What the plugin adds: a stage, or a file format that it reads or writes; default stage.")
  static let language = Option(
    "--lang", in: .output,
    value: .choice("LANGUAGE", PluginSkeleton.Language.allCases.map(\.rawValue)),
    help: "The language to write it in; default python.")
  static let pluginFolder = Option(
    "--output", "-o", in: .output, value: .file("DIR"),
    help: "The folder to create; default the plugin's name.")
  static let withPlugins = Option(
    "--with-plugins", in: .plugins,
    help: "Include the stages and formats of installed plugins.")
}

extension Invocation {
  /// The folders with the plugins of this call.
  var pluginSearch: PluginSearch {
    get throws(UsageError) {
      try exclude(.plugins, .noPlugins)
      for name in values(of: .allowEnvironment) where !PluginEnvironment.isName(name) {
        throw UsageError("option '--allow-env': '\(name)' is not a valid variable name", verb: verb)
      }
      Allowance.environment.add(values(of: .allowEnvironment))
      Allowance.network.add(values(of: .allowNetwork))
      Allowance.reading.add(values(of: .allowReading))
      if has(.noPlugins) { return .none }
      let folders = values(of: .plugins).map { FileSystem.canonicalPath(of: $0) ?? $0 }
      for folder in folders where (try? FileSystem.status(of: folder))?.isFolder != true {
        throw UsageError("option '--plugins': there is no folder '\(folder)'", verb: verb)
      }
      return .standard(chosen: folders)
    }
  }
}
