extension AttributeOwner {
  /// Changes all attributes of a kind of element, custom ones too.
  @inlinable
  package mutating func apply(
    _ operation: some AttributeOperation, to element: AttributeElement
  ) {
    Self.forEachAttribute(OperationVisitor(operation, element), &self)
    self[keyPath: Self.customAttributes(of: element)].apply(operation)
  }

  /// The custom attributes of all elements.
  package var allCustomAttributes: [CustomAttribute] {
    Self.elements.flatMap { self[keyPath: Self.customAttributes(of: $0)] }
  }

  /// The bytes of all attributes.
  package var attributeByteCount: Int { [self].attributeByteCount }

  /// What the owner has of the table, in its order.
  package var presentAttributes: [PresentAttribute] {
    var found: [PresentAttribute] = []
    Self.forEachAttribute(PresenceVisitor(owner: self), &found)
    return found
  }
}

extension Array where Element: AttributeOwner {
  /// The bytes of all attributes.
  package var attributeByteCount: Int {
    var bytes = 0
    Element.forEachAttribute(ByteCountVisitor(owners: self), &bytes)
    for index in indices where self[index].hasCustomAttributes {
      for custom in self[index].allCustomAttributes {
        bytes += custom.values.count * custom.type.size
      }
    }
    return bytes
  }
}

private struct ByteCountVisitor<Owner: AttributeOwner>: AttributeVisitor {
  let owners: [Owner]

  @inline(__always)
  func visit<Value: AttributeValue>(_ attribute: Attribute<Owner, Value>, _ bytes: inout Int) {
    let path = attribute.path
    for index in owners.indices {
      bytes += (owners[index][keyPath: path]?.count ?? 0) * MemoryLayout<Value>.stride
    }
  }
}

extension AttributeOwner {
  /// The attributes of the table, in its order.
  package static var attributeEntries: [AttributeEntry] {
    var entries: [AttributeEntry] = []
    forEachAttribute(EntryVisitor<Self>(), &entries)
    return entries
  }
}

/// An attribute of the table, without the type of its values.
package struct AttributeEntry: Sendable {
  package let name: String
  package let element: AttributeElement
  package let feature: SceneFeature
  /// The bytes of a value.
  package let stride: Int
}

private struct EntryVisitor<Owner: AttributeOwner>: AttributeVisitor {
  func visit<Value: AttributeValue>(
    _ attribute: Attribute<Owner, Value>, _ entries: inout [AttributeEntry]
  ) {
    entries.append(
      AttributeEntry(
        name: attribute.name, element: attribute.element, feature: attribute.feature,
        stride: MemoryLayout<Value>.stride))
  }
}

/// An attribute that a mesh or point cloud has.
package struct PresentAttribute: Sendable {
  package let name: String
  package let words: String
  package let element: AttributeElement
  package let feature: SceneFeature
  /// The number of values.
  package let count: Int
}

private struct PresenceVisitor<Owner: AttributeOwner>: AttributeVisitor {
  let owner: Owner

  func visit<Value: AttributeValue>(
    _ attribute: Attribute<Owner, Value>, _ found: inout [PresentAttribute]
  ) {
    guard let count = owner[keyPath: attribute.path]?.count else { return }
    found.append(
      PresentAttribute(
        name: attribute.name, words: attribute.words, element: attribute.element,
        feature: attribute.feature, count: count))
  }
}

@usableFromInline
struct OperationVisitor<Owner: AttributeOwner, Operation: AttributeOperation>: AttributeVisitor {
  @usableFromInline let operation: Operation
  @usableFromInline let element: AttributeElement

  @inlinable
  init(_ operation: Operation, _ element: AttributeElement) {
    self.operation = operation
    self.element = element
  }

  @inlinable
  func visit<Value: AttributeValue>(_ attribute: Attribute<Owner, Value>, _ owner: inout Owner) {
    guard attribute.element == element else { return }
    owner[keyPath: attribute.path]?.apply(operation)
  }
}

extension Array where Element: AttributeValue {
  @inlinable
  mutating func apply(_ operation: some AttributeOperation) { operation.apply(to: &self, width: 1) }
}

/// Keeps the elements whose flag is true, in place and in order.
struct KeptElements: AttributeOperation {
  let keep: [Bool]
  /// The number of an attribute's elements for each flag: 3 for the corners of faces.
  var span = 1

  func apply<Value: AttributeValue>(to values: inout [Value], width: Int) {
    values.compact(keep, span: span * width)
  }
}

/// Takes the values of the elements at some places, in their order.
@usableFromInline
package struct ChosenElements: AttributeOperation {
  /// The elements to take.
  @usableFromInline package let places: ArraySlice<UInt32>
  /// The number of an attribute's elements at each place: 3 for the corners of faces.
  @usableFromInline package let span: Int

  package init(_ places: ArraySlice<UInt32>, span: Int = 1) {
    self.places = places
    self.span = span
  }

  package init(_ places: [UInt32], span: Int = 1) { self.init(places[...], span: span) }

  @inlinable
  package func apply<Value: AttributeValue>(to values: inout [Value], width: Int) {
    values = values.elements(at: places, span: span * width)
  }
}

extension Mesh {
  /// Makes room for more vertices and faces with all their attributes, so that adding them bit by bit copies nothing.
  package mutating func reserveElements(vertices: Int, faces: Int) {
    guard vertices > 0 || faces > 0 else { return }
    positions.reserveCapacity(positions.count + vertices)
    indices.reserveCapacity(indices.count + 3 * faces)
    apply(ReservedElements(count: vertices), to: .vertex)
    apply(ReservedElements(count: 3 * faces), to: .corner)
    apply(ReservedElements(count: faces), to: .face)
  }
}

/// Makes room for more elements.
private struct ReservedElements: AttributeOperation {
  let count: Int

  func apply<Value: AttributeValue>(to values: inout [Value], width: Int) {
    values.reserveCapacity(values.count + width * count)
  }
}

/// Appends copies of the values of some elements.
@usableFromInline
package struct RepeatedElements: AttributeOperation {
  /// The elements to copy.
  @usableFromInline package let places: [Int]

  package init(_ places: [Int]) { self.places = places }

  @inlinable
  package func apply<Value: AttributeValue>(to values: inout [Value], width: Int) {
    values.reserveCapacity(values.count + width * places.count)
    for index in places {
      for part in 0..<width { values.append(values[width * index + part]) }
    }
  }
}

extension Array {
  /// Keeps the groups of `span` elements whose flag is true, in place and in order.
  mutating func compact(_ keep: [Bool], span: Int = 1) {
    if span == 1 {
      var end = 0
      for index in indices where keep[index] {
        self[end] = self[index]
        end += 1
      }
      return removeSubrange(end...)
    }
    var end = 0
    for group in keep.indices where keep[group] {
      for index in 0..<span { self[end + index] = self[span * group + index] }
      end += span
    }
    removeSubrange(end...)
  }

  /// The groups of `span` elements at some places.
  @inlinable
  func elements(at places: ArraySlice<UInt32>, span: Int = 1) -> [Element] {
    if span == 1 { return places.map { self[Int($0)] } }
    var result: [Element] = []
    result.reserveCapacity(span * places.count)
    for place in places { result += self[span * Int(place)..<span * (Int(place) + 1)] }
    return result
  }
}

extension Scene {
  /// The memory of the arrays and textures of the scene.
  package var byteCount: Int {
    var bytes = textures.reduce(0) { $0 + $1.bytes.count }
    for mesh in meshes {
      bytes += 12 * (mesh.vertexCount + mesh.faceCount)
    }
    for cloud in pointClouds { bytes += 12 * cloud.positions.count }
    bytes += meshes.attributeByteCount + pointClouds.attributeByteCount
    return bytes
  }
}
