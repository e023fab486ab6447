import MeshPipeline

/// Makes a scene of the prims of a stage.
struct USDSceneReader {
  private let stage: USDStage
  private let context: ReadingContext
  private let mostElements: Int
  private var materials: USDMaterialReader
  private var scene: Scene
  private var placement = PartPlacement()
  private var left: [String: Int] = [:]
  private var hasClasses = false
  /// The number of vertices, corners and polygons so far, and of prims that are repeated.
  private var elementCount = 0

  /// What a prim takes over from those above it.
  private struct Inherited {
    var transform = Transform.identity
    var depth = 0
    var isShown = true
    var purpose = "default"
    /// Whether it is repeated by an instancer, for which prims that are patterns otherwise count, too.
    var isPrototype = false
    /// Where the transforms of prims count from that reset them.
    var base = Transform.identity
    var binding: Binding?
    /// The linear colour and the opacity of all below it that have none of their own.
    var color: Vector3?
    var opacity: Float?
  }

  /// The material of a prim and all below it.
  private struct Binding {
    var target: USDTarget
    /// Whether it counts more than those of prims below.
    var isStronger: Bool
  }

  init(_ stage: USDStage, path: String, in context: ReadingContext, mostElements: Int) {
    self.stage = stage
    self.mostElements = mostElements
    self.context = context
    materials = USDMaterialReader(stage)
    scene = Scene(name: FileSystem.title(of: path))
  }

  /// The scene, in the axes and the unit that the file declares.
  mutating func read(_ path: String) throws -> Scene {
    let root = stage.root
    // Only the main layer says it, and not its sublayers.
    scene.coordinateSystem = try coordinateSystem(
      of: USDObject(name: "", sites: [USDSite(layer: 0, node: 0)]))
    let prims = try stage.children(of: root)
    for (index, prim) in prims.enumerated() {
      try add(prim, Inherited())
      try context.stage.progress(0.9 * Double(index + 1) / Double(prims.count))
    }
    for (type, count) in left.sorted(by: { $0.key < $1.key }) {
      stage.warn("\(type) (\(count)) are left out")
    }
    materials.warnOfLeftOut()
    guard !scene.meshes.isEmpty || !scene.pointClouds.isEmpty else {
      throw ReadingError.content(path: path, "contains no faces or points")
    }
    placement.apply(to: &scene)
    for mesh in scene.meshes { context.warnOfBrokenNumbers(mesh.positions, in: scene.name) }
    for cloud in scene.pointClouds {
      context.warnOfBrokenNumbers(cloud.positions, in: scene.name)
    }
    scene.materials = materials.materials
    scene.noteLinearColors()
    stage.files.textures.give(to: &scene) { stage.warn($0) }
    context.warnOfBorders(of: scene, materials: materials.bordered)
    if !hasClasses { scene.detectClasses() }
    try context.stage.progress(1)
    return scene
  }

  /// USD counts in centimetres unless a file says otherwise.
  private func coordinateSystem(of root: USDObject) throws -> CoordinateSystem {
    var unit = 0.01
    if case .numbers(let numbers) = try stage.content("metersPerUnit", of: root) {
      unit = numbers.first ?? unit
    }
    guard unit > 0, unit.isFinite else { throw stage.fault(root, "metersPerUnit must be above 0") }
    var system = CoordinateSystem.arkit
    switch try stage.text("upAxis", of: root) {
    case "Z": system = .blender
    case "X": system = CoordinateSystem(up: .x, forward: .negativeZ)
    default: break
    }
    system.metersPerUnit = unit
    return system
  }

  // MARK: Prims

  /// Types that hold others, or that say how to look at a scene.
  private static let silent: Set<String> = [
    "", "Xform", "Scope", "Material", "Shader", "NodeGraph", "GeomSubset", "Camera", "SkelRoot",
    "Skeleton", "SkelAnimation", "BlendShape", "DomeLight", "DistantLight", "SphereLight",
    "RectLight", "DiskLight", "CylinderLight", "RenderSettings", "RenderProduct", "RenderVar",
    "Preliminary_ReferenceImage", "Preliminary_Behavior", "Preliminary_Trigger",
    "Preliminary_Action", "Preliminary_AnchoringAPI", "PhysicsScene", "Model",
  ]
  /// What is below them is not in the scene by itself.
  private static let closed: Set<String> = ["Material", "NodeGraph", "Shader", "PointInstancer"]

  /// Adds a prim and those below.
  ///
  /// - Parameter isRepeated: Whether it is what an instancer repeats, which keeps the transform of its instance.
  private mutating func add(
    _ prim: USDObject, _ outer: Inherited, isRepeated: Bool = false
  ) throws {
    try context.stage.checkCancellation()
    guard outer.depth < USDTree.mostLevels else {
      throw stage.fault(prim, "prims are nested deeper than \(USDTree.mostLevels) levels")
    }
    if stage.keepsChildren { try take(1, for: prim) }
    if case .numbers([0]) = try stage.content("active", of: prim) { return }
    guard try outer.isPrototype || specifier(of: prim) == "def" else { return }
    var inherited = outer
    inherited.depth += 1
    if try stage.value("visibility", of: prim).map(Self.isInvisible) == true {
      return count("invisible prims")
    }
    if case .text(let purpose) = try stage.value("purpose", of: prim) {
      inherited.purpose = purpose
    }
    let (local, resets) = try stage.transform(of: prim)
    inherited.transform = (resets && !isRepeated ? outer.base : outer.transform) * local
    inherited.binding = try binding(of: prim, below: outer.binding)
    let primvars = USDPrimvars(stage, prim)
    inherited.color =
      try primvars.constant("displayColor") { USDPrimvars.triples($0) } ?? outer.color
    inherited.opacity =
      try primvars.constant("displayOpacity") { USDPrimvars.singles($0) } ?? outer.opacity
    let type = try stage.text("typeName", of: prim) ?? ""
    if inherited.purpose == "guide" || inherited.purpose == "proxy" {
      if !Self.silent.contains(type) {
        count("prims for orientation ('guide') and previews ('proxy')")
      }
    } else {
      try addShape(prim, type, inherited)
    }
    guard !Self.closed.contains(type) else { return }
    for child in try stage.children(of: prim) { try add(child, inherited) }
  }

  private mutating func addShape(_ prim: USDObject, _ type: String, _ inherited: Inherited) throws {
    switch type {
    case "Mesh": try addMesh(USDMeshReader(stage, prim), prim, inherited)
    case "Points": try addPoints(prim, inherited)
    case "SkelRoot": stage.warn("a skeleton's meshes are read as they are at rest")
    case "PointInstancer": try addInstances(prim, inherited)
    case _ where Self.silent.contains(type): break
    default:
      if let solid = try USDMeshReader(stage, solid: prim, type: type) {
        try addMesh(solid, prim, inherited, isDoubleSided: type == "Plane")
      } else {
        count("prims of the type '\(type.prefix(60))'")
      }
    }
  }

  private mutating func addInstances(_ prim: USDObject, _ outer: Inherited) throws {
    var inherited = outer
    guard let found = try USDInstances(stage, prim) else {
      return count("instancers without instances")
    }
    let isOutermost = !stage.keepsChildren
    inherited.isPrototype = true
    stage.keepsChildren = true
    defer { stage.keepsChildren = !isOutermost }
    // The first instance of a prototype shows what the others will add, before they do.
    let counts = found.shownCounts
    var sizes: [Int32: Int] = [:]
    var ahead = 0
    for place in 0..<found.count {
      guard let (prototype, transform) = found.instance(place) else { continue }
      inherited.transform = outer.transform * transform
      inherited.base = inherited.transform * prototype.base
      let before = elementCount
      try add(prototype.prim, inherited, isRepeated: true)
      let index = found.prototypeIndex(place)
      if let size = sizes[index] {
        ahead -= size
      } else {
        sizes[index] = elementCount - before
        ahead += (elementCount - before) * (counts[index, default: 1] - 1)
        try require(roomFor: ahead, of: "its \(found.count) instances expand", prim)
      }
    }
  }

  private mutating func count(_ what: String) { left[what, default: 0] += 1 }

  private static func isInvisible(_ content: USDContent) -> Bool {
    if case .text("invisible") = content { return true }
    return false
  }

  /// The strongest that is not `over`.
  private func specifier(of prim: USDObject) throws -> String {
    for site in prim.sites {
      guard
        case .text(let text) = try stage.content("specifier", of: site),
        text != "over"
      else { continue }
      return text
    }
    return "over"
  }

  /// The binding of a prim, or else the one of those above it.
  private func binding(of prim: USDObject, below outer: Binding?) throws -> Binding? {
    if try stage.hasProperty(withPrefix: "material:binding:collection:", prim) {
      stage.warn("materials that collections choose ('material:binding:collection') are left out")
    }
    if let outer, outer.isStronger { return outer }
    for name in ["material:binding:preview", "material:binding", "material:binding:full"] {
      guard let property = stage.property(name, of: prim),
        let target = try stage.target("targetPaths", of: property)
      else { continue }
      let strength = try stage.text("bindMaterialAs", of: property)
      return Binding(target: target, isStronger: strength == "strongerThanDescendants")
    }
    return outer
  }

  private func name(of prim: USDObject) throws -> String {
    if case .text(let name) = try stage.value("userProperties:name", of: prim) { return name }
    return prim.name
  }

  // MARK: Meshes

  /// What a mesh or points of their own cost besides their elements, where an instancer repeats them.
  private static let costOfRepeated = 256

  /// Counts what a prim adds to the scene: prims can refer to a large mesh many times.
  private mutating func take(_ count: Int, for prim: USDObject) throws {
    elementCount += count
    try require(roomFor: 0, of: "the file expands", prim)
  }

  /// Refuses elements beyond the budget, some of them still to come.
  private func require(roomFor ahead: Int, of what: String, _ prim: USDObject) throws {
    // What is referred to counts as soon as it is loaded.
    let most = mostElements + Self.expansion(ofBytes: stage.byteCount)
    guard elementCount > most - ahead else { return }
    func million(_ count: Int) -> String { NumberText.fixed(Double(count) / 1e6, digits: 1) }
    throw stage.fault(
      prim,
      """
      \(what) to \(million(elementCount + ahead)) million vertices, corners and faces, more data than plausible \
      (\(million(most)) million); is it damaged?
      """)
  }

  /// The elements that the bytes of a file may expand to: many times as many of small files, but of large ones no more
  /// than memory holds, besides what they hold themselves.
  private static func expansion(ofBytes count: Int) -> Int {
    min(64 * count, 400_000_000) + 4 * count
  }

  private mutating func addMesh(
    _ source: USDMeshReader?, _ prim: USDObject, _ inherited: Inherited,
    isDoubleSided standard: Bool = false
  ) throws {
    guard var source else { return count("meshes without faces") }
    try take(source.elementCount + (stage.keepsChildren ? Self.costOfRepeated : 0), for: prim)
    source.mesh.name = try name(of: prim)
    let isDoubleSided =
      if case .numbers(let number) = try stage.value("doubleSided", of: prim) {
        number == [1]
      } else {
        standard
      }
    try addMaterials(&source, prim, inherited, isDoubleSided: isDoubleSided)
    try source.addAttributes()
    if let classes = try classes(of: source, prim) {
      source.mesh.classes = classes
      hasClasses = true
    }
    placement.append(
      source.mesh, at: inherited.transform * Transform(translation: source.origin), to: &scene)
  }

  /// The materials of faces: of subsets, or else of the mesh.
  private mutating func addMaterials(
    _ source: inout USDMeshReader, _ prim: USDObject, _ inherited: Inherited, isDoubleSided: Bool
  ) throws {
    let whole = try inherited.binding.flatMap {
      try materials.use($0.target, isDoubleSided: isDoubleSided)
    }
    var uses: [USDMaterialReader.Use?] = [whole]
    var ofPolygons = [Int](repeating: 0, count: source.polygonCount)
    for subset in try subsets(of: prim) {
      guard let binding = try binding(of: subset, below: inherited.binding),
        let use = try materials.use(binding.target, isDoubleSided: isDoubleSided)
      else { continue }
      uses.append(use)
      for polygon in try faces(of: subset, source) { ofPolygons[polygon] = uses.count - 1 }
    }
    source.uses = uses
    guard uses.contains(where: { $0 != nil }) else {
      if let color = try source.constantColor(inherited.color, inherited.opacity) {
        let index = materials.index(ofColor: color, isDoubleSided: isDoubleSided)
        source.mesh.faceMaterials = [UInt32](repeating: index, count: source.mesh.faceCount)
      } else if isDoubleSided {
        let index = materials.index(ofColor: nil, isDoubleSided: true)
        source.mesh.faceMaterials = [UInt32](repeating: index, count: source.mesh.faceCount)
      }
      return
    }
    let needsPlain = uses[0] == nil && ofPolygons.contains(0)
    let indices = uses.map { $0?.index ?? (needsPlain ? materials.plain() : 0) }
    source.useOfFaces = (0..<source.mesh.faceCount).map { ofPolygons[source.polygon(ofFace: $0)] }
    source.mesh.faceMaterials = source.useOfFaces.map { indices[$0] }
  }

  private func subsets(of prim: USDObject) throws -> [USDObject] {
    try stage.children(of: prim).filter { try stage.text("typeName", of: $0) == "GeomSubset" }
  }

  /// The polygons of a subset.
  private func faces(of subset: USDObject, _ source: USDMeshReader) throws -> [Int] {
    if case .text(let type) = try stage.value("elementType", of: subset), type != "face" {
      return []
    }
    guard case .integers(let indices) = try stage.value("indices", of: subset) else { return [] }
    if let bad = indices.first(where: { $0 < 0 || Int($0) >= source.polygonCount }) {
      throw stage.fault(
        subset, "refers to face \(bad), but the mesh has \(source.polygonCount)")
    }
    return indices.map(Int.init)
  }

  /// The classes that subsets or the whole mesh name.
  private func classes(of source: USDMeshReader, _ prim: USDObject) throws -> FaceClasses? {
    var table = ClassNameTable()
    var ofPolygons = [UInt16](repeating: 0, count: source.polygonCount)
    var isFound = false
    for object in [prim] + (try subsets(of: prim)) {
      guard case .text(let name) = try stage.value("userProperties:classification", of: object)
      else {
        continue
      }
      isFound = true
      let label = table.label(of: ClassNames.normalized(name))
      let faces =
        object.sites == prim.sites ? Array(ofPolygons.indices) : try faces(of: object, source)
      for polygon in faces { ofPolygons[polygon] = label }
    }
    guard isFound else { return nil }
    let labels = (0..<source.mesh.faceCount).map { ofPolygons[source.polygon(ofFace: $0)] }
    return FaceClasses(labels: labels, names: table.names)
  }

  // MARK: Points

  private mutating func addPoints(_ prim: USDObject, _ inherited: Inherited) throws {
    let source = USDPrimvars(stage, prim)
    guard let (positions, origin) = try source.points(), !positions.isEmpty else {
      return count("points without positions")
    }
    try take(positions.count + (stage.keepsChildren ? Self.costOfRepeated : 0), for: prim)
    var cloud = PointCloud(name: try name(of: prim), positions: positions)
    let counts = USDPrimvars.Counts(
      polygons: 1, vertices: positions.count, corners: positions.count)
    func values<Value>(_ found: USDPrimvar<Value>?) -> [Value]? {
      guard let found, found.isConsistent(with: counts) else { return nil }
      return positions.indices.map { found.values[found.index(vertex: $0, corner: $0, polygon: 0)] }
    }
    cloud.normals = values(try source.normals())?.map(\.normalized)
    cloud.colors = USDPrimvars.colors(
      values(try source.primvar("displayColor") { USDPrimvars.triples($0) })
        ?? inherited.color.map { [Vector3](repeating: $0, count: positions.count) },
      values(try source.primvar("displayOpacity") { USDPrimvars.singles($0) })
        ?? inherited.opacity.map { [Float](repeating: $0, count: positions.count) })
    cloud.confidences = values(try source.primvar("confidence") { USDPrimvars.singles($0) })
    if let names = values(try source.primvar("classification") { USDPrimvars.texts($0) }) {
      var table = ClassNameTable()
      let labels = names.map { table.label(of: ClassNames.normalized($0)) }
      cloud.classes = FaceClasses(labels: labels, names: table.names)
    }
    placement.append(
      cloud, at: inherited.transform * Transform(translation: origin), to: &scene)
  }
}
