public import MeshPipeline

/// A plugin that was found, usable or not, without running any of it.
package struct Plugin: Sendable {
  /// The manifest's path.
  package var path: String
  /// Nil if the manifest has mistakes.
  package var manifest: PluginManifest?
  /// Why it, or one of its stages, can't be used; empty if there are no problems.
  package var problems: [Diagnostic]
  /// The stages that it adds.
  package var stages: [StageDefinition] = []
  /// The formats that it adds.
  package var formats: [FormatDefinition] = []

  /// The name, taken from the file's name if the manifest can't be read.
  package var name: String {
    manifest?.name ?? String(FileSystem.name(of: path).dropLast(PluginManifest.fileEnding.count))
  }
}

/// The plugins found in some folders.
public struct PluginSet: Sendable {
  package private(set) var plugins: [Plugin] = []

  /// Reads the manifests in some folders without running anything.
  ///
  /// - Parameters:
  ///   - taken: The names of existing stages, which are not replaced.
  ///   - takenFormats: The ids of formats, likewise.
  public init(_ search: PluginSearch, taken: [String] = [], takenFormats: [String] = []) {
    var owners = Self.owners(of: taken)
    var formatOwners = Self.owners(of: takenFormats)
    var names: [String: String] = [:]
    let notice = ConfinementNotice()
    for path in search.manifests() {
      var plugin = Self.read(path, search.allowances, notice)
      if let manifest = plugin.manifest {
        if let first = names[manifest.name] {
          plugin.problems.append(
            Self.problem(path, "a plugin '\(manifest.name)' was already found at \(first)"))
          plugin.stages = []
          plugin.formats = []
        } else {
          names[manifest.name] = path
          Self.claim(\.stages, by: \.name, as: "stage", of: &plugin, from: &owners)
          Self.claim(\.formats, by: \.id, as: "format", of: &plugin, from: &formatOwners)
        }
      }
      plugins.append(plugin)
    }
  }

  /// The stages of all plugins.
  public var stages: [StageDefinition] { plugins.flatMap(\.stages) }

  /// The formats of all plugins.
  public var formats: [FormatDefinition] { plugins.flatMap(\.formats) }

  /// All problems of plugins.
  public var problems: [Diagnostic] { plugins.flatMap(\.problems) }

  private static func read(
    _ path: String, _ allowances: PluginAllowances, _ notice: ConfinementNotice
  ) -> Plugin {
    do {
      // Reading a pipe would block.
      if let status = try FileSystem.status(of: path), !status.isRegularFile {
        return Plugin(path: path, problems: [problem(path, "a manifest must be a regular file")])
      }
      let bytes = try FileSystem.contents(of: path, limit: PluginManifest.maximumLength)
      let reading = PluginManifest.read(bytes, path: path, allowances)
      var plugin = Plugin(path: path, manifest: reading.manifest, problems: reading.diagnostics)
      guard let manifest = reading.manifest else { return plugin }
      // A missing or unreadable program is reported now, and not only when a run needs it.
      _ = try MappedFile(path: manifest.programPath, allowsPipes: false)
      guard try manifest.hasItsProgram else {
        plugin.problems.append(
          problem(path, "the SHA-256 of \(manifest.programPath) does not match the manifest"))
        return plugin
      }
      let origin = StageOrigin(
        plugin: manifest.name, version: manifest.version, path: path,
        program: manifest.programPath, grants: manifest.grants)
      plugin.stages = manifest.stages.map { $0.definition(in: manifest, origin, notice) }
      plugin.formats = manifest.formats.map {
        PluginFormat(manifest: manifest, format: $0, notice: notice).definition(origin)
      }
      return plugin
    } catch {
      let message = error.userMessage
      return Plugin(path: path, problems: [problem(path, message)])
    }
  }

  /// Removes parts of a plugin whose names are taken, and reserves the names of the others.
  private static func claim<Part>(
    _ parts: WritableKeyPath<Plugin, [Part]>, by name: KeyPath<Part, String>, as kind: String,
    of plugin: inout Plugin, from owners: inout [String: String]
  ) {
    for part in plugin[keyPath: parts] {
      let claimed = part[keyPath: name]
      if let owner = owners[claimed] {
        plugin.problems.append(
          problem(plugin.path, "its \(kind) '\(claimed)' is ignored: \(owner) has one"))
        plugin[keyPath: parts].removeAll { $0[keyPath: name] == claimed }
      } else {
        owners[claimed] = "the plugin '\(plugin.name)'"
      }
    }
  }

  private static func owners(of names: [String]) -> [String: String] {
    Dictionary(names.map { ($0, "meshpipe itself") }, uniquingKeysWith: { $1 })
  }

  private static func problem(_ path: String, _ message: String) -> Diagnostic {
    Diagnostic(file: path, message: message, exitCode: .unavailable)
  }
}
