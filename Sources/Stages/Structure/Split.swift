public import MeshPipeline

/// Splits the scene into one mesh per class, connected component or material.
public struct Split: Stage {
  public static let summary =
    "Splits the scene into one mesh per class, connected component or material."
  public static let discussion = """
    Each class, connected component or material becomes a separate mesh. Formats with named \
    objects show these under their names: those of the classes (`floor`, `wall`) or materials, \
    or the mesh's own name with a number for components.

    Faces that share a vertex are connected, so run `weld` before splitting by `component`. \
    Attributes are kept; vertices on the border of two parts are duplicated. Classes and \
    materials that no face has give no mesh. Point clouds are split only by `classification`.
    """
  public static let example =
    #"{ "use": "split", "when": "classification", "with": { "by": "classification" } }"#

  public struct Parameters: StageParameters {
    @Parameter("Property that the faces of a part have in common.")
    public var by = Property.classification

    public init() {}
  }

  /// The property by which faces are grouped.
  public enum Property: String, CaseIterable, ParameterValue {
    /// The class of the face.
    case classification
    /// Being connected through shared vertices.
    case component
    /// The material of the face.
    case material
  }

  /// A scene without the property to split by.
  public enum Failure: StageFailure {
    /// The scan has no classes.
    case noClassification
    /// The scan has no materials.
    case noMaterials

    public var message: String {
      switch self {
      case .noClassification:
        "the scan has no classification to split by; guard the stage with \"when\": \"classification\""
      case .noMaterials:
        "the scan has no materials to split by; guard the stage with \"when\": \"materials\""
      }
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    try check(scene)
    var names = NameTable()
    var parts: [Mesh] = []
    let materials = scene.materials
    let total = Double(max(1, scene.faceCount))
    var done = 0
    for index in scene.meshes.indices {
      var mesh = Mesh()
      // The parts take their arrays from a mesh that is referenced nowhere else.
      swap(&mesh, &scene.meshes[index])
      done += mesh.faceCount
      for part in self.parts(of: consume mesh, materials) {
        parts.append(part)
        parts[parts.count - 1].name = names.unique(part.name)
      }
      try context.progress(Double(done) / total)
    }
    scene.meshes = parts
    if parameters.by == .classification {
      scene.pointClouds = scene.pointClouds.flatMap { cloud in
        cloud.partsByClass().map { part in
          var part = part
          part.name = names.unique(part.name)
          return part
        }
      }
    }
    try context.progress(1)
    return scene
  }

  private func check(_ scene: borrowing Scene) throws {
    guard scene.faceCount + scene.pointCount > 0 else { return }
    let features = scene.features
    switch parameters.by {
    case .classification:
      guard features.contains(.classification) else { throw Failure.noClassification }
    case .material:
      guard features.contains(.materials) else { throw Failure.noMaterials }
    case .component: break
    }
  }

  private func parts(of mesh: consuming Mesh, _ materials: [Material]) -> [Mesh] {
    guard mesh.faceCount > 0 else { return [mesh] }
    switch parameters.by {
    case .classification:
      guard let classes = mesh.classes else { return [mesh] }
      return named(
        mesh.partitioned(by: classes.labels.map(UInt32.init), count: classes.names.count),
        classes.names)
    case .material:
      guard let faceMaterials = mesh.faceMaterials else { return [mesh] }
      let names = materials.enumerated().map { $1.name.isEmpty ? "material-\($0)" : $1.name }
      return named(mesh.partitioned(by: faceMaterials, count: materials.count), names)
    case .component:
      let components = FaceComponents(
        sharingVerticesOf: mesh.indices, vertexCount: mesh.vertexCount)
      guard components.count > 1 else { return [mesh] }
      let stem = mesh.name.isEmpty ? "part" : mesh.name
      let parts = mesh.partitioned(by: components.labels, count: components.count)
      return named(parts, parts.indices.map { "\(stem).\($0 + 1)" })
    }
  }

  /// The non-empty parts with their names.
  private func named(_ parts: [Mesh], _ names: [String]) -> [Mesh] {
    zip(parts, names).filter { $0.0.faceCount > 0 }.map { part, name in
      var part = part
      part.name = name
      return part
    }
  }
}

/// Unique names.
private struct NameTable {
  private var uses: [String: Int] = [:]

  /// The name, with a number appended if it was used before.
  mutating func unique(_ name: String) -> String {
    uses[name, default: 0] += 1
    let count = uses[name, default: 1]
    return count == 1 || name.isEmpty ? name : unique("\(name).\(count)")
  }
}

extension PointCloud {
  /// The points of each class as a separate cloud; the cloud itself if it has no classes.
  fileprivate func partsByClass() -> [PointCloud] {
    guard let classes else { return [self] }
    var points = [[Int]](repeating: [], count: classes.names.count)
    for (point, label) in classes.labels.enumerated() { points[Int(label)].append(point) }
    return zip(points, classes.names).filter { !$0.0.isEmpty }.map { points, name in
      var part = selecting(points: points)
      part.name = name
      return part
    }
  }
}
