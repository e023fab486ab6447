import MeshPipeline

/// One list of class names for a whole scene, whose parts may number their classes differently.
struct ClassTable {
  private(set) var names: [String]
  /// Labels of the table by label of the part, for each mesh and then for each point cloud.
  private var translations: [[UInt16]?] = []
  private let meshCount: Int

  /// Nil when nothing in the scene has classes.
  init?(of scene: Scene) {
    let parts = scene.meshes.map(\.classes) + scene.pointClouds.map(\.classes)
    guard let first = parts.lazy.compactMap({ $0 }).first else { return nil }
    meshCount = scene.meshes.count
    names = first.names
    var table = FaceClasses(labels: [], names: first.names)
    for part in parts {
      // Labels without a name, because there are too many, become the first: none.
      translations.append(part.map { $0.names.map { table.label(named: $0) ?? 0 } })
    }
    names = table.names
  }

  /// The labels of a mesh's faces in this table; `none`, the first, if the mesh has no classes.
  func labels(ofMesh index: Int, in scene: Scene) -> [UInt16] {
    labels(scene.meshes[index].classes, translations[index], scene.meshes[index].faceCount)
  }

  /// The labels of a cloud's points in this table.
  func labels(ofCloud index: Int, in scene: Scene) -> [UInt16] {
    let cloud = scene.pointClouds[index]
    return labels(cloud.classes, translations[meshCount + index], cloud.positions.count)
  }

  /// Numbers of a cloud's points, by those of the labels; what has no class is 0 where it was never classified, and else 1,
  /// if the points say so.
  func numbers<Number: FixedWidthInteger>(
    ofCloud index: Int, in scene: Scene, by numberOfLabel: [Number], _ neverClassified: [UInt8]?
  ) -> [Number] {
    let labels = labels(ofCloud: index, in: scene)
    guard let neverClassified else { return labels.map { numberOfLabel[Int($0)] } }
    let isNone = names.map { $0 == "none" }
    return zip(labels, neverClassified).map { label, isNever in
      isNone[Int(label)] ? (isNever == 0 ? 1 : 0) : numberOfLabel[Int(label)]
    }
  }

  private func labels(_ classes: FaceClasses?, _ names: [UInt16]?, _ count: Int) -> [UInt16] {
    guard let classes, let names else { return [UInt16](repeating: 0, count: count) }
    if names.enumerated().allSatisfy({ $0.offset == Int($0.element) }) { return classes.labels }
    return classes.labels.map { names[Int($0)] }
  }
}
