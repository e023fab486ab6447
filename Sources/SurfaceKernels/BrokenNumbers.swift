import MeshpipeScene

extension Mesh {
  /// Replaces non-finite attributes, and normals without direction, by usable values.
  ///
  /// A normal becomes that of the faces around it, other values 0.
  package mutating func replaceBrokenAttributes() {
    if let normals, normals.contains(where: \.isBroken) {
      let computed = vertexNormals(weight: .area, fallback: Vector3(0, 0, 1))
      self.normals = zip(normals, computed).map { $0.isBroken ? $1 : $0 }
    }
    if let cornerNormals, cornerNormals.contains(where: \.isBroken) {
      for corner in cornerNormals.indices where cornerNormals[corner].isBroken {
        let normal = areaVector(ofFace: corner / 3).normalized
        self.cornerNormals?[corner] =
          normal == .zero ? Vector3(0, 0, 1) : Vector3(SIMD3<Float>(normal))
      }
    }
    Mesh.forEachAttribute(BrokenNumbers(), &self)
  }
}

/// Replaces non-finite values by neutral ones.
///
/// Custom attributes keep theirs: in them, NaN is the usual mark of a missing value.
private struct BrokenNumbers: AttributeVisitor {
  func visit<Value: AttributeValue>(_ attribute: Attribute<Mesh, Value>, _ mesh: inout Mesh) {
    guard let all = mesh[keyPath: attribute.path], all.contains(where: { !$0.isFinite }) else {
      return
    }
    mesh[keyPath: attribute.path] = all.map { $0.isFinite ? $0 : attribute.neutral }
  }
}

extension PointCloud {
  /// Removes points with non-finite coordinates.
  package mutating func removeNonFinitePoints() {
    keepPoints(positions.map(\.isFinite))
  }
}

extension Vector3 {
  /// Whether the vector has no direction: it is zero or not finite.
  fileprivate var isBroken: Bool { !isFinite || self == .zero }
}
