import MeshpipeKit

/// Plugins in the current folder, or where a stage's name points: they run only if the user names their folder.
enum PluginsAtHand {
  /// How to use an unknown stage that such a plugin has; nil if none has it.
  static func advice(onStage name: String) -> String? {
    guard name.contains("/") else {
      return plugin(in: ".") { $0.name == name }.map { folder, _ in
        "the plugin in '\(folder)' has it: --plugins \(folder.shellQuoted)"
      }
    }
    return plugin(in: name) { _ in true }.map { _, stage in
      "it is a plugin's folder: --plugins \(name.shellQuoted) -s \(stage.shellQuoted)"
    }
  }

  /// The folder of the first plugin with a wanted stage in or directly below a folder, and the stage; nothing runs.
  private static func plugin(
    in folder: String, with isWanted: (StageDefinition) -> Bool
  ) -> (folder: String, stage: String)? {
    let root = (FileSystem.canonicalPath(of: folder) ?? folder) + "/"
    for plugin in PluginSet(PluginSearch(folders: [folder])).plugins {
      guard let stage = plugin.stages.first(where: isWanted) else { continue }
      let place = FileSystem.folder(of: plugin.path)
      return (place.hasPrefix(root) ? String(place.dropFirst(root.count)) : folder, stage.name)
    }
    return nil
  }
}
