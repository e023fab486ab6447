import MeshPipeline

/// Makes a scene of the build items of a 3MF package.
struct ThreeMFAssembly {
  private let package: ThreeMFPackage
  private let context: ReadingContext
  private var looks: ThreeMFLooks
  private var result: Scene
  /// Meshes by part and object, in object coordinates.
  private var templates: [Key: Mesh] = [:]
  /// The remaining budget of vertices and corners: a small file can refer to a large or empty part
  /// many times.
  private var room = 10_000_000
  /// The cost of placing an object in that budget.
  private static let placementCost = 64

  private struct Key: Hashable {
    var part: String
    var object: UInt32
  }

  init(_ package: ThreeMFPackage, in context: ReadingContext) {
    self.package = package
    self.context = context
    looks = ThreeMFLooks(package)
    result = Scene(name: FileSystem.title(of: package.path))
    for body in package.parts.values.flatMap(\.objects.values).compactMap(\.mesh) {
      room += 64 * (body.positions.count + body.indices.count)
    }
  }

  mutating func scene() throws -> Scene {
    guard let root = package.parts[package.root] else { return result }
    result.coordinateSystem = CoordinateSystem(
      up: .z, forward: .y, metersPerUnit: root.metersPerUnit)
    for (number, item) in root.items.enumerated() {
      try place(item, in: package.root, .identity, name: "", depth: 0)
      try context.stage.progress(0.5 + 0.5 * Double(number) / Double(root.items.count))
    }
    let remarks = package.parts.sorted { $0.key < $1.key }.flatMap(\.value.remarks) + looks.remarks
    guard !result.meshes.isEmpty else {
      let reason = remarks.first.map { " (\($0))" } ?? ""
      throw ReadingError.content(path: package.path, "has no build item with faces\(reason)")
    }
    for remark in remarks { context.stage.warn("\(FileSystem.name(of: package.path)): \(remark)") }
    result.materials = looks.materials
    result.textures = looks.textures.textures
    return result
  }

  /// The maximum depth of nested components; the specification has no limit.
  private static let mostLevels = 64

  private mutating func place(
    _ placement: ThreeMFPart.Placement, in path: String, _ parent: Transform, name: String,
    depth: Int
  ) throws {
    let target = placement.path.map(ThreeMFPackage.key) ?? path
    guard let part = package.parts[target], let object = part.objects[placement.object] else {
      throw fault(path, placement.line, "there is no object \(placement.object) in '\(target)'")
    }
    guard depth < Self.mostLevels else {
      throw fault(
        target, object.line, "objects are nested more than \(Self.mostLevels) deep")
    }
    try take(Self.placementCost, for: object, in: target)
    let transform = parent * placement.transform
    let name = object.name.isEmpty ? name : object.name
    if let body = object.mesh, !body.indices.isEmpty {
      let key = Key(part: target, object: placement.object)
      try add(body, of: object, key, transform, name: name)
    }
    for component in object.components {
      try place(component, in: target, transform, name: name, depth: depth + 1)
    }
  }

  private mutating func add(
    _ body: ThreeMFPart.Body, of object: ThreeMFPart.Object, _ key: Key, _ transform: Transform,
    name: String
  ) throws {
    try take(body.positions.count + body.indices.count, for: object, in: key.part)
    var mesh: Mesh
    if let template = templates[key] {
      mesh = template
    } else {
      mesh = looks.mesh(of: body, object, in: key.part)
      templates[key] = mesh
    }
    mesh.name = name
    let (own, root) = (package.parts[key.part], package.parts[package.root])
    let scale = (own?.metersPerUnit ?? 1) / (root?.metersPerUnit ?? 1)
    let placed = scale == 1 ? transform : transform * Transform(scale: SIMD3(repeating: scale))
    if placed != .identity { mesh.apply(placed) }
    result.meshes.append(mesh)
  }

  private mutating func take(
    _ count: Int, for object: ThreeMFPart.Object, in part: String
  ) throws {
    room -= count
    guard room >= 0 else {
      throw fault(part, object.line, "the file expands to more data than plausible; is it damaged?")
    }
  }

  private func fault(_ part: String, _ line: Int, _ message: String) -> ReadingError {
    .content(path: package.path, "\(part), line \(line): \(message)")
  }
}
