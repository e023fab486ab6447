/// The documentation of stages, made from what they declare.
///
/// `meshpipe stages` prints it, and `docs/stages.md` holds it for the stages that come with meshpipe.
public struct StageCatalogue: Sendable {
  /// One stage, as its type declares it.
  public struct Entry: Sendable {
    public var name: String
    public var summary: String
    public var discussion: String
    public var example: String
    public var parameters: [ParameterDeclaration]
    public var dataFlow: StageDataFlow

    public init<S: Stage>(_ stage: S.Type) {
      name = S.name
      summary = S.summary
      discussion = S.discussion
      example = S.example
      parameters = S.Parameters.declarations
      dataFlow = S.dataFlow
    }
  }

  /// The stages in alphabetical order.
  public let entries: [Entry]

  public init(_ stages: [any Stage.Type]) {
    entries = stages.map { Entry($0) }.sorted { $0.name < $1.name }
  }

  /// The stage of a name.
  public subscript(name: String) -> Entry? { entries.first { $0.name == name } }
}

extension ParameterDeclaration {
  /// The default as it is written in a pipeline; "required" or "none" where there is none.
  public var defaultText: String {
    if isRequired { return "required" }
    return defaultValue.content == .null ? "none" : defaultValue.compactText
  }

  /// The allowed numbers in words, when there are bounds.
  public var rangeText: String? { range?.description(as: type) }
}

extension StageDataFlow {
  /// What the stage needs, makes and removes, as pairs of a word and the names of features.
  var lines: [(word: String, features: String)] {
    [("Needs", needs), ("Makes", makes), ("Removes", removes)]
      .filter { !$0.1.isEmpty }
      .map { ($0.0, $0.1.sorted().map(\.rawValue).joined(separator: ", ")) }
  }
}
