import MeshpipeKit

/// The options for plugins.
extension Option {
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
  /// The folders with the plugins of this call, and what plugins may do.
  var pluginSearch: PluginSearch {
    get throws(UsageError) {
      try exclude(\.$pluginFolders, \.$usesNoPlugins)
      for name in values(of: .setting(\.$allowedVariables)) where !PluginEnvironment.isName(name) {
        throw UsageError("option '--allow-env': '\(name)' is not a valid variable name", verb: verb)
      }
      if !settings.usesNoPlugins { try checkPluginFolders() }
      return PluginSearch(settings)
    }
  }

  private func checkPluginFolders() throws(UsageError) {
    for folder in settings.pluginFolders.map({ FileSystem.canonicalPath(of: $0) ?? $0 })
    where !FileSystem.isFolder(folder) {
      throw UsageError("option '--plugins': there is no folder '\(folder)'", verb: verb)
    }
  }
}
