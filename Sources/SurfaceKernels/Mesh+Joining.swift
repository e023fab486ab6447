package import MeshpipeScene

extension Mesh {
  /// Concatenates the vertices and faces of all meshes, without welding.
  ///
  /// Classes with the same name become one label.
  /// - Parameters:
  ///   - fillsMissing: Whether meshes without an attribute that others have get neutral values; if
  ///     not, all lose it. Neutral values are the normals of the faces, white, confidence 0, texture
  ///     coordinates (0, 0), `neutralMaterial` and the class "none".
  ///   - neutralMaterial: Index of the material of faces without one.
  ///   - up: The normal of vertices whose faces give none.
  package init(
    joining meshes: consuming [Mesh], fillsMissing: Bool, neutralMaterial: UInt32, up: Vector3
  ) {
    self.init(name: meshes.first?.name ?? "")
    // Emptied attribute by attribute; what others depend on goes last.
    var state = Joining<Mesh>.Owners(joined: self, parts: consume meshes)
    let names = UnitedNames(of: state.parts.compactMap(\.classes))
    let joining = Joining<Mesh>(
      fillsMissing: fillsMissing, neutralMaterial: neutralMaterial, neutralLabel: names.none, up: up
    )
    state.parts.unite(\.classes, names)
    joining.completeCornerNormals(of: &state.parts)
    joining.completeFaceColors(of: &state.parts)
    Mesh.forEachAttribute(joining, &state)
    state.joined.classes?.names = names.table.names
    for element in Mesh.elements { joining.joinCustomAttributes(of: element, &state) }
    self = state.joined
    var meshes = state.parts
    state.parts = []
    indices.reserveCapacity(meshes.reduce(0) { $0 + $1.cornerCount })
    var offset: UInt32 = 0
    for index in meshes.indices {
      for vertex in meshes[index].indices { indices.append(vertex + offset) }
      meshes[index].indices = []
      offset += UInt32(meshes[index].vertexCount)
    }
    positions = Parallel.joined(meshes.map(\.positions))
  }
}

extension PointCloud {
  /// Concatenates the points of all clouds, as for meshes.
  package init(joining clouds: [PointCloud], fillsMissing: Bool, up: Vector3) {
    self.init(name: clouds.first?.name ?? "", positions: clouds.flatMap(\.positions))
    var state = Joining<PointCloud>.Owners(joined: self, parts: clouds)
    let names = UnitedNames(of: clouds.compactMap(\.classes))
    let joining = Joining<PointCloud>(
      fillsMissing: fillsMissing, neutralMaterial: 0, neutralLabel: names.none, up: up)
    state.parts.unite(\.classes, names)
    PointCloud.forEachAttribute(joining, &state)
    state.joined.classes?.names = names.table.names
    joining.joinCustomAttributes(of: .point, &state)
    self = state.joined
  }
}

/// Joins the attributes of meshes or clouds, one after another.
private struct Joining<Owner: AttributeOwner>: AttributeVisitor {
  struct Owners {
    var joined: Owner
    /// The owners to join, without the attributes that are joined already.
    var parts: [Owner]
  }

  let fillsMissing: Bool
  let neutralMaterial: UInt32
  /// The label of elements without a class.
  let neutralLabel: UInt16
  let up: Vector3

  func visit<Value: AttributeValue>(_ attribute: Attribute<Owner, Value>, _ owners: inout Owners) {
    let path = attribute.path
    if areKept(owners.parts, by: { $0[keyPath: path] != nil }) {
      for part in owners.parts.indices where owners.parts[part][keyPath: path] == nil {
        let count = owners.parts[part].count(of: attribute.element)
        owners.parts[part][keyPath: path] =
          neutral(attribute, of: owners.parts[part]) as? [Value]
          ?? [Value](repeating: attribute.neutral, count: count)
      }
      owners.joined[keyPath: path] = Parallel.joined(owners.parts.compactMap { $0[keyPath: path] })
    }
    for part in owners.parts.indices { owners.parts[part][keyPath: path] = nil }
  }

  /// Whether an attribute that some owners have is one of the joined owner.
  private func areKept(_ parts: [Owner], by hasAttribute: (Owner) -> Bool) -> Bool {
    // A mesh without elements has any attribute.
    let bearers = parts.filter { $0.vertexCount > 0 }
    let having = bearers.count(where: hasAttribute)
    return having > 0 && (fillsMissing || having == bearers.count)
  }

  /// Neutral values that depend on the scene; nil for an attribute that has the same one
  /// everywhere.
  private func neutral<Value>(_ attribute: Attribute<Owner, Value>, of owner: Owner) -> Any? {
    let count = owner.count(of: attribute.element)
    switch attribute.name {
    case "normals":
      let mesh = owner as? Mesh
      return mesh?.vertexNormals(weight: .area, fallback: up)
        ?? [Vector3](repeating: up, count: count)
    case "faceMaterials": return [UInt32](repeating: neutralMaterial, count: count)
    case "classes": return [UInt16](repeating: neutralLabel, count: count)
    default: return nil
    }
  }

  func joinCustomAttributes(of element: AttributeElement, _ owners: inout Owners) {
    let path = Owner.customAttributes(of: element)
    // Of different widths the first one counts: an attribute of another is not the same.
    let widths = Dictionary(
      owners.parts.flatMap { $0[keyPath: path].map { ($0.name, $0.width) } },
      uniquingKeysWith: { first, _ in first })
    let kept = widths.filter { name, width in
      areKept(owners.parts) { $0[keyPath: path][name]?.width == width }
    }
    var count = 0
    for part in owners.parts.indices {
      let added = owners.parts[part].count(of: element)
      let attributes = owners.parts[part][keyPath: path].filter { kept[$0.name] != nil }
      owners.joined[keyPath: path].append(attributes, to: count, count: added)
      owners.parts[part][keyPath: path] = []
      count += added
    }
  }
}

extension Joining<Mesh> {
  /// Makes corner normals where only other meshes have them, while vertex normals are still there.
  func completeCornerNormals(of meshes: inout [Mesh]) {
    guard fillsMissing, meshes.contains(where: { $0.vertexCount > 0 && $0.cornerNormals != nil })
    else { return }
    for index in meshes.indices where meshes[index].cornerNormals == nil {
      let mesh = meshes[index]
      let normals = mesh.normals ?? mesh.vertexNormals(weight: .area, fallback: up)
      meshes[index].cornerNormals = mesh.indices.map { normals[Int($0)] }
    }
  }
}

extension Joining<Mesh> {
  /// Makes colours of faces, over which those of others take precedence, from those of vertices; while these are still there.
  func completeFaceColors(of meshes: inout [Mesh]) {
    guard fillsMissing, meshes.contains(where: { $0.vertexCount > 0 && $0.faceColors != nil })
    else { return }
    for index in meshes.indices where meshes[index].faceColors == nil {
      meshes[index].faceColors = meshes[index].meanFaceColors
    }
  }
}

extension AttributeOwner {
  fileprivate var vertexCount: Int { count(of: Self.elements[0]) }
}

extension Array where Element: AttributeOwner {
  /// Gives all the same table of class names, and labels from it to those without classes.
  fileprivate mutating func unite(
    _ path: WritableKeyPath<Element, FaceClasses?>, _ names: UnitedNames
  ) {
    for index in indices {
      guard let classes = self[index][keyPath: path] else { continue }
      self[index][keyPath: path] = nil
      self[index][keyPath: path] = FaceClasses(
        labels: names.labels(of: classes), names: names.table.names)
    }
  }
}

/// One table of class names merged from several.
private struct UnitedNames {
  private(set) var table: FaceClasses
  /// The label of elements without a class.
  let none: UInt16

  init(of all: [FaceClasses]) {
    // The first table keeps its labels; in most scans all meshes have the same one.
    table = FaceClasses(labels: [], names: all.first?.names ?? [])
    for classes in all { for name in classes.names { _ = table.label(named: name) } }
    none = table.label(named: "none") ?? 0
  }

  /// The labels of a table mapped to the merged one.
  func labels(of classes: FaceClasses) -> [UInt16] {
    if classes.names == Array(table.names.prefix(classes.names.count)) { return classes.labels }
    var byName: [String: UInt16] = [:]
    for (label, name) in table.names.enumerated() { byName[name] = UInt16(label) }
    let map = classes.names.map { byName[$0] ?? none }
    return classes.labels.map { map[Int($0)] }
  }
}
