import MeshPipeline
package import MeshpipeBase
import MeshpipeScene
package import NativeLibraries

/// Reads and validates messages: see ``WireFormat``.
package struct WireDecoder {
  /// The maximum size of a message's arrays in bytes.
  package var maximumPayloadLength: Int
  /// Whether an infinite or NaN coordinate makes a message invalid.
  package var requiresFiniteNumbers: Bool
  /// The shared memory for arrays; nil if they must be in the stream.
  package var memory: (any WireMemory)?

  package init(
    maximumPayloadLength: Int = 1 << 36, requiresFiniteNumbers: Bool = true,
    memory: (any WireMemory)? = nil
  ) {
    self.maximumPayloadLength = maximumPayloadLength
    self.requiresFiniteNumbers = requiresFiniteNumbers
    self.memory = memory
  }

  /// Reads one message.
  ///
  /// Nothing is allocated for an array before the lengths of all arrays are verified against the
  /// frame and the limit.
  /// - Throws: ``WireError`` for bytes that are not a message, or what `input` throws.
  package func read(from input: inout some WireInput) throws -> WireMessage {
    let (header, framed) = try header(from: &input)
    let plan = try plan(of: header)
    let streamed = plan.shared == nil ? plan.length : 0
    guard UInt64(streamed) == framed else {
      throw WireError.lengthMismatch(named: streamed, framed: framed)
    }
    switch plan.message {
    case .scene(var content):
      try readArrays(of: &content.scene, plan, fromMemoryOr: &input)
      return .scene(content)
    case .run(let task, var content):
      try readArrays(of: &content.scene, plan, fromMemoryOr: &input)
      return .run(task, content)
    case .write(let file, var content):
      try readArrays(of: &content.scene, plan, fromMemoryOr: &input)
      return .write(file, content)
    default: return plan.message
    }
  }

  /// Reads the beginning of a file of the cache.
  ///
  /// - Returns: What it says beside the scene; nil if it says nothing.
  package func checkpoint(from input: inout some WireInput) throws -> JSONValue? {
    let (header, _) = try header(from: &input)
    return header.has("checkpoint") ? try header.any("checkpoint") : nil
  }

  /// Reads a header, and the length of the arrays that follow it.
  private func header(from input: inout some WireInput) throws -> (WireHeader, UInt64) {
    let frame = try bytes(WireFormat.frameLength, from: &input)
    guard frame.starts(with: WireFormat.magic) else { throw WireError.notAMessage }
    let version: UInt32 = frame.littleEndian(at: 8)
    guard version == WireFormat.version else {
      throw WireError.version(version, known: WireFormat.version)
    }
    let headerLength: UInt32 = frame.littleEndian(at: 12)
    guard headerLength <= WireFormat.maximumHeaderLength else {
      throw WireError.headerTooLong(headerLength)
    }
    let framed: UInt64 = frame.littleEndian(at: 16)
    guard framed <= UInt64(maximumPayloadLength) else { throw WireError.tooLong(framed) }
    return (try WireHeader(try bytes(Int(headerLength), from: &input)), framed)
  }

  private func readArrays(
    of scene: inout Scene, _ plan: Plan, fromMemoryOr input: inout some WireInput
  ) throws {
    guard let places = plan.shared else {
      return try readArrays(of: &scene, plan: plan, from: &input)
    }
    guard let memory else { throw WireError.header("'shared' was not negotiated") }
    guard places.count == plan.arrayCount else {
      throw WireError.header("'shared' has \(places.count) offsets for \(plan.arrayCount) arrays")
    }
    var arrays = LoadedArrays(memory: memory, places: places)
    try readArrays(of: &scene, plan: plan, from: &arrays)
  }

  /// A message whose arrays follow.
  fileprivate struct Plan {
    var message = WireMessage.done
    var meshes: [AttributeLayout<Mesh>] = []
    var points: [AttributeLayout<PointCloud>] = []
    var textures: [Int] = []
    /// The offset of each array in ``WireDecoder/memory``.
    var shared: [Int]?
    /// The total bytes of all arrays; the counts are limited so that it can't overflow.
    var length = 0
  }

  private func plan(of header: WireHeader) throws(WireError) -> Plan {
    var plan = Plan()
    switch try header.string("kind") {
    case "done": break
    case "scene": plan.message = .scene(try content(of: header, plan: &plan))
    case "run": plan.message = .run(try header.task, try content(of: header, plan: &plan))
    case "write": plan.message = .write(try header.file, try content(of: header, plan: &plan))
    case let kind:
      guard let message = try header.message(ofKind: kind) else {
        throw .header("'kind' has the unknown value '\(kind)'")
      }
      plan.message = message
    }
    return plan
  }

  private func content(
    of header: WireHeader, plan: inout Plan
  ) throws(WireError) -> WireScene {
    plan.shared = try header.shared
    var content = WireScene(
      try scene(of: header, plan: &plan), openedFiles: try header.strings("openedFiles"),
      warnings: try header.strings("warnings"))
    content.hasOrigin = header.has("origin")
    content.checkpoint = header.has("checkpoint") ? try header.any("checkpoint") : nil
    if header.has(Provenance.key) {
      content.provenance = Provenance(
        JSONValue(.object(try header.members(Provenance.key))))
    }
    return content
  }

  private func scene(of header: WireHeader, plan: inout Plan) throws(WireError) -> Scene {
    var scene = Scene(name: try header.string("name", default: ""))
    scene.coordinateSystem = try coordinateSystem(of: try header.object("coordinateSystem"))
    if header.has("origin") { scene.origin = try header.place("origin") }
    scene.survey = try Survey(header)
    for mesh in try header.objects("meshes") {
      scene.meshes.append(try self.mesh(of: mesh, plan: &plan))
    }
    for cloud in try header.objects("pointClouds") {
      scene.pointClouds.append(try pointCloud(of: cloud, plan: &plan))
    }
    for texture in try header.objects("textures") {
      let length = try texture.count("bytes", limit: maximumPayloadLength)
      plan.textures.append(length)
      try plan.add(length, limit: maximumPayloadLength)
      scene.textures.append(
        Texture(
          fileName: try texture.string("fileName"), encoding: try texture.word("encoding"),
          bytes: []))
    }
    for material in try header.objects("materials") {
      scene.materials.append(try self.material(of: material, textureCount: scene.textures.count))
    }
    if header.has("frames") {
      scene.capture = Capture()
      for frame in try header.objects("frames") {
        scene.capture?.frames.append(try self.frame(of: frame))
      }
    }
    return scene
  }

  private func coordinateSystem(of header: WireHeader) throws(WireError) -> CoordinateSystem {
    let system = CoordinateSystem(
      up: try header.word("up"), forward: try header.word("forward"),
      handedness: try header.word("handedness"),
      metersPerUnit: try header.number("metersPerUnit"))
    guard system.up.index != system.forward.index, system.metersPerUnit > 0 else {
      throw .header(
        "'coordinateSystem' is invalid: up and forward are the same axis, or the unit is zero")
    }
    return system
  }

  private func mesh(of header: WireHeader, plan: inout Plan) throws(WireError) -> Mesh {
    // A limit that leaves room for any sum of products without overflow.
    let vertices = try header.count("vertices", limit: Int(UInt32.max))
    let faces = try header.count("faces", limit: Int(UInt32.max))
    let layout = try AttributeLayout<Mesh>(
      header, counts: [.vertex: vertices, .corner: 3 * faces, .face: faces])
    try plan.add(12 * vertices + 12 * faces, limit: maximumPayloadLength)
    for length in layout.byteCounts { try plan.add(length, limit: maximumPayloadLength) }
    plan.meshes.append(layout)
    var mesh = Mesh(name: try header.string("name", default: ""))
    if layout.names.contains("classes") {
      mesh.classes = FaceClasses(labels: [], names: try header.strings("classNames"))
    }
    return mesh
  }

  private func pointCloud(of header: WireHeader, plan: inout Plan) throws(WireError) -> PointCloud {
    let count = try header.count("points", limit: Int(UInt32.max))
    let layout = try AttributeLayout<PointCloud>(header, counts: [.point: count])
    try plan.add(12 * count, limit: maximumPayloadLength)
    for length in layout.byteCounts { try plan.add(length, limit: maximumPayloadLength) }
    plan.points.append(layout)
    var cloud = PointCloud(name: try header.string("name", default: ""))
    if layout.names.contains("classes") {
      cloud.classes = FaceClasses(labels: [], names: try header.strings("classNames"))
    }
    return cloud
  }

  private func material(
    of header: WireHeader, textureCount: Int
  ) throws(WireError) -> Material {
    let color = try header.numbers("baseColor", 4).map { Float($0) }
    let emissive = try header.numbers("emissive", 3).map { Float($0) }
    func texture(_ key: String) throws(WireError) -> Int? {
      guard header.has(key) else { return nil }
      guard textureCount > 0 else { throw .header("'\(key)' is given, but there are no textures") }
      return try header.count(key, limit: textureCount - 1)
    }
    var material = Material(
      name: try header.string("name", default: ""),
      baseColor: SIMD4(color[0], color[1], color[2], color[3]),
      metallic: Float(try header.number("metallic")),
      roughness: Float(try header.number("roughness")),
      emissive: SIMD3(emissive[0], emissive[1], emissive[2]),
      isDoubleSided: try header.bool("isDoubleSided"),
      isUnlit: header.has("isUnlit") ? try header.bool("isUnlit") : false,
      alphaMode: try alphaMode(of: header))
    for (name, key) in WireFormat.textureNames { material[keyPath: key] = try texture(name) }
    return material
  }

  private func alphaMode(of header: WireHeader) throws(WireError) -> Material.AlphaMode? {
    guard header.has("alphaMode") else { return nil }
    switch try header.string("alphaMode") {
    case "opaque": return .opaque
    case "mask":
      return .mask(
        cutoff: header.has("alphaCutoff") ? Float(try header.number("alphaCutoff")) : 0.5)
    case "blend": return .blend
    default: throw .header("'alphaMode' must be opaque, mask or blend")
    }
  }

  private func frame(of header: WireHeader) throws(WireError) -> Capture.Frame {
    let size = try header.numbers("imageSize", 2)
    guard let width = Int(exactly: size[0]), let height = Int(exactly: size[1]) else {
      throw .header("'imageSize' must be two whole numbers")
    }
    let focal = try header.numbers("focalLength", 2)
    let center = try header.numbers("principalPoint", 2)
    let pose = try header.numbers("pose", 12)
    func column(_ index: Int) -> SIMD3<Double> {
      SIMD3(pose[3 * index], pose[3 * index + 1], pose[3 * index + 2])
    }
    let path = try header.string("imagePath")
    let image: Capture.ImageSource =
      header.has("videoIndex")
      ? .video(path, index: try header.count("videoIndex", limit: Int(UInt32.max))) : .file(path)
    return Capture.Frame(
      name: try header.string("name"), image: image,
      imageSize: SIMD2(width, height),
      intrinsics: Capture.Intrinsics(
        focalLength: SIMD2(focal[0], focal[1]), principalPoint: SIMD2(center[0], center[1])),
      pose: Transform(x: column(0), y: column(1), z: column(2), translation: column(3)))
  }

  // MARK: Arrays, in the order that WireFormat gives

  private func readArrays<Input: WireInput>(
    of scene: inout Scene, plan: Plan, from input: inout Input
  ) throws {
    for (index, layout) in plan.meshes.enumerated() {
      scene.meshes[index].positions = try input.array(.zero, layout.count(of: .vertex))
      scene.meshes[index].indices = try input.array(0, layout.count(of: .corner))
      try AttributeReader.read(layout, of: &scene.meshes[index], from: &input)
      try scene.meshes[index].checkContent(
        materialCount: scene.materials.count, requiresFiniteNumbers: requiresFiniteNumbers)
    }
    for (index, layout) in plan.points.enumerated() {
      scene.pointClouds[index].positions = try input.array(.zero, layout.count(of: .point))
      try AttributeReader.read(layout, of: &scene.pointClouds[index], from: &input)
      try scene.pointClouds[index].checkContent(requiresFiniteNumbers: requiresFiniteNumbers)
    }
    for (index, length) in plan.textures.enumerated() {
      scene.textures[index].bytes = try bytes(length, from: &input)
    }
  }

  private func bytes(_ count: Int, from input: inout some WireInput) throws -> [UInt8] {
    try input.array(0, count)
  }
}

/// Consecutive arrays in memory.
private struct LoadedArrays: WireInput {
  let memory: any WireMemory
  let places: [Int]
  private var next = 0

  init(memory: any WireMemory, places: [Int]) {
    self.memory = memory
    self.places = places
  }

  mutating func read(into buffer: inout MutableRawSpan) throws {
    defer { next += 1 }
    try memory.load(from: places[next], into: &buffer)
  }
}

extension WireDecoder.Plan {
  /// The number of arrays, including empty ones.
  fileprivate var arrayCount: Int {
    meshes.reduce(textures.count) { $0 + 2 + $1.byteCounts.count }
      + points.reduce(0) { $0 + 1 + $1.byteCounts.count }
  }

  /// Adds the bytes of another array, each below 2⁵⁴, so that the sum can't overflow.
  fileprivate mutating func add(_ bytes: Int, limit: Int) throws(WireError) {
    length += bytes
    guard length <= limit else { throw .tooLong(UInt64(length)) }
  }
}

extension [UInt8] {
  fileprivate func littleEndian<Value: FixedWidthInteger>(at offset: Int) -> Value {
    var value: Value = 0
    for index in 0..<Value.bitWidth / 8 {
      value |= Value(truncatingIfNeeded: self[offset + index]) << (8 * index)
    }
    return value
  }
}
