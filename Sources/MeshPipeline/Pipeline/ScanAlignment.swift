package import MeshpipeScene

/// Brings scans that become one scene into the coordinates of the first of them.
package protocol ScanAlignment: Sendable {
  /// Says what it did in notes of the context, and warns of each scan that it leaves out.
  ///
  /// - Returns: The scans but the first, each where it belongs and in the coordinate system of the first; nil for a scan
  ///   that fits nowhere.
  func align(_ scans: [NamedScan], in context: StageContext) throws -> [Scene?]
}

/// A scan with the name that messages call it by.
package struct NamedScan: Sendable {
  package let name: String
  package let scene: Scene

  package init(name: String, scene: Scene) { (self.name, self.scene) = (name, scene) }
}
