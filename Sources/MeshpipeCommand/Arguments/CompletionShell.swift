import Formats
import MeshPipeline
import Plugins

/// A shell that 'completions' writes a script for.
enum CompletionShell: String, CaseIterable {
  case bash, zsh, fish

  /// The script, made from the table of verbs and the lists of stages and formats.
  var script: String {
    switch self {
    case .bash: BashCompletion.script
    case .zsh: ZshCompletion.script
    case .fish: FishCompletion.script
    }
  }
}

/// The words that may stand for a value, where they are known.
enum CompletionWords {
  /// The words for an option's value; nil where a file is meant, empty where nothing is known.
  static func words(for value: Option.Value) -> [String]? {
    switch value {
    case .file: nil
    case .text, .integer: []
    case .format(_, let use): formatIDs(for: use)
    case .choice(_, let names): names
    }
  }

  /// The words for an operand; nil where a file is meant.
  static func words(for operand: Operand) -> [String]? {
    switch operand.kind {
    case .file: nil
    case .verb: CommandTable.firstWords
    case .stage: CommandEnvironment(.standard()).pipelines.stages.names
    case .choice(let names): names
    }
  }

  private static func formatIDs(for use: Option.FormatUse) -> [String] {
    var ids: [String] = []
    for format in builtInFormats where !ids.contains(format.id) {
      let isOffered =
        switch use {
        case .reading: format is any ReadableFormat.Type
        case .writing: format is any WritableFormat.Type
        }
      if isOffered { ids.append(format.id) }
    }
    return ids
  }
}
