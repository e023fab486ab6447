import MeshpipeBase

/// The stages that a pipeline can use, by name.
///
/// Built-in stages and others are treated alike: programs that embed meshpipe add theirs to the
/// list.
public struct StageRegistry: Sendable {
  private let definitions: [String: StageDefinition]
  /// Advice for names that are not stages, by name.
  private let absent: [String: String]
  /// Where an unknown stage can be had, in words; nil if that is unknown.
  package let advice: @Sendable (String) -> String?

  /// Creates a registry; a later stage replaces an earlier one of the same name.
  public init(_ stages: [any Stage.Type]) {
    self.init(stages.map { StageDefinition($0) })
  }

  /// Creates a registry; a later stage replaces an earlier one of the same name.
  ///
  /// - Parameters:
  ///   - absent: Advice for names that users may look for and that are not stages, by name.
  ///   - advice: Where an unknown stage can be had, in words; nil if that is unknown.
  public init(
    _ stages: [StageDefinition], absent: [String: String] = [:],
    advice: @escaping @Sendable (String) -> String? = { _ in nil }
  ) {
    self.absent = absent
    self.advice = advice
    definitions = Dictionary(stages.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
  }

  /// All names in alphabetical order.
  public var names: [String] { definitions.keys.sorted() }

  /// The stage probably meant by an unknown name, or nil.
  package func nearestName(to name: String) -> String? {
    let synonym = names.first { definitions[$0]?.otherNames.contains(name.lowercased()) == true }
    return synonym ?? MeshPipeline.nearestName(to: name, in: names)
  }

  /// The advice for a stage that deliberately does not exist; nil for any other name.
  package func explanation(forAbsent name: String) -> String? { absent[name] }

  /// The stage, with its options, that corrects a fault; nil if none does.
  package func remedy(for fault: SceneFault) -> String? {
    names.lazy.compactMap { definitions[$0]?.remedy(fault) }.first
  }

  /// The stage of a role; nil if none has it.
  package subscript(role: StageRole) -> StageDefinition? {
    names.lazy.compactMap { definitions[$0] }.first { $0.role == role }
  }

  /// The stage of a name.
  public subscript(name: String) -> StageDefinition? { definitions[name] }
}
