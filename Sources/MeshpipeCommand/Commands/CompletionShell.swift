import MeshpipeKit

/// A shell that 'completions' writes a script for.
enum CompletionShell: String, CaseIterable {
  case bash, zsh, fish

  /// The script, generated from the table of verbs and the lists of stages and formats.
  var script: String {
    switch self {
    case .bash: BashCompletion.script
    case .zsh: ZshCompletion.script
    case .fish: FishCompletion.script
    }
  }
}

/// The candidates for a value.
enum CompletionWords {
  /// Any file.
  case files
  /// These; empty if nothing is known.
  case these([String])
  /// Whatever the command prints when called with `--complete`.
  case asked(CompletionKind)

  /// The words for an option's value.
  static func words(for value: Option.Value) -> CompletionWords {
    switch value {
    case .file: .files
    case .text, .integer: .these([])
    case .named(_, let kind): .asked(kind)
    case .format(_, let use): .asked(use == .reading ? .readFormat : .writtenFormat)
    case .choice(_, let names): .these(names)
    }
  }

  /// The words for an operand.
  static func words(for operand: Operand) -> CompletionWords {
    switch operand.kind {
    case .file: .files
    case .pipeline: .asked(.pipeline)
    case .scan: .asked(.scan)
    case .verb: .these(CommandTable.firstWords)
    case .stage: .asked(.stage)
    case .choice(let names): .these(names)
    }
  }
}
