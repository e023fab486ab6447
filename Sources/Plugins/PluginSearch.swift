package import MeshPipeline

/// The folders to search for plugins; never the current one, unless the user names it.
public struct PluginSearch: Sendable, Equatable {
  /// The folders in order of precedence.
  public var folders: [String]
  /// What the plugins may do if they ask for it.
  package var allowances = PluginAllowances.permanent

  /// Searches some folders only.
  public init(folders: [String] = []) {
    self.folders = folders
  }

  /// The folders and permissions of a run.
  package init(_ settings: RunSettings) {
    let chosen = settings.pluginFolders.map { FileSystem.canonicalPath(of: $0) ?? $0 }
    self = settings.usesNoPlugins ? .none : .standard(chosen: chosen)
    allowances = PluginAllowances(settings)
  }

  /// No plugins at all.
  package static let none = PluginSearch()

  /// The folders of this user and this installation.
  ///
  /// They are those in `MESHPIPE_PLUGIN_PATH` (separated by colons, relative ones ignored),
  /// `meshpipe/plugins` in the user's data folder (`XDG_DATA_HOME`, or `~/.local/share`), and
  /// `lib/meshpipe/plugins` next to the program's `bin` folder.
  /// - Parameter chosen: Folders given by the user for this call, which come first.
  public static func standard(chosen: [String] = []) -> PluginSearch {
    standard(chosen: chosen, executable: FileSystem.ownExecutable)
  }

  /// The folders of a program in an environment.
  package static func standard(
    chosen: [String] = [], executable: String?,
    environment: (String) -> String? = FileSystem.environment
  ) -> PluginSearch {
    var folders = chosen
    folders += (environment("MESHPIPE_PLUGIN_PATH") ?? "").split(separator: ":").map(String.init)
      .filter { $0.hasPrefix("/") }
    if let data = environment("XDG_DATA_HOME"), data.hasPrefix("/") {
      folders.append("\(data)/meshpipe/plugins")
    } else if let home = environment("HOME"), home.hasPrefix("/") {
      folders.append("\(home)/.local/share/meshpipe/plugins")
    }
    if let prefix = prefix(of: executable) { folders.append("\(prefix)/lib/meshpipe/plugins") }
    return PluginSearch(folders: folders)
  }

  /// The parent of a program's `bin` folder; nil if it is in none.
  package static func prefix(of executable: String?) -> String? {
    guard let path = executable.flatMap({ FileSystem.canonicalPath(of: $0) }) else { return nil }
    let folder = FileSystem.folder(of: path)
    return FileSystem.name(of: folder) == "bin" ? FileSystem.folder(of: folder) : nil
  }

  /// The manifests in the folders, and one level down, in a fixed order, each once.
  ///
  /// Folders that are missing or unreadable are ignored.
  package func manifests() -> [String] {
    var found: [String] = []
    for folder in folders {
      let names = (try? FileSystem.names(inFolder: folder)) ?? []
      var paths = names.filter(Self.isManifest).map { "\(folder)/\($0)" }
      for name in names where !Self.isManifest(name) && !name.hasPrefix(".") {
        let inner = "\(folder)/\(name)"
        guard FileSystem.isFolder(inner) else { continue }
        paths += ((try? FileSystem.names(inFolder: inner)) ?? []).filter(Self.isManifest)
          .map { "\(inner)/\($0)" }
      }
      for path in paths.compactMap({ FileSystem.canonicalPath(of: $0) }) where !found.contains(path)
      {
        found.append(path)
      }
    }
    return found
  }

  private static func isManifest(_ name: String) -> Bool {
    name.hasSuffix(PluginManifest.fileEnding) && !name.hasPrefix(".")
  }
}
