extension Scene {
  /// The names of the custom attributes of some kinds of elements, in order.
  ///
  /// - Parameter type: That of the values; nil for any.
  package func customAttributeNames(
    of elements: Set<AttributeElement> = Set(AttributeElement.allCases), type: NumberType? = nil
  ) -> [String] {
    let lists =
      meshes.flatMap { mesh in
        elements.intersection(Mesh.elements).map { mesh[keyPath: Mesh.customAttributes(of: $0)] }
      } + (elements.contains(.point) ? pointClouds.map(\.attributes) : [])
    return Set(lists.joined().filter { type == nil || $0.type == type }.map(\.name)).sorted()
  }

  /// Removes what ``customAttributeNames(of:type:)`` names.
  package mutating func removeCustomAttributes(type: NumberType? = nil) {
    for index in meshes.indices {
      for element in Mesh.elements {
        meshes[index][keyPath: Mesh.customAttributes(of: element)]
          .removeAll { type == nil || $0.type == type }
      }
    }
    for index in pointClouds.indices {
      pointClouds[index].attributes.removeAll { type == nil || $0.type == type }
    }
  }

  /// The attributes of the table that are not among those named, in words and in order.
  package func attributes(besides names: Set<String>) -> [String] {
    var found: Set<String> = []
    Mesh.forEachAttribute(OtherAttributes(owners: meshes, names: names), &found)
    PointCloud.forEachAttribute(OtherAttributes(owners: pointClouds, names: names), &found)
    return found.sorted()
  }

  /// Removes what ``attributes(besides:)`` names.
  package mutating func removeAttributes(besides names: Set<String>) {
    for index in meshes.indices {
      Mesh.forEachAttribute(Removal(kept: names), &meshes[index])
    }
    for index in pointClouds.indices {
      PointCloud.forEachAttribute(Removal(kept: names), &pointClouds[index])
    }
  }
}

private struct OtherAttributes<Owner: AttributeOwner>: AttributeVisitor {
  let owners: [Owner]
  let names: Set<String>

  func visit<Value: AttributeValue>(
    _ attribute: Attribute<Owner, Value>, _ found: inout Set<String>
  ) {
    guard !names.contains(attribute.name) else { return }
    for index in owners.indices where owners[index][keyPath: attribute.path] != nil {
      found.insert(attribute.words)
      return
    }
  }
}

private struct Removal<Owner: AttributeOwner>: AttributeVisitor {
  let kept: Set<String>

  func visit<Value: AttributeValue>(_ attribute: Attribute<Owner, Value>, _ owner: inout Owner) {
    if !kept.contains(attribute.name) { owner[keyPath: attribute.path] = nil }
  }
}
