extension Mesh {
  /// Checks a mesh that another program made.
  ///
  /// - Parameters:
  ///   - materialCount: The number of materials of its scene.
  ///   - requiresFiniteNumbers: Whether a coordinate that is infinite or NaN is a fault.
  /// - Throws: ``WireError/content(_:)`` for the first fault.
  public func checkContent(
    materialCount: Int, requiresFiniteNumbers: Bool = true
  ) throws(WireError) {
    do {
      try validate(materialCount: materialCount)
    } catch {
      throw .content("mesh '\(name)': \(error.message)")
    }
    guard requiresFiniteNumbers else { return }
    let isFinite =
      positions.allSatisfy(\.isFinite) && normals?.allSatisfy(\.isFinite) ?? true
      && cornerNormals?.allSatisfy(\.isFinite) ?? true
      && confidences?.allSatisfy(\.isFinite) ?? true
      && textureCoordinates?.allSatisfy(\.isFinite) ?? true
    guard isFinite else { throw .content("mesh '\(name)' has numbers that are not finite") }
  }
}

extension PointCloud {
  /// Checks a point cloud that another program made, whose arrays are as long as they have to be.
  ///
  /// - Throws: ``WireError/content(_:)`` for the first fault.
  public func checkContent(requiresFiniteNumbers: Bool = true) throws(WireError) {
    if let classes, classes.labels.contains(where: { $0 >= classes.names.count }) {
      throw .content("point cloud '\(name)' has a class without a name")
    }
    guard requiresFiniteNumbers else { return }
    let isFinite =
      positions.allSatisfy(\.isFinite) && normals?.allSatisfy(\.isFinite) ?? true
      && confidences?.allSatisfy(\.isFinite) ?? true
    guard isFinite else {
      throw .content("point cloud '\(name)' has numbers that are not finite")
    }
  }
}
