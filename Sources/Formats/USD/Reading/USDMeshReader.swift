import MeshPipeline

/// Makes triangles of a mesh prim, and what belongs to their corners.
struct USDMeshReader {
  var mesh = Mesh()
  /// What the mesh's positions are relative to.
  private(set) var origin = SIMD3<Double>.zero
  /// The materials of faces, the first of which is that of the mesh.
  var uses: [USDMaterialReader.Use?] = [nil]
  /// Elements of ``uses``; empty if no face has a material.
  var useOfFaces: [Int] = []
  private let stage: USDStage
  private let prim: USDObject
  private let primvars: USDPrimvars
  private let counts: USDPrimvars.Counts
  /// The corner in the file of each corner, and the polygon of each face; nil if they are the same.
  private var corners: [UInt32]?
  private var polygons: [UInt32]?

  var polygonCount: Int { counts.polygons }
  var elementCount: Int { counts.vertices + counts.corners + counts.polygons }

  func polygon(ofFace face: Int) -> Int { polygons.map { Int($0[face]) } ?? face }
  private func source(ofCorner corner: Int) -> Int { corners.map { Int($0[corner]) } ?? corner }

  /// - Returns: Nil if the mesh has no faces.
  init?(_ stage: USDStage, _ prim: USDObject) throws {
    self.stage = stage
    self.prim = prim
    primvars = USDPrimvars(stage, prim)
    guard let (positions, origin) = try primvars.points(), !positions.isEmpty,
      case .integers(let sizes) = try stage.value("faceVertexCounts", of: prim),
      case .integers(let indices) = try stage.value("faceVertexIndices", of: prim)
    else { return nil }
    counts = USDPrimvars.Counts(
      polygons: sizes.count, vertices: positions.count, corners: indices.count)
    mesh.positions = positions
    self.origin = origin
    try check(sizes, indices)
    try addFaces(sizes, indices)
    guard mesh.faceCount > 0 else { return nil }
    if case .text(let scheme) = try stage.value("subdivisionScheme", of: prim) {
      if scheme != "none" { warnOfSubdivision() }
    } else {
      warnOfSubdivision()
    }
  }

  private func warnOfSubdivision() {
    stage.warn("subdivision surfaces are read as their control meshes")
  }

  /// The faces of a shape without vertices of its own.
  ///
  /// - Returns: Nil if the prim is not one.
  init?(_ stage: USDStage, solid prim: USDObject, type: String) throws {
    guard let solid = try USDSolid(stage, prim, type: type) else { return nil }
    self.stage = stage
    self.prim = prim
    primvars = USDPrimvars(stage, prim)
    counts = USDPrimvars.Counts(
      polygons: solid.sizes.count, vertices: solid.positions.count, corners: solid.indices.count)
    mesh.positions = solid.positions
    try addFaces(solid.sizes, solid.indices)
    mesh.cornerNormals = solid.cornerNormals.map { normals in
      mesh.indices.indices.map { normals[source(ofCorner: $0)] }
    }
  }

  // MARK: Faces

  private func check(_ sizes: [Int32], _ indices: [Int32]) throws {
    guard max(sizes.count, indices.count) <= Int(Int32.max) else {
      throw stage.fault(prim, "has more faces or corners than plausible")
    }
    var total = 0
    for (face, size) in sizes.enumerated() {
      guard size >= 0 else { throw stage.fault(prim, "face \(face) has \(size) corners") }
      total += Int(size)
    }
    guard total == indices.count else {
      throw stage.fault(
        prim, "the faces have \(total) corners, but faceVertexIndices has \(indices.count)")
    }
    if let bad = indices.first(where: { $0 < 0 || Int($0) >= counts.vertices }) {
      throw stage.fault(prim, "refers to point \(bad), but there are \(counts.vertices)")
    }
  }

  private mutating func addFaces(_ sizes: [Int32], _ indices: [Int32]) throws {
    var isHole: Set<Int32> = []
    if case .integers(let holes) = try stage.value("holeIndices", of: prim) { isHole = Set(holes) }
    var isLeftHanded = false
    if case .text("leftHanded") = try stage.value("orientation", of: prim) { isLeftHanded = true }
    if !isLeftHanded, isHole.isEmpty, sizes.allSatisfy({ $0 == 3 }) {
      mesh.indices = indices.map { UInt32($0) }
      return
    }
    var (corners, polygons): ([UInt32], [UInt32]) = ([], [])
    var (first, skipped) = (0, 0)
    for (polygon, size) in sizes.enumerated() {
      let size = Int(size)
      defer { first += size }
      guard !isHole.contains(Int32(polygon)) else { continue }
      guard size >= 3 else {
        skipped += 1
        continue
      }
      let outline = (first..<first + size).map { mesh.positions[Int(indices[$0])] }
      let triangles = size == 3 ? [0, 1, 2] : PolygonTriangulation.triangles(of: outline)
      for index in stride(from: 0, to: triangles.count, by: 3) {
        let (a, b, c) = (triangles[index], triangles[index + 1], triangles[index + 2])
        corners += [a, isLeftHanded ? c : b, isLeftHanded ? b : c].map { UInt32(first + $0) }
        polygons.append(UInt32(polygon))
      }
    }
    if skipped > 0 { stage.warn("faces with fewer than three corners (\(skipped)) are left out") }
    mesh.indices = corners.map { UInt32(indices[Int($0)]) }
    self.corners = corners
    self.polygons = polygons
  }

  // MARK: Attributes

  /// Adds normals, texture coordinates, colours and confidences; call it after setting the materials.
  mutating func addAttributes() throws {
    try addNormals()
    try addTextureCoordinates()
    try addColors()
    if let found = checked(
      try primvars.primvar("confidence") { USDPrimvars.singles($0) }, "confidence"),
      found.isOfVertices
    {
      mesh.confidences = mesh.positions.indices.map {
        found.values[found.index(vertex: $0, corner: 0, polygon: 0)]
      }
    }
  }

  /// Nil, with a warning, if values are missing.
  private func checked<Value>(_ found: USDPrimvar<Value>?, _ name: String) -> USDPrimvar<Value>? {
    guard let found else { return nil }
    if found.isConsistent(with: counts) { return found }
    stage.warn(
      "'\(prim.name.prefix(60))' has too few values of '\(name)', or indices of values that are missing; they are left out"
    )
    return nil
  }

  /// The values of all corners.
  private func ofCorners<Value>(_ found: USDPrimvar<Value>) -> [Value] {
    mesh.indices.indices.map { corner in
      found.values[
        found.index(
          vertex: Int(mesh.indices[corner]), corner: source(ofCorner: corner),
          polygon: polygon(ofFace: corner / 3))]
    }
  }

  private func ofVertices<Value>(_ found: USDPrimvar<Value>) -> [Value] {
    mesh.positions.indices.map { found.values[found.index(vertex: $0, corner: 0, polygon: 0)] }
  }

  private mutating func addNormals() throws {
    guard let normals = checked(try primvars.normals(), "normals") else { return }
    if normals.isOfVertices {
      mesh.normals = ofVertices(normals).map(\.normalized)
    } else if normals.interpolation != "constant" {
      mesh.cornerNormals = ofCorners(normals).map(\.normalized)
    }
  }

  /// The first set is the one that the first textured material reads.
  private mutating func addTextureCoordinates() throws {
    var names = try stage.propertyNames(of: prim).filter { name in
      guard name.hasPrefix("primvars:"), let property = stage.property(name, of: prim) else {
        return false
      }
      let type = try stage.text("typeName", of: property) ?? ""
      return type.hasPrefix("texCoord2") || type == "float2[]"
    }
    .map { String($0.dropFirst("primvars:".count)) }.sorted()
    let wanted = uses.compactMap { $0?.coordinates }
    if Set(wanted).count > 1 {
      stage.warn(
        "materials of one mesh use different texture coordinates; those of the first are read")
    }
    for name in ["st", wanted.first ?? "st"] {
      if let place = names.firstIndex(of: name) { names.insert(names.remove(at: place), at: 0) }
    }
    var sets: [[Vector2]] = []
    for name in names where sets.count < 2 {
      if let found = checked(try primvars.primvar(name) { USDPrimvars.pairs($0) }, name) {
        sets.append(ofCorners(found))
      }
    }
    if names.count > 2 { stage.warn("texture coordinates beyond the second set are left out") }
    mesh.textureCoordinates = sets.first
    mesh.secondTextureCoordinates = sets.count > 1 ? sets[1] : nil
    guard mesh.textureCoordinates != nil, uses.contains(where: { $0?.transform != nil }) else {
      return
    }
    for (face, use) in useOfFaces.enumerated() {
      guard let transform = uses[use]?.transform else { continue }
      for corner in 3 * face..<3 * face + 3 {
        if let point = mesh.textureCoordinates?[corner] {
          mesh.textureCoordinates?[corner] = transform.apply(point)
        }
      }
    }
  }

  /// The linear colour and opacity of the whole mesh, if it has one.
  ///
  /// - Parameter color: Of the mesh or a prim above it.
  func constantColor(_ color: Vector3?, _ opacity: Float?) throws -> SIMD4<Float>? {
    let own = stage.property("primvars:displayColor", of: prim)
    let interpolation = try own.flatMap { try stage.text("interpolation", of: $0) }
    guard let color, interpolation ?? "constant" == "constant" else { return nil }
    let parts = [color.x, color.y, color.z, opacity ?? 1].map { min(max($0.isNaN ? 1 : $0, 0), 1) }
    return SIMD4(parts[0], parts[1], parts[2], parts[3])
  }

  /// Colours of vertices; those of polygons and corners are averaged.
  private mutating func addColors() throws {
    let light = checked(
      try primvars.primvar("displayColor") { USDPrimvars.triples($0) }, "displayColor")
    guard let light, light.interpolation != "constant" else { return }
    let opacity = checked(
      try primvars.primvar("displayOpacity") { USDPrimvars.singles($0) }, "displayOpacity")
    mesh.colors = USDPrimvars.colors(
      light.isOfVertices ? ofVertices(light) : meanOfVertices(ofCorners(light)),
      opacity.flatMap { $0.isOfVertices || $0.interpolation == "constant" ? ofVertices($0) : nil })
  }

  private func meanOfVertices(_ ofCorners: [Vector3]) -> [Vector3] {
    stage.warn("colours of faces and corners are read as their means at vertices")
    var sums = [SIMD4<Float>](repeating: .zero, count: mesh.vertexCount)
    for (corner, value) in ofCorners.enumerated() {
      sums[Int(mesh.indices[corner])] += SIMD4(value.x, value.y, value.z, 1)
    }
    return sums.map { $0.w > 0 ? Vector3($0.x / $0.w, $0.y / $0.w, $0.z / $0.w) : Vector3(1, 1, 1) }
  }
}
