package import MeshpipeScene
package import NativeLibraries

extension Mesh {
  /// Validates a mesh from another program.
  ///
  /// - Parameters:
  ///   - materialCount: The number of materials of its scene.
  ///   - requiresFiniteNumbers: Whether an infinite or NaN coordinate is a fault.
  /// - Throws: ``WireError/content(_:)`` for the first fault.
  package func checkContent(
    materialCount: Int, requiresFiniteNumbers: Bool = true
  ) throws(WireError) {
    do {
      try validate(materialCount: materialCount)
    } catch {
      throw .content("mesh '\(name)': \(error.message)")
    }
    guard requiresFiniteNumbers else { return }
    let isFinite = positions.allSatisfy(\.isFinite) && hasFiniteAttributes
    guard isFinite else { throw .content("mesh '\(name)' has non-finite numbers") }
  }
}

extension PointCloud {
  /// Validates a point cloud from another program, whose arrays have the right lengths.
  ///
  /// - Throws: ``WireError/content(_:)`` for the first fault.
  package func checkContent(requiresFiniteNumbers: Bool = true) throws(WireError) {
    if let classes, classes.labels.contains(where: { $0 >= classes.names.count }) {
      throw .content("point cloud '\(name)' has a class without a name")
    }
    guard requiresFiniteNumbers else { return }
    let isFinite = positions.allSatisfy(\.isFinite) && hasFiniteAttributes
    guard isFinite else {
      throw .content("point cloud '\(name)' has non-finite numbers")
    }
  }
}

extension AttributeOwner {
  /// Whether no value is infinite or NaN; in custom attributes, both may have a meaning.
  fileprivate var hasFiniteAttributes: Bool {
    var isFinite = true
    Self.forEachAttribute(FinitenessVisitor(owner: self), &isFinite)
    return isFinite
  }
}

private struct FinitenessVisitor<Owner: AttributeOwner>: AttributeVisitor {
  let owner: Owner

  func visit<Value: AttributeValue>(_ attribute: Attribute<Owner, Value>, _ isFinite: inout Bool) {
    isFinite = isFinite && owner[keyPath: attribute.path]?.allSatisfy(\.isFinite) ?? true
  }
}
