import MeshpipeKit

/// The pipelines available by name: the user's own, and those installed with the program.
///
/// `meshpipe run blender scan.obj` runs `blender.json` from the first folder that has it.
struct PipelineLibrary {
  /// The folders in order of precedence: a pipeline hides those of the same name in later folders.
  var folders: [String]

  /// A pipeline file and its name.
  struct Entry: Equatable {
    var name: String
    var path: String
  }

  static let extensions = ["json", "jsonc"]

  /// The folders of this user and this installation.
  ///
  /// They are those in `MESHPIPE_PIPELINE_PATH` (separated by colons, relative ones ignored),
  /// `meshpipe/pipelines` in the user's configuration folder (`XDG_CONFIG_HOME`, or `~/.config`),
  /// and `share/meshpipe/pipelines` next to the program's `bin` folder.
  static func standard(
    executable: String? = FileSystem.ownExecutable,
    environment: (String) -> String? = FileSystem.environment
  ) -> PipelineLibrary {
    var folders = (environment("MESHPIPE_PIPELINE_PATH") ?? "").split(separator: ":")
      .map(String.init).filter { $0.hasPrefix("/") }
    if let settings = environment("XDG_CONFIG_HOME"), settings.hasPrefix("/") {
      folders.append("\(settings)/meshpipe/pipelines")
    } else if let home = environment("HOME"), home.hasPrefix("/") {
      folders.append("\(home)/.config/meshpipe/pipelines")
    }
    if let prefix = PluginSearch.prefix(of: executable) {
      folders.append("\(prefix)/share/meshpipe/pipelines")
    }
    return PipelineLibrary(folders: folders)
  }

  /// The pipelines in the folders, sorted by name.
  ///
  /// Folders that are missing or unreadable are ignored.
  func entries() -> [Entry] {
    var found: [Entry] = []
    for folder in folders {
      for file in (try? FileSystem.names(inFolder: folder)) ?? [] where !file.hasPrefix(".") {
        let ending = fileExtension(of: file)
        guard Self.extensions.contains(ending) else { continue }
        let name = String(file.dropLast(ending.count + 1))
        if !found.contains(where: { $0.name == name }) {
          found.append(Entry(name: name, path: "\(folder)/\(file)"))
        }
      }
    }
    return found.sorted { $0.name < $1.name }
  }

  /// The pipeline file for an argument: the file at that path, or the pipeline of that name.
  ///
  /// A folder is not a pipeline: `print/` may well contain the results of `print`.
  /// - Throws: ``UnknownPipeline`` when a plain name is neither.
  func path(of argument: String) throws(UnknownPipeline) -> String {
    let status = try? FileSystem.status(of: argument)
    if !Self.isName(argument) || status?.isFolder == false { return argument }
    let entries = entries()
    if let entry = entries.first(where: { $0.name == argument }) { return entry.path }
    if status != nil { return argument }
    throw UnknownPipeline(name: argument, known: entries.map(\.name))
  }

  /// Whether the argument is the name of one of the pipelines.
  func has(_ argument: String) -> Bool {
    Self.isName(argument) && entries().contains { $0.name == argument }
  }

  private static func isName(_ argument: String) -> Bool {
    !argument.contains("/") && !argument.contains(".") && argument != "-"
  }
}

/// A name of neither a file nor a pipeline.
struct UnknownPipeline: UserError {
  var name: String
  var known: [String]

  var exitCode: ExitCode { .noInput }
  var message: String {
    let nearest = nearestName(to: name, in: known).map { "; did you mean '\($0)'?" } ?? ""
    return "there is no file or pipeline '\(name)'\(nearest) ('meshpipe pipelines' lists pipelines)"
  }
}
