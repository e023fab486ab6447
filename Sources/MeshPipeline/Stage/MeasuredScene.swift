import MeshpipeBase
public import MeshpipeScene

/// A scene, and what measures have found out about it: several may need the same.
public final class MeasuredScene {
  /// What is measured.
  public let scene: Scene
  private let notes: [StageContext.Note]
  private var findings: [ObjectIdentifier: Any] = [:]

  /// Begins without findings.
  public convenience init(_ scene: Scene) { self.init(scene, notes: []) }

  /// - Parameter notes: Those of the stage that the scene is the result of.
  package init(_ scene: Scene, notes: [StageContext.Note]) {
    self.scene = scene
    self.notes = notes
  }

  /// A figure that the stage noted, by the key of the note and those of members, with points between them.
  func figure(_ name: String) -> Double? {
    let keys = name.split(separator: ".").map(String.init)
    guard let key = keys.first, let note = notes.last(where: { $0.key == key }) else { return nil }
    let value = keys.dropFirst().reduce(note.value) { value, key in value?[key] }
    guard case .number(let number) = value?.content else { return nil }
    return number
  }

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
