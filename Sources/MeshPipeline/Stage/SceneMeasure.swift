/// A property or quantity of scenes that conditions know by name and that another module measures.
public struct SceneMeasure: Sendable {
  /// What the values are.
  public enum Kind: Sendable {
    /// 1 if the scene has it, otherwise 0; it stands alone in conditions: `watertight`.
    case property
    /// A number of things.
    case count
    /// A part of a whole, 0 to 1.
    case share
    /// Metres.
    case length
    /// Square metres.
    case area
    /// Cubic metres.
    case volume
    /// Radians.
    case angle
  }

  /// The name in conditions, in camel case.
  public let name: String
  /// What the values are.
  public let kind: Kind
  /// What a scene needs beside geometry for a value that says something: ``SceneFeature/frames``.
  public let features: Set<SceneFeature>
  /// The value for a scene, whatever it contains.
  let value: @Sendable (MeasuredScene) -> Double

  /// Creates a measure.
  ///
  /// - Parameters:
  ///   - features: What the scene needs beside geometry; frames that are asked for are read.
  ///   - value: Measures a scene, in the base unit of the kind; what other measures need, too, is a
  ///     ``MeasuredScene/finding(_:)``.
  public init(
    _ name: String, _ kind: Kind, of features: Set<SceneFeature> = [],
    value: @escaping @Sendable (MeasuredScene) -> Double
  ) {
    self.name = name
    self.kind = kind
    self.features = features
    self.value = value
  }

  /// A figure that a stage notes, for its `expect`: not a number if it noted none.
  ///
  /// - Parameter figure: The key of the note, and after a point that of a member: `distance.max`.
  public init(figure: String, _ kind: Kind) {
    self.init(figure, kind) { $0.figure(figure) ?? .nan }
  }
}

/// Measures are known by their names.
extension SceneMeasure: Equatable {
  /// Whether the names are equal.
  public static func == (left: SceneMeasure, right: SceneMeasure) -> Bool {
    left.name == right.name
  }
}
