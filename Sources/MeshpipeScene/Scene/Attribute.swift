/// An attribute of a mesh or a point cloud: where it is stored, and what it belongs to.
///
/// Attributes are structures of arrays: each one that meshpipe knows is a property of ``Mesh`` or
/// ``PointCloud`` with an array of its own type (`mesh.normals`), nil if there is none. Which there
/// are is said once, in ``AttributeOwner/forEachAttribute(_:_:)``, the table. Everything that
/// treats all attributes alike (selection, joining, interpolation, validation, the wire) is an
/// ``AttributeVisitor`` or an ``AttributeOperation`` over this table. Both are generic over the
/// type of the values and called directly, so that the compiler makes a loop of its own for each
/// type, as fast as one written by hand; only the choice of the array costs a key path, once for
/// each attribute.
///
/// Attributes that meshpipe has no meaning for, such as a scan's `intensity`, are
/// ``CustomAttribute``s, in one list per kind of element. Operations treat them alike; a visitor
/// sees only the table.
///
/// A new attribute is a property, a line of the table, and a mapping in each format that stores it.
@usableFromInline
package struct Attribute<Owner: AttributeOwner, Value: AttributeValue> {
  /// The name on the wire.
  @usableFromInline package let name: String
  /// The name in messages.
  @usableFromInline package let words: String
  /// What the values belong to.
  @usableFromInline package let element: AttributeElement
  /// The feature of a scene with this attribute.
  @usableFromInline package let feature: SceneFeature
  @usableFromInline package let path: WritableKeyPath<Owner, [Value]?>
  /// The value of elements that have none, where others have.
  @usableFromInline package let neutral: Value
  /// The attribute of points made from the surface; nil if points don't have it.
  @usableFromInline package let ofPoints: WritableKeyPath<PointCloud, [Value]?>?

  @inlinable
  package init(
    _ name: String, words: String, of element: AttributeElement, feature: SceneFeature,
    at path: WritableKeyPath<Owner, [Value]?>, neutral: Value,
    ofPoints: WritableKeyPath<PointCloud, [Value]?>? = nil
  ) {
    self.name = name
    self.words = words
    self.element = element
    self.feature = feature
    self.path = path
    self.neutral = neutral
    self.ofPoints = ofPoints
  }
}

/// What an attribute has one value of each for.
@usableFromInline
package enum AttributeElement: String, Sendable, CaseIterable {
  case vertex, corner, face, point
}

/// A mesh or a point cloud.
@usableFromInline
package protocol AttributeOwner: Sendable {
  /// The kinds of its elements.
  static var elements: [AttributeElement] { get }

  /// Visits each attribute of the table, in the order of the wire.
  ///
  /// - Parameter state: What the visitor changes; often the owner.
  static func forEachAttribute<Visitor: AttributeVisitor>(
    _ visitor: Visitor, _ state: inout Visitor.State
  ) throws(Visitor.Failure) where Visitor.Owner == Self

  /// The list of custom attributes of an element.
  static func customAttributes(of element: AttributeElement) -> WritableKeyPath<
    Self, [CustomAttribute]
  >

  /// Whether it has custom attributes of any element.
  var hasCustomAttributes: Bool { get }

  /// The number of elements of a kind.
  func count(of element: AttributeElement) -> Int
}

/// Does something with each attribute of the table.
@usableFromInline
package protocol AttributeVisitor<Owner> {
  associatedtype Owner: AttributeOwner
  associatedtype State
  associatedtype Failure: Error = Never

  func visit<Value: AttributeValue>(
    _ attribute: Attribute<Owner, Value>, _ state: inout State
  ) throws(Failure)
}

/// Changes the values of an attribute, whatever their type.
@usableFromInline
package protocol AttributeOperation {
  /// - Parameter width: The number of values of an element, one after another.
  func apply<Value: AttributeValue>(to values: inout [Value], width: Int)
}

extension Mesh: AttributeOwner {
  @inlinable
  package static func forEachAttribute<Visitor: AttributeVisitor>(
    _ visitor: Visitor, _ state: inout Visitor.State
  ) throws(Visitor.Failure) where Visitor.Owner == Mesh {
    try visitor.visit(
      Attribute(
        "normals", words: "normals", of: .vertex, feature: .normals, at: \.normals, neutral: .zero,
        ofPoints: \.normals), &state)
    try visitor.visit(
      Attribute(
        "colors", words: "colours", of: .vertex, feature: .colors, at: \.colors, neutral: .white,
        ofPoints: \.colors),
      &state)
    try visitor.visit(
      Attribute(
        "confidences", words: "confidences", of: .vertex, feature: .confidences, at: \.confidences,
        neutral: 0, ofPoints: \.confidences), &state)
    try visitor.visit(
      Attribute(
        "textureCoordinates", words: "texture coordinates", of: .corner,
        feature: .textureCoordinates, at: \.textureCoordinates, neutral: .zero), &state)
    try visitor.visit(
      Attribute(
        "secondTextureCoordinates", words: "second texture coordinates", of: .corner,
        feature: .secondTextureCoordinates, at: \.secondTextureCoordinates, neutral: .zero), &state)
    try visitor.visit(
      Attribute(
        "cornerNormals", words: "corner normals", of: .corner, feature: .normals,
        at: \.cornerNormals, neutral: .zero, ofPoints: \.normals), &state)
    try visitor.visit(
      Attribute(
        "tangents", words: "tangents", of: .corner, feature: .tangents, at: \.tangents,
        neutral: .none), &state)
    try visitor.visit(
      Attribute(
        "faceMaterials", words: "face materials", of: .face, feature: .materials,
        at: \.faceMaterials, neutral: 0),
      &state)
    try visitor.visit(
      Attribute(
        "classes", words: "face classes", of: .face, feature: .classification, at: \.classLabels,
        neutral: 0, ofPoints: \.classLabels), &state)
    // After the vertices' colours, over which they take precedence.
    try visitor.visit(
      Attribute(
        "faceColors", words: "face colours", of: .face, feature: .colors, at: \.faceColors,
        neutral: .white, ofPoints: \.colors), &state)
  }

  @usableFromInline package static var elements: [AttributeElement] { [.vertex, .corner, .face] }

  @usableFromInline
  package static func customAttributes(
    of element: AttributeElement
  ) -> WritableKeyPath<Mesh, [CustomAttribute]> {
    switch element {
    case .vertex, .point: \.vertexAttributes
    case .corner: \.cornerAttributes
    case .face: \.faceAttributes
    }
  }

  @usableFromInline package var hasCustomAttributes: Bool {
    !(vertexAttributes.isEmpty && cornerAttributes.isEmpty && faceAttributes.isEmpty)
  }

  @usableFromInline
  package func count(of element: AttributeElement) -> Int {
    switch element {
    case .vertex, .point: vertexCount
    case .corner: cornerCount
    case .face: faceCount
    }
  }

  /// The labels of ``classes``; setting them keeps the names.
  @usableFromInline package var classLabels: [UInt16]? {
    get { classes?.labels }
    set { classes.setLabels(newValue) }
  }
}

extension PointCloud: AttributeOwner {
  @inlinable
  package static func forEachAttribute<Visitor: AttributeVisitor>(
    _ visitor: Visitor, _ state: inout Visitor.State
  ) throws(Visitor.Failure) where Visitor.Owner == PointCloud {
    try visitor.visit(
      Attribute(
        "normals", words: "normals", of: .point, feature: .normals, at: \.normals, neutral: .zero),
      &state)
    try visitor.visit(
      Attribute(
        "colors", words: "colours", of: .point, feature: .colors, at: \.colors, neutral: .white),
      &state)
    try visitor.visit(
      Attribute(
        "confidences", words: "confidences", of: .point, feature: .confidences, at: \.confidences,
        neutral: 0), &state)
    try visitor.visit(
      Attribute(
        "classes", words: "classes", of: .point, feature: .classification, at: \.classLabels,
        neutral: 0),
      &state)
    try visitor.visit(
      Attribute(
        "wideColors", words: "16-bit colours", of: .point, feature: .colors, at: \.wideColors,
        neutral: .white),
      &state)
  }

  @usableFromInline package static var elements: [AttributeElement] { [.point] }

  @usableFromInline
  package static func customAttributes(
    of element: AttributeElement
  ) -> WritableKeyPath<PointCloud, [CustomAttribute]> { \.attributes }

  @usableFromInline package var hasCustomAttributes: Bool { !attributes.isEmpty }

  @usableFromInline
  package func count(of element: AttributeElement) -> Int { positions.count }

  /// The labels of ``classes``; setting them keeps the names.
  @usableFromInline package var classLabels: [UInt16]? {
    get { classes?.labels }
    set { classes.setLabels(newValue) }
  }
}

extension FaceClasses? {
  fileprivate mutating func setLabels(_ labels: [UInt16]?) {
    guard let labels else { return self = nil }
    if (self?.labels = labels) == nil { self = FaceClasses(labels: labels) }
  }
}
