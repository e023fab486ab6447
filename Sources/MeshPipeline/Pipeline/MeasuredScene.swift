public import MeshpipeScene

/// A scene, and what measures have found out about it: several may need the same.
public final class MeasuredScene {
  /// What is measured.
  public let scene: Scene
  private var findings: [ObjectIdentifier: Any] = [:]

  /// Begins without findings.
  public init(_ scene: Scene) { self.scene = scene }

  /// The result of an examination of the scene, which is made once for each type of result.
  public func finding<Finding>(_ examine: (Scene) throws -> Finding) rethrows -> Finding {
    // Apart from the lookup, whose nil would be a finding of an optional type.
    if let stored = findings[ObjectIdentifier(Finding.self)], let known = stored as? Finding {
      return known
    }
    let finding = try examine(scene)
    findings[ObjectIdentifier(Finding.self)] = finding
    return finding
  }
}
