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
    var meshes = meshes
    func joined<Value: BitwiseCopyable & Sendable>(
      _ attribute: (Mesh) -> [Value]?, _ neutral: (Mesh) -> [Value]
    ) -> [Value]? {
      // A mesh without elements has any attribute.
      let bearers = meshes.filter { $0.vertexCount > 0 }
      let having = bearers.count { attribute($0) != nil }
      guard having > 0, fillsMissing || having == bearers.count else { return nil }
      return Parallel.joined(meshes.map { attribute($0) ?? neutral($0) })
    }
    colors = joined(\.colors) { [Color](repeating: .white, count: $0.vertexCount) }
    meshes.forget(\.colors)
    confidences = joined(\.confidences) { [Float](repeating: 0, count: $0.vertexCount) }
    meshes.forget(\.confidences)
    textureCoordinates = joined(\.textureCoordinates) {
      [Vector2](repeating: .zero, count: $0.cornerCount)
    }
    meshes.forget(\.textureCoordinates)
    faceMaterials = joined(\.faceMaterials) {
      [UInt32](repeating: neutralMaterial, count: $0.faceCount)
    }
    meshes.forget(\.faceMaterials)
    let names = UnitedNames(of: meshes.compactMap(\.classes))
    let labels = joined({ mesh in mesh.classes.map(names.labels) }) { mesh in
      [UInt16](repeating: names.none, count: mesh.faceCount)
    }
    classes = labels.map { FaceClasses(labels: $0, names: names.table.names) }
    meshes.forget(\.classes)
    cornerNormals = joined(\.cornerNormals) { mesh in
      let normals = mesh.normals ?? mesh.vertexNormals(weight: .area, fallback: up)
      return mesh.indices.map { normals[Int($0)] }
    }
    meshes.forget(\.cornerNormals)
    normals = joined(\.normals) { $0.vertexNormals(weight: .area, fallback: up) }
    meshes.forget(\.normals)
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

extension [Mesh] {
  fileprivate mutating func forget<Attribute>(_ attribute: WritableKeyPath<Mesh, Attribute?>) {
    for index in indices { self[index][keyPath: attribute] = nil }
  }
}

extension PointCloud {
  /// Concatenates the points of all clouds, as for meshes.
  package init(joining clouds: [PointCloud], fillsMissing: Bool, up: Vector3) {
    self.init(name: clouds.first?.name ?? "", positions: clouds.flatMap(\.positions))
    func joined<Value>(_ attribute: (PointCloud) -> [Value]?, _ neutral: Value) -> [Value]? {
      let bearers = clouds.filter { !$0.positions.isEmpty }
      let having = bearers.count { attribute($0) != nil }
      guard having > 0, fillsMissing || having == bearers.count else { return nil }
      return clouds.flatMap {
        attribute($0) ?? [Value](repeating: neutral, count: $0.positions.count)
      }
    }
    normals = joined(\.normals, up)
    colors = joined(\.colors, .white)
    confidences = joined(\.confidences, 0)
    let names = UnitedNames(of: clouds.compactMap(\.classes))
    let labels = joined({ cloud in cloud.classes.map(names.labels) }, names.none)
    classes = labels.map { FaceClasses(labels: $0, names: names.table.names) }
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
