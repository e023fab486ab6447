import MeshTestSupport
import NativeLibraries
import Testing
import Workers

@testable import MeshPipeline

struct WireTests {
  /// A scene in which everything occurs that the wire can carry.
  private var fullScene: Scene {
    var cube = MeshFixtures.cube
    cube.normals = cube.positions.map { Vector3(($0.simd - 0.5).normalized) }
    cube.colors = cube.positions.indices.map { Color(red: UInt8($0), green: 2, blue: 3, alpha: 4) }
    cube.confidences = cube.positions.indices.map { Float($0) / 4 }
    cube.textureCoordinates = cube.indices.indices.map { Vector2(Float($0), -1) }
    cube.faceColors = (0..<cube.faceCount).map { Color(red: UInt8($0), green: 1, blue: 2) }
    cube.secondTextureCoordinates = cube.indices.indices.map { Vector2(2, Float($0)) }
    cube.cornerNormals = cube.indices.map { _ in Vector3(0, 0, 1) }
    cube.tangents = cube.indices.indices.map { Tangent(SIMD3(1, 0, Float($0)), w: -1) }
    cube.faceMaterials = (0..<12).map { $0 % 2 }
    cube.addCustomAttributes()
    cube.classes = FaceClasses(
      labels: (0..<12).map { $0 % 3 }, names: ["none", "wall", "Ä \"x\"\n"])
    var cloud = PointCloud(name: "points", positions: [Vector3(1, 2, 3), Vector3(4, 5, 6)])
    cloud.normals = [Vector3(0, 1, 0), Vector3(1, 0, 0)]
    cloud.colors = [.white, Color(red: 1, green: 2, blue: 3)]
    cloud.confidences = [0, 2]
    cloud.classes = FaceClasses(labels: [1, 7])
    let frame = Capture.Frame(
      name: "0", image: .file("a/b.jpg"), imageSize: SIMD2(1920, 1440),
      intrinsics: .init(focalLength: SIMD2(1400.5, 1401), principalPoint: SIMD2(960, 720)),
      pose: Transform(translation: SIMD3(0.1, 0.2, 0.3)))
    var scene = Scene(
      name: "all", meshes: [cube, MeshFixtures.grid(columns: 2, rows: 3), Mesh(name: "empty")],
      pointClouds: [cloud],
      materials: [
        Material(name: "plain"),
        Material(
          name: "rich", baseColor: SIMD4(0.1, 0.2, 0.3, 0.4), metallic: 0.5, roughness: 0.6,
          emissive: SIMD3(1, 2, 3), isDoubleSided: true, baseColorTexture: 0, normalTexture: 1,
          isUnlit: true),
        Material(
          name: "packed", occlusionTexture: 1, metallicRoughnessTexture: 1, emissiveTexture: 0,
          alphaMode: .mask(cutoff: 0.25)),
      ],
      textures: [
        Texture(fileName: "a.png", encoding: .png, bytes: [1, 2, 3]),
        Texture(fileName: "b.jpg", encoding: .jpeg, bytes: []),
      ],
      capture: Capture(frames: [frame]),
      coordinateSystem: CoordinateSystem(
        up: .z, forward: .negativeX, handedness: .left, metersPerUnit: 0.001))
    scene.origin = SIMD3(392_000_000, -5_820_000_000, 0.1)
    scene.survey = survey
    return scene
  }

  private var survey: Survey {
    var system = ReferenceSystem()
    (system.code, system.name) = ("EPSG:2263", "NAD83 / New York \"Ä\"")
    (system.horizontalUnit, system.verticalUnit) = (1200.0 / 3937, 1)
    system.isLeft = true
    system.records = [0, 1, 2, 3].map { length in
      .init(user: "LASF_Projection", id: 2112, title: "WKT", body: (0..<length).map { 250 + $0 })
    }
    var survey = Survey()
    survey.referenceSystem = system
    survey.lattice = .init(step: SIMD3(0.001, -0.01, 1.0 / 3), offset: SIMD3(1e7, 0, -0.1))
    survey.classCodes = ["wall": 6, "Ä": 255]
    survey.unclassifiedCode = 0
    survey.hasStandardTime = false
    survey.sourceID = 65_535
    survey.systemName = "Ä"
    return survey
  }

  private func bytes(of message: WireMessage) throws -> [UInt8] {
    var bytes = ByteSink()
    try WireEncoder.write(message, to: &bytes)
    return bytes.bytes
  }

  private func decode(_ bytes: [UInt8], limit: Int = 1 << 20) throws -> WireMessage {
    var source = ByteSource(bytes: bytes)
    return try WireDecoder(maximumPayloadLength: limit).read(from: &source)
  }

  @Test(arguments: [
    WireMessage.hello(WireHello(protocolVersion: 1, name: "Ä", version: "1.0")),
    .hello(
      WireHello(
        protocolVersion: 1, name: "a", version: "1", sharing: .offered(descriptor: 3, bytes: 9))),
    .hello(WireHello(protocolVersion: 1, name: "b", version: "2", sharing: .accepted)),
    .hello(WireHello(protocolVersion: 1, name: "c", version: "2", takesCustomAttributes: true)),
    .hello(WireHello(protocolVersion: 1, name: "d", version: "2", attributes: ["tangents"])),
    .progress(0.25), .log("a\nb"), .warning("hm"), .failure(exitCode: .temporary, message: "no"),
    .report(key: "error", value: ["max": 0.5, "names": ["a"]]), .done,
  ])
  func `a message without arrays comes back as it went`(message: WireMessage) throws {
    #expect(try decode(bytes(of: message)) == message)
  }

  @Test func `a task comes back with its scene`() throws {
    let task = WireTask(
      stage: "smooth", parameters: [.init("passes", 3), .init("names", ["a", "b"])], seed: 7)
    let message = WireMessage.run(task, WireScene(fullScene))
    #expect(try decode(bytes(of: message)) == message)
  }

  @Test func `what is to be read or written comes back as it went`() throws {
    let file = WireFile(format: "xyz", path: "/a b/c.xyz")
    for message in [WireMessage.read(file), .write(file, WireScene(fullScene))] {
      #expect(try decode(bytes(of: message)) == message)
    }
  }

  @Test func `a scene comes back as it went`() throws {
    let message = WireMessage.scene(
      WireScene(fullScene, openedFiles: ["/a b/c.mtl"], warnings: ["hm, 1 \"thing\""]))
    #expect(try decode(bytes(of: message)) == message)
  }

  @Test func `a scene on a map, on none, and nearly without a survey comes back as it went`() throws
  {
    var system = ReferenceSystem()
    system.code = "EPSG:25833"
    var onMap = Survey()
    onMap.referenceSystem = system
    for survey in [nil, Survey(), onMap] {
      var scene = Scene()
      scene.survey = survey
      let message = WireMessage.scene(WireScene(scene))
      #expect(try decode(bytes(of: message)) == message)
      let text = String(decoding: try bytes(of: message), as: UTF8.self)
      #expect(text.contains("survey") == (survey != nil))
      #expect(text.contains("referenceSystem") == (survey?.referenceSystem != nil))
    }
  }

  @Test func `arrays come back through memory that both sides see`() throws {
    let message = WireMessage.scene(WireScene(fullScene))
    let memory = ByteMemory(limit: 1 << 20)
    var bytes = ByteSink()
    try WireEncoder.write(message, to: &bytes, memory: memory)
    #expect(memory.bytes.count == WireEncoder.payloadLength(of: fullScene))
    #expect(bytes.bytes.count < memory.bytes.count + (try self.bytes(of: message)).count)
    var source = ByteSource(bytes: bytes.bytes)
    #expect(try WireDecoder(memory: memory).read(from: &source) == message)
    #expect(source.position == bytes.bytes.count)
    #expect(throws: WireError.header("'shared' was not negotiated")) { try decode(bytes.bytes) }

    // Where there is no room they go through the stream.
    bytes = ByteSink()
    try WireEncoder.write(message, to: &bytes, memory: ByteMemory(limit: 1000))
    #expect(try decode(bytes.bytes) == message)
  }

  @Test(arguments: [
    ("[0]", 0, "the header is invalid: 'shared' has 1 offsets for 2 arrays"),
    ("[0, 36, 0]", 0, "the header is invalid: 'shared' has 3 offsets for 2 arrays"),
    ("[0, -1]", 0, "the header is invalid: 'shared' must be whole numbers"),
    ("[0, 0.5]", 0, "the header is invalid: 'shared' must be whole numbers"),
    ("true", 0, "the header is invalid: 'shared' must be whole numbers"),
    ("[0, 9000000000000000]", 0, "the message is truncated"),
    ("[0, 40]", 0, "the message is truncated"),
    ("[0, 36]", 48, "the header names 0 bytes of arrays, the frame 48"),
  ])
  func `places in memory that can't be are refused`(
    shared: String, payload: UInt64, words: String
  ) throws {
    let memory = ByteMemory(limit: 48)
    _ = memory.store([UInt8](repeating: 0, count: 48).span.bytes)
    let header = scene(#""meshes":[{"vertices":3,"faces":1}],"shared":\#(shared)"#)
    var source = ByteSource(bytes: message(header, payload: payload))
    let error = try #require(throws: WireError.self) {
      try WireDecoder(memory: memory).read(from: &source)
    }
    #expect(error.message.hasPrefix(words), "\(error.message)")
  }

  @Test func `the other kinds come back as they went`() throws {
    for message in [WireMessage.done, .failure(exitCode: .data, message: "it's \"broken\"\n")] {
      #expect(try decode(bytes(of: message)) == message)
    }
  }

  @Test func `every truncation is an error`() throws {
    let whole = try bytes(of: .scene(WireScene(fullScene)))
    for length in stride(from: 0, to: whole.count, by: 61) {
      #expect(throws: WireError.truncated) { try decode(Array(whole[..<length])) }
    }
  }

  @Test func `flipped bits give a valid scene or an error`() throws {
    let whole = try bytes(of: .scene(WireScene(fullScene)))
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<150 {
      var damaged = whole
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        damaged[Int.random(in: 0..<whole.count, using: &generator)] ^=
          1 << UInt8.random(in: 0..<8, using: &generator)
      }
      guard case .scene(let content)? = try? decode(damaged) else { continue }
      for mesh in content.scene.meshes {
        #expect(throws: Never.self) {
          try mesh.validate(materialCount: content.scene.materials.count)
        }
      }
    }
  }

  @Test func `random bytes behind a valid frame are an error`() throws {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<100 {
      var bytes = WireFormat.magic + [1, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
      for _ in 0..<40 { bytes.append(UInt8.random(in: 32..<127, using: &generator)) }
      #expect(throws: WireError.self) { try decode(bytes) }
    }
  }

  /// A message made by hand, with as many zero bytes of arrays as it says.
  private func message(_ header: String, payload: UInt64, version: UInt8 = 1) -> [UInt8] {
    let text = Array(header.utf8)
    var bytes = WireFormat.magic + [version, 0, 0, 0]
    bytes += [UInt8(text.count & 255), UInt8(text.count >> 8), 0, 0]
    bytes += (0..<8).map { UInt8(payload >> (8 * $0) & 255) } + text
    return bytes + [UInt8](repeating: 0, count: Int(min(payload, 1 << 12)))
  }

  private func scene(_ rest: String) -> String {
    """
    {"kind":"scene","coordinateSystem":{"up":"y","forward":"-z","handedness":"right",\
    "metersPerUnit":1},\(rest)}
    """
  }

  @Test func `a promise of billions of vertices is refused before anything is allocated`() {
    let header = scene(#""meshes":[{"vertices":4000000000,"faces":4000000000}]"#)
    #expect(throws: WireError.tooLong(96_000_000_000)) {
      try decode(message(header, payload: 96_000_000_000))
    }
    #expect(throws: WireError.tooLong(96_000_000_000)) { try decode(message(header, payload: 12)) }
  }

  @Test func `arrays that do not add up are refused`() {
    let header = scene(#""meshes":[{"vertices":3,"faces":1}]"#)
    #expect(throws: WireError.lengthMismatch(named: 48, framed: 47)) {
      try decode(message(header, payload: 47))
    }
  }

  @Test func `an index beyond the vertices is refused`() {
    let header = scene(#""meshes":[{"name":"m","vertices":0,"faces":1}]"#)
    #expect(
      throws: WireError.content(
        "mesh 'm': face 0 refers to vertex 0, but there are 0 vertices")
    ) { try decode(message(header, payload: 12)) }
  }

  @Test(arguments: [
    (#"{"kind":"tale"}"#, "'kind' has the unknown value 'tale'"),
    (#"{"kind":"scene"}"#, "'coordinateSystem' must be an object, but is nothing"),
    (#"[]"#, "it is not an object"),
    (#"{"kind":"failure","exitCode":4,"message":""}"#, "'exitCode' has the unknown value 4"),
  ])
  func `a header that says nonsense is refused`(header: String, reason: String) {
    #expect(throws: WireError.header(reason)) { try decode(message(header, payload: 0)) }
  }

  @Test(arguments: [
    (
      #""meshes":[{"vertices":1.5,"faces":0}]"#,
      "'meshes[0].vertices' must be a whole number from 0 to 4294967295, but is a number"
    ),
    (
      #""meshes":[{"vertices":0,"faces":0,"attributes":["smell"]}]"#,
      "unknown attribute 'smell'"
    ),
    (
      #""meshes":[{"vertices":0,"faces":0,"attributes":["normals","normals"]}]"#,
      "the attribute 'normals' is named twice"
    ),
    (
      #""meshes":[{"vertices":0,"faces":0,"customAttributes":[{"name":"a","per":"point","type":"int8"}]}]"#,
      "the custom attribute 'a' has an impossible 'per' or 'width'"
    ),
    (
      #""meshes":[{"vertices":0,"faces":0,"customAttributes":[{"name":"a","per":"face","type":"int8","width":0}]}]"#,
      "the custom attribute 'a' has an impossible 'per' or 'width'"
    ),
    (
      #""pointClouds":[{"points":0,"customAttributes":[{"name":"a","per":"point","type":"int8"},{"name":"a","per":"point","type":"int16"}]}],"meshes":[]"#,
      "the custom attribute 'a' is named twice"
    ),
    (#""meshes":[7]"#, "'meshes' must be a list of objects, but is an array"),
    (#""meshes":[],"origin":[NaN,0,0]"#, "unknown word 'NaN'; a string needs double quotes"),
    (#""meshes":[],"origin":["1",0,0]"#, "'origin' must be 3 numbers, but is an array"),
    (#""meshes":[],"origin":[1,0]"#, "'origin' must be 3 numbers, but is an array"),
    (
      #""meshes":[],"origin":[0,-1e39,0]"#,
      "'origin' is beyond all places: single precision can't have it"
    ),
    (
      #""meshes":[],"referenceSystem":"EPSG:25833""#,
      "'referenceSystem' must be an object, but is a string"
    ),
    (
      #""meshes":[],"referenceSystem":{"code":25833}"#,
      "'referenceSystem.code' must be a string, but is a number"
    ),
    (
      #""meshes":[],"referenceSystem":{"verticalUnit":0}"#,
      "'referenceSystem.verticalUnit' must be a length from 1e-6 to 1e6 m, but is a number"
    ),
    (
      #""meshes":[],"referenceSystem":{"records":[{"user":"a","id":1,"base64":"?"}]}"#,
      "'referenceSystem.records[0].base64' must be bytes in base 64, but is a string"
    ),
    (
      #""meshes":[],"referenceSystem":{"records":[{"user":"a","id":65536,"base64":""}]}"#,
      "'referenceSystem.records[0].id' must be a whole number from 0 to 65535, but is a number"
    ),
    (
      #""meshes":[],"survey":{"steps":[1,0,1],"offset":[0,0,0]}"#,
      "'survey.steps' must be numbers other than 0"
    ),
    (
      #""meshes":[],"survey":{"steps":[1,1,1]}"#,
      "'survey.offset' must be 3 numbers, but is nothing"
    ),
    (
      #""meshes":[],"survey":{"classCodes":{"wall":256}}"#,
      "'survey.classCodes' must be whole numbers from 0 to 255 by names, but is an object"
    ),
    (
      #""meshes":[],"survey":{"unclassifiedCode":2}"#,
      "'survey.unclassifiedCode' must be a whole number from 0 to 1, but is a number"
    ),
  ])
  func `a scene that says nonsense is refused`(rest: String, reason: String) {
    #expect(throws: WireError.header(reason)) { try decode(message(scene(rest), payload: 0)) }
  }

  @Test func `another version is refused`() {
    #expect(throws: WireError.version(2, known: 1)) {
      try decode(message(#"{"kind":"done"}"#, payload: 0, version: 2))
    }
  }

  @Test func `numbers that are not finite are refused where they are not expected`() throws {
    let mesh = Mesh(name: "m", positions: [Vector3(.nan, 0, 0)])
    let message = WireMessage.scene(WireScene(Scene(meshes: [mesh])))
    let bytes = try bytes(of: message)
    #expect(throws: WireError.content("mesh 'm' has non-finite numbers")) {
      try decode(bytes)
    }
    var source = ByteSource(bytes: bytes)
    let decoded = try WireDecoder(requiresFiniteNumbers: false).read(from: &source)
    guard case .scene(let content) = decoded else { return #expect(Bool(false)) }
    #expect(content.scene.meshes[0].positions[0].x.isNaN)
  }
}

/// Memory that both ends of a wire see.
private final class ByteMemory: WireMemory {
  private(set) var bytes: [UInt8] = []
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  func store(_ span: RawSpan) -> Int? {
    guard bytes.count + span.byteCount <= limit else { return nil }
    defer { span.withUnsafeBytes { bytes += $0 } }
    return bytes.count
  }

  func load(from offset: Int, into buffer: inout MutableRawSpan) throws {
    let count = buffer.byteCount
    guard offset <= bytes.count, count <= bytes.count - offset else { throw WireError.truncated }
    buffer.withUnsafeMutableBytes { $0.copyBytes(from: bytes[offset..<offset + count]) }
  }
}
