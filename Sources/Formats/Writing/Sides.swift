import MeshPipeline

/// From where the faces of a file are seen, whatever their materials say.
package enum Sides: String, CaseIterable, ParameterValue {
  /// From both sides: a scan has no back.
  case both
  /// From the front alone, so that one looks into a room from outside.
  case front
}

extension Material {
  /// Whether back faces are visible, unless an option says otherwise.
  func isDoubleSided(by sides: Sides?) -> Bool { sides.map { $0 == .both } ?? isDoubleSided }
}
