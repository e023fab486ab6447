/// The stages that a pipeline can use, by name.
///
/// Built-in stages and those of others are the same kind of thing: whoever embeds meshpipe adds
/// theirs to the list.
public struct StageRegistry: Sendable {
  private let types: [String: any Stage.Type]

  /// Creates a registry; a later stage replaces an earlier one of the same name.
  public init(_ stages: [any Stage.Type]) {
    types = Dictionary(stages.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
  }

  /// All names in alphabetical order.
  public var names: [String] { types.keys.sorted() }

  public subscript(name: String) -> (any Stage.Type)? { types[name] }
}
