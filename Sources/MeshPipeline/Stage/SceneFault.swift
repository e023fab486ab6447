/// What keeps a scene from becoming a good file, and what a stage may be the way out of.
///
/// Messages about outputs name that stage, whoever brought it.
public enum SceneFault: Sendable, Hashable {
  /// Coordinates are not finite.
  case brokenNumbers
  /// The axis that should point up does not.
  case upAxis(SignedAxis)
}
