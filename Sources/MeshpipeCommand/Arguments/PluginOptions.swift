import MeshPipeline
import Plugins

/// The options that say which plugins there are.
extension Option {
  static let plugins = Option(
    "--plugins", in: .plugins, value: .file("DIR"), repeats: true,
    help: "Look for plugins in this folder, too, and there first.")
  static let noPlugins = Option("--no-plugins", in: .plugins, help: "Use no plugins.")
  static let allowEnvironment = Option(
    "--allow-env", in: .plugins, value: .text("NAME"), repeats: true,
    help: "Let plugins that ask for this environment variable see it.")
  static let allowNetwork = Option(
    "--allow-network", in: .plugins, value: .text("PLUGIN"), repeats: true,
    help: "Let this plugin, which asks for it, use the network.")
  static let allowReading = Option(
    "--allow-reading", in: .plugins, value: .text("PLUGIN"), repeats: true,
    help: "Let this plugin read the files and folders that its manifest asks for.")
  static let kind = Option(
    "--kind", in: .output, value: .choice("KIND", PluginSkeleton.Kind.allCases.map(\.rawValue)),
    help: "What it adds: a stage, or a format of files that it reads or writes; stage when absent.")
  static let language = Option(
    "--lang", in: .output,
    value: .choice("LANGUAGE", PluginSkeleton.Language.allCases.map(\.rawValue)),
    help: "The language to write it in; python when absent.")
  static let pluginFolder = Option(
    "--output", "-o", in: .output, value: .file("DIR"),
    help: "The folder to make; the plugin's name when absent.")
  static let withPlugins = Option(
    "--with-plugins", in: .plugins,
    help: "Take in the stages and formats of the plugins that are installed.")
}

extension Invocation {
  /// The folders with the plugins of this call.
  var pluginSearch: PluginSearch {
    get throws(UsageError) {
      try exclude(.plugins, .noPlugins)
      for name in values(of: .allowEnvironment) where !PluginEnvironment.isName(name) {
        throw UsageError("option '--allow-env': '\(name)' is no name of a variable", verb: verb)
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
