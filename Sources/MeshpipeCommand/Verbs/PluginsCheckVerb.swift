import MeshpipeKit

/// Tests whether a plugin conforms to the protocol.
enum PluginsCheckVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    let plugin = try plugin(invocation)
    Messages.show(plugin.problems)
    guard let manifest = plugin.manifest, !plugin.stages.isEmpty || !plugin.formats.isEmpty else {
      throw UnfitPlugin(
        exitCode: .unavailable, message: "the plugin '\(plugin.name)' can't be used")
    }
    var findings: [PluginCheck.Finding] = []
    try PluginCheck(manifest, cancellation: Signals.cancellation) { finding in
      findings.append(finding)
      if !invocation.has(.json) { try? StandardStream.output.write(line(finding)) }
    }.run()
    if invocation.has(.json) {
      try StandardStream.output.write(JSONValue(.array(findings.map(json))).prettyText)
    }
    let bad = findings.count { $0.verdict == .bad }
    guard bad == 0, plugin.problems.isEmpty else {
      throw UnfitPlugin(
        exitCode: .data,
        message: "the plugin '\(plugin.name)' fails \(bad) of \(findings.count) tests")
    }
    return .success
  }

  /// The plugin with a name, in a folder, or of a manifest.
  private static func plugin(_ invocation: Invocation) throws -> Plugin {
    let name = invocation.operands[0]
    var search = try invocation.pluginSearch
    var path: String?
    if let status = try FileSystem.status(of: name) {
      let folder = status.isFolder ? name : FileSystem.folder(of: name)
      guard let canonical = FileSystem.canonicalPath(of: folder) else {
        throw UnfitPlugin(exitCode: .noInput, message: "\(folder) can't be read")
      }
      search.folders.insert(canonical, at: 0)
      path = FileSystem.canonicalPath(of: name)
    }
    let plugins = CommandEnvironment(invocation.stages, search).plugins.plugins
    let found = plugins.first { plugin in
      guard let path else { return plugin.name == name }
      return plugin.path == path || FileSystem.folder(of: plugin.path) == path
    }
    if let found { return found }
    let names = plugins.map(\.name)
    let hint = nearestName(to: name, in: names).map { "; did you mean '\($0)'?" } ?? ""
    throw UnfitPlugin(
      exitCode: .unavailable,
      message: path == nil
        ? "there is no plugin '\(name)'\(hint) (give its folder, or a name that 'meshpipe plugins list' has)"
        : "there is no \(PluginManifest.fileEnding) in \(name)")
  }

  private static func line(_ finding: PluginCheck.Finding) -> String {
    let mark =
      switch finding.verdict {
      case .good: "ok      "
      case .advice: "advice  "
      case .bad: "FAILED  "
      }
    let message = finding.message.isEmpty ? "" : ": \(finding.message)"
    return mark + finding.trial + message + "\n"
  }

  private static func json(_ finding: PluginCheck.Finding) -> JSONValue {
    [
      "verdict": JSONValue(.string(finding.verdict.rawValue)),
      "trial": JSONValue(.string(finding.trial)),
      "message": JSONValue(.string(finding.message)),
    ]
  }
}

/// A requested plugin that can't be used.
struct UnfitPlugin: UserError {
  var exitCode: ExitCode
  var message: String
}
