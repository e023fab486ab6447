/// A violated invariant of a mesh whose arrays came from outside.
public enum MeshFault: Error, Equatable, Sendable {
  /// The number of indices is not a multiple of three.
  case indexCount(Int)
  /// A face refers to a vertex that does not exist.
  case indexOutOfRange(face: Int, index: UInt32, vertexCount: Int)
  /// An attribute has too few or too many elements.
  case attributeLength(attribute: String, length: Int, expected: Int)
  /// A face refers to a material that does not exist.
  case materialOutOfRange(face: Int, index: UInt32, materialCount: Int)
  /// A face has a label without a name.
  case labelOutOfRange(face: Int, label: UInt16, nameCount: Int)

  /// The violated invariant, with the first element that violates it.
  public var message: String {
    switch self {
    case .indexCount(let count):
      "\(count) face indices are not a multiple of three"
    case .indexOutOfRange(let face, let index, let count):
      "face \(face) refers to vertex \(index), but there are \(count) vertices"
    case .attributeLength(let attribute, let length, let expected):
      "\(attribute): \(length) values where \(expected) are expected"
    case .materialOutOfRange(let face, let index, let count):
      "face \(face) refers to material \(index), but there are \(count) materials"
    case .labelOutOfRange(let face, let label, let count):
      "face \(face) has class \(label), but there are \(count) class names"
    }
  }
}

extension Mesh {
  /// Checks the invariants of a mesh whose arrays came from outside.
  ///
  /// - Parameter materialCount: The number of materials of its scene.
  /// - Throws: The first fault found.
  public func validate(materialCount: Int) throws(MeshFault) {
    guard indices.count % 3 == 0 else { throw .indexCount(indices.count) }
    let vertexCount = self.vertexCount
    if let bad = indices.firstIndex(where: { $0 >= vertexCount }) {
      throw .indexOutOfRange(face: bad / 3, index: indices[bad], vertexCount: vertexCount)
    }
    try validateAttributeLengths()
    if let faceMaterials, let bad = faceMaterials.firstIndex(where: { $0 >= materialCount }) {
      throw .materialOutOfRange(face: bad, index: faceMaterials[bad], materialCount: materialCount)
    }
    if let classes, let bad = classes.labels.firstIndex(where: { $0 >= classes.names.count }) {
      throw .labelOutOfRange(
        face: bad, label: classes.labels[bad], nameCount: classes.names.count)
    }
  }
}

extension AttributeOwner {
  /// Checks that each attribute has a value for each of its elements.
  package func validateAttributeLengths() throws(MeshFault) {
    for attribute in presentAttributes {
      let expected = count(of: attribute.element)
      guard attribute.count == expected else {
        throw .attributeLength(
          attribute: attribute.words, length: attribute.count, expected: expected)
      }
    }
    for element in Self.elements {
      for attribute in self[keyPath: Self.customAttributes(of: element)] {
        let expected = count(of: element) * attribute.width
        guard attribute.values.count == expected else {
          throw .attributeLength(
            attribute: attribute.name, length: attribute.values.count, expected: expected)
        }
      }
    }
  }
}
