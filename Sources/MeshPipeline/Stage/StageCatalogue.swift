import MeshpipeBase

/// The documentation of stages, generated from their declarations.
///
/// `meshpipe stages` prints it, including the stages of plugins; `docs/stages/` has that of the
/// built-in stages.
package struct StageCatalogue: Sendable {
  /// The stages in alphabetical order.
  package let entries: [StageDefinition]

  package init(_ stages: [any Stage.Type]) {
    self.init(StageRegistry(stages))
  }

  package init(_ stages: StageRegistry) {
    entries = stages.names.compactMap { stages[$0] }
  }

  /// The stage of a name.
  package subscript(name: String) -> StageDefinition? { entries.first { $0.name == name } }
}

extension ParameterDeclaration {
  /// The default as written in a pipeline; "required" or "none" if there is none.
  package var defaultText: String {
    if isRequired { return "required" }
    return defaultValue.content == .null ? "none" : defaultValue.compactText
  }

  /// The allowed numbers in words, if there are bounds.
  package var rangeText: String? { range?.description(as: type) }
}

extension StageDataFlow {
  /// What the stage needs, makes and removes, as pairs of a word and the names of features.
  var lines: [(word: String, features: String)] {
    [("Needs", needs), ("Makes", makes), ("Removes", removes)]
      .filter { !$0.1.isEmpty }
      .map { ($0.0, $0.1.sorted().map(\.rawValue).joined(separator: ", ")) }
  }
}
