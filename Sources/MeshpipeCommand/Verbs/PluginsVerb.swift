import MeshpipeKit

/// Lists the installed plugins without running them.
enum PluginsVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    let search = try invocation.pluginSearch
    let plugins = CommandEnvironment(invocation.stages, search).plugins.plugins
    let text =
      invocation.has(.json)
      ? JSONValue(.array(plugins.map(json))).prettyText : page(plugins, search)
    try StandardStream.output.write(text)
    return .success
  }

  private static func page(_ plugins: [Plugin], _ search: PluginSearch) -> String {
    if plugins.isEmpty {
      let folders = search.folders.map { "  \($0)\n" }.joined()
      return "There are no plugins in\n\(folders)"
    }
    var entries = plugins.map(entry)
    if plugins.contains(where: { $0.manifest?.program.lane == .process }) {
      entries.append(TextLayout.wrapped(PluginHost.confinement).joined(separator: "\n") + "\n")
    }
    return entries.joined(separator: "\n")
  }

  private static func entry(_ plugin: Plugin) -> String {
    let version = plugin.manifest.map { " \($0.version)" } ?? ""
    var lines = ["\(plugin.name)\(version)\(plugin.problems.isEmpty ? "" : "  (\(state(plugin)))")"]
    if let summary = plugin.manifest?.summary, !summary.isEmpty {
      lines += TextLayout.wrapped(summary, indent: 2)
    }
    if !plugin.stages.isEmpty {
      lines += TextLayout.wrapped(
        "stages: " + plugin.stages.map(\.name).joined(separator: ", "), indent: 2)
    }
    if !plugin.formats.isEmpty {
      let formats = plugin.formats.map { "\($0.id) (\(directions($0).joined(separator: ", ")))" }
      lines += TextLayout.wrapped("formats: " + formats.joined(separator: ", "), indent: 2)
    }
    for wish in plugin.manifest?.wishes ?? [] {
      lines.append("  \(wish.text): " + (wish.isAllowed ? "allowed" : wish.option))
    }
    let makers = [plugin.manifest?.author, plugin.manifest?.licence].compactMap { $0 }
      .filter { !$0.isEmpty }
    if !makers.isEmpty { lines.append("  by " + makers.joined(separator: ", ")) }
    lines.append("  \(plugin.path)")
    lines += plugin.problems.map { "  \($0)" }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func directions(_ format: FormatDefinition) -> [String] {
    (format.reader == nil ? [] : ["read"]) + (format.writer == nil ? [] : ["written"])
  }

  /// The state of the plugin, in one or two words.
  private static func state(_ plugin: Plugin) -> String {
    if plugin.problems.isEmpty { return "ready" }
    return plugin.stages.isEmpty && plugin.formats.isEmpty ? "broken" : "partly usable"
  }

  private static func json(_ plugin: Plugin) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", JSONValue(.string(plugin.name))),
      .init("state", JSONValue(.string(state(plugin)))),
      .init("path", JSONValue(.string(plugin.path))),
      .init("stages", list(plugin.stages.map(\.name))),
      .init("formats", JSONValue(.array(plugin.formats.map(json)))),
      .init("problems", list(plugin.problems.map(\.description))),
    ]
    guard let manifest = plugin.manifest else { return JSONValue(.object(members)) }
    for (key, text) in [
      ("version", manifest.version), ("summary", manifest.summary), ("author", manifest.author),
      ("license", manifest.licence), ("homepage", manifest.homepage),
    ] {
      members.append(.init(key, JSONValue(.string(text))))
    }
    members.append(.init("network", JSONValue(.bool(manifest.program.wantsNetwork))))
    members.append(.init("reads", list(manifest.program.reads)))
    members.append(.init("environment", list(manifest.program.environment)))
    return JSONValue(.object(members))
  }

  private static func json(_ format: FormatDefinition) -> JSONValue {
    [
      "id": JSONValue(.string(format.id)), "extensions": list(format.extensions),
      "reads": JSONValue(.bool(format.reader != nil)),
      "writes": JSONValue(.bool(format.writer != nil)),
    ]
  }

  private static func list(_ texts: [String]) -> JSONValue {
    JSONValue(.array(texts.map { JSONValue(.string($0)) }))
  }
}
