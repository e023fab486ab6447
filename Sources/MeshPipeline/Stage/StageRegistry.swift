/// The stages that a pipeline can use, by name.
///
/// Built-in stages and those of others are the same kind of thing: whoever embeds meshpipe adds
/// theirs to the list.
public struct StageRegistry: Sendable {
  private let definitions: [String: StageDefinition]
  /// What to tell of names that pipelines use and no stage has.
  private let absent: [String: String]

  /// Creates a registry; a later stage replaces an earlier one of the same name.
  public init(_ stages: [any Stage.Type]) {
    self.init(stages.map { StageDefinition($0) })
  }

  /// Creates a registry; a later stage replaces an earlier one of the same name.
  ///
  /// - Parameter absent: What to tell of names that others would look for and that are none, by name.
  public init(_ stages: [StageDefinition], absent: [String: String] = [:]) {
    self.absent = absent
    definitions = Dictionary(stages.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
  }

  /// All names in alphabetical order.
  public var names: [String] { definitions.keys.sorted() }

  /// The stage that was probably meant by a name that none has, or nil.
  public func nearestName(to name: String) -> String? {
    let synonym = names.first { definitions[$0]?.otherNames.contains(name.lowercased()) == true }
    return synonym ?? MeshPipeline.nearestName(to: name, in: names)
  }

  /// What does instead of a stage that there is not on purpose; nil for any other name.
  public func explanation(forAbsent name: String) -> String? { absent[name] }

  /// The stage, with its options, that mends a fault; nil when none does.
  public func remedy(for fault: SceneFault) -> String? {
    names.lazy.compactMap { definitions[$0]?.remedy(fault) }.first
  }

  public subscript(name: String) -> StageDefinition? { definitions[name] }
}
