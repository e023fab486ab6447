import MeshPipeline
import MeshpipeBase
package import MeshpipeScene
package import NativeLibraries

/// Writes messages: see ``WireFormat``.
package enum WireEncoder {
  /// Writes one message.
  ///
  /// - Parameter memory: Shared memory for its arrays, if there is enough room.
  package static func write(
    _ message: WireMessage, to output: inout some WireOutput, memory: (any WireMemory)? = nil
  ) throws {
    switch message {
    case .scene(let content): try write(content, kind: ["kind": "scene"], to: &output, memory)
    case .run(let task, let content):
      let kind: JSONValue = [
        "kind": "run", "stage": JSONValue(.string(task.stage)),
        "parameters": JSONValue(.object(task.parameters)), "seed": task.seed.json,
      ]
      try write(content, kind: kind, to: &output, memory)
    case .read(let file): try frame(header(of: file, kind: "read"), payload: 0, to: &output)
    case .write(let file, let content):
      try write(content, kind: header(of: file, kind: "write"), to: &output, memory)
    case .failure(let exitCode, let text):
      let header: JSONValue = [
        "kind": "failure", "exitCode": JSONValue(.number(Double(exitCode.rawValue))),
        "message": JSONValue(.string(text)),
      ]
      try frame(header, payload: 0, to: &output)
    case .done: try frame(["kind": "done"], payload: 0, to: &output)
    case .hello(let hello):
      try frame(header(of: hello), payload: 0, to: &output)
    case .progress(let fraction):
      try frame(["kind": "progress", "fraction": fraction.json], payload: 0, to: &output)
    case .log(let text):
      try frame(["kind": "log", "message": JSONValue(.string(text))], payload: 0, to: &output)
    case .warning(let text):
      try frame(["kind": "warning", "message": JSONValue(.string(text))], payload: 0, to: &output)
    case .report(let key, let value):
      let header: JSONValue = ["kind": "report", "key": JSONValue(.string(key)), "value": value]
      try frame(header, payload: 0, to: &output)
    }
  }

  private static func write(
    _ content: WireScene, kind: JSONValue, to output: inout some WireOutput,
    _ memory: (any WireMemory)?
  ) throws {
    guard case .object(let first) = kind.content else { return }
    let members = first + members(of: content)
    if let memory {
      var stored = StoredArrays(memory: memory)
      try writeArrays(of: content.scene, to: &stored)
      if let places = stored.places {
        return try frame(
          JSONValue(.object(members + [.init("shared", places.json)])), payload: 0, to: &output)
      }
    }
    try frame(
      JSONValue(.object(members)), payload: payloadLength(of: content.scene), to: &output)
    try writeArrays(of: content.scene, to: &output)
  }

  private static func header(of file: WireFile, kind: String) -> JSONValue {
    [
      "kind": JSONValue(.string(kind)), "format": JSONValue(.string(file.format)),
      "path": JSONValue(.string(file.path)),
    ]
  }

  private static func frame(
    _ header: JSONValue, payload: Int, to output: inout some WireOutput
  ) throws {
    let text = Array(header.compactText.utf8)
    guard text.count <= WireFormat.maximumHeaderLength else {
      throw WireError.headerTooLong(UInt32(clamping: text.count))
    }
    var bytes = WireFormat.magic
    bytes.appendLittleEndian(WireFormat.version)
    bytes.appendLittleEndian(UInt32(text.count))
    bytes.appendLittleEndian(UInt64(payload))
    bytes += text
    unsafe try output.write(bytes.span.bytes)
  }

  // MARK: Arrays, in the order that WireFormat gives

  private static func writeArrays<Output: WireOutput>(
    of scene: Scene, to output: inout Output
  ) throws {
    for mesh in scene.meshes {
      try output.write(mesh.positions)
      try output.write(mesh.indices)
      try AttributeWriter.write(mesh, to: &output)
    }
    for cloud in scene.pointClouds {
      try output.write(cloud.positions)
      try AttributeWriter.write(cloud, to: &output)
    }
    for texture in scene.textures { try output.write(texture.bytes) }
  }

  /// The bytes of all arrays of a scene.
  package static func payloadLength(of scene: Scene) -> Int {
    var length = 0
    for mesh in scene.meshes {
      length += 12 * mesh.vertexCount + 4 * mesh.cornerCount + mesh.attributeByteCount
    }
    for cloud in scene.pointClouds {
      length += 12 * cloud.positions.count + cloud.attributeByteCount
    }
    return scene.textures.reduce(length) { $0 + $1.bytes.count }
  }

  // MARK: Header

  private static func header(of hello: WireHello) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("kind", "hello"), .init("protocol", hello.protocolVersion.json),
      .init("name", JSONValue(.string(hello.name))),
      .init("version", JSONValue(.string(hello.version))),
    ]
    switch hello.sharing {
    case .none: break
    case .accepted: members.append(.init("sharedMemory", JSONValue(.bool(true))))
    case .offered(let descriptor, let bytes):
      let offer: JSONValue = ["descriptor": descriptor.json, "bytes": bytes.json]
      members.append(.init("sharedMemory", offer))
    }
    if hello.takesCustomAttributes { members.append(.init("customAttributes", true)) }
    if hello.attributes != WireHello.firstAttributes {
      members.append(.init("attributes", hello.attributes.sorted().json))
    }
    return JSONValue(.object(members))
  }

  private static func members(of content: WireScene) -> [JSONValue.Member] {
    let scene = content.scene
    let system = scene.coordinateSystem
    // First, where it is found without reading on.
    var members = content.provenance.map { [JSONValue.Member(Provenance.key, $0.json)] } ?? []
    members += [
      .init("name", JSONValue(.string(scene.name))),
      .init(
        "coordinateSystem",
        [
          "up": JSONValue(.string(system.up.rawValue)),
          "forward": JSONValue(.string(system.forward.rawValue)),
          "handedness": JSONValue(.string(system.handedness.rawValue)),
          "metersPerUnit": JSONValue(.number(system.metersPerUnit)),
        ]),
      .init("meshes", JSONValue(.array(scene.meshes.map(header(of:))))),
      .init("pointClouds", JSONValue(.array(scene.pointClouds.map(header(of:))))),
      .init("materials", JSONValue(.array(scene.materials.map(header(of:))))),
      .init("textures", JSONValue(.array(scene.textures.map(header(of:))))),
      .init("openedFiles", content.openedFiles.json),
      .init("warnings", content.warnings.json),
    ]
    if content.hasOrigin || scene.origin != .zero {
      members.append(.init("origin", (0..<3).map { scene.origin[$0] }.json))
    }
    members += scene.survey?.wireMembers ?? []
    if let checkpoint = content.checkpoint { members.append(.init("checkpoint", checkpoint)) }
    if let capture = scene.capture {
      members.append(.init("frames", JSONValue(.array(capture.frames.map(header(of:))))))
    }
    return members
  }

  private static func header(of mesh: Mesh) -> JSONValue {
    let members: [JSONValue.Member] = [
      .init("name", JSONValue(.string(mesh.name))), .init("vertices", mesh.vertexCount.json),
      .init("faces", mesh.faceCount.json),
    ]
    return JSONValue(.object(members + attributeMembers(of: mesh, mesh.classes)))
  }

  private static func header(of cloud: PointCloud) -> JSONValue {
    let members: [JSONValue.Member] = [
      .init("name", JSONValue(.string(cloud.name))), .init("points", cloud.positions.count.json),
    ]
    return JSONValue(.object(members + attributeMembers(of: cloud, cloud.classes)))
  }

  private static func attributeMembers(
    of owner: some AttributeOwner, _ classes: FaceClasses?
  ) -> [JSONValue.Member] {
    owner.attributeMembers + [.init("classNames", (classes?.names ?? []).json)]
  }

  private static func header(of material: Material) -> JSONValue {
    let color = material.baseColor
    let emissive = material.emissive
    var members: [JSONValue.Member] = [
      .init("name", JSONValue(.string(material.name))),
      .init("baseColor", [color.x, color.y, color.z, color.w].map(Double.init).json),
      .init("metallic", JSONValue(.number(Double(material.metallic)))),
      .init("roughness", JSONValue(.number(Double(material.roughness)))),
      .init("emissive", [emissive.x, emissive.y, emissive.z].map(Double.init).json),
      .init("isDoubleSided", JSONValue(.bool(material.isDoubleSided))),
    ]
    if material.isUnlit { members.append(.init("isUnlit", true)) }
    switch material.alphaMode {
    case .opaque: break
    case .mask(let cutoff):
      members.append(.init("alphaMode", "mask"))
      members.append(.init("alphaCutoff", JSONValue(.number(Double(cutoff)))))
    case .blend: members.append(.init("alphaMode", "blend"))
    }
    for (name, key) in WireFormat.textureNames {
      if let texture = material[keyPath: key] { members.append(.init(name, texture.json)) }
    }
    return JSONValue(.object(members))
  }

  private static func header(of texture: Texture) -> JSONValue {
    [
      "fileName": JSONValue(.string(texture.fileName)),
      "encoding": JSONValue(.string(texture.encoding.rawValue)),
      "bytes": texture.bytes.count.json,
    ]
  }

  private static func header(of frame: Capture.Frame) -> JSONValue {
    let (size, pose) = (frame.imageSize, frame.pose)
    let (focal, center) = (frame.intrinsics.focalLength, frame.intrinsics.principalPoint)
    let columns = [pose.x, pose.y, pose.z, pose.translation]
    var members: [JSONValue.Member] = [
      .init("name", JSONValue(.string(frame.name))),
      .init("imagePath", JSONValue(.string(frame.image.path))),
      .init("imageSize", [Double(size.x), Double(size.y)].json),
      .init("focalLength", [focal.x, focal.y].json),
      .init("principalPoint", [center.x, center.y].json),
      .init("pose", columns.flatMap { [$0.x, $0.y, $0.z] }.json),
    ]
    if case .video(_, let index) = frame.image { members.append(.init("videoIndex", index.json)) }
    return JSONValue(.object(members))
  }
}

extension [UInt8] {
  fileprivate mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
    for index in 0..<value.bitWidth / 8 {
      append(UInt8(truncatingIfNeeded: value >> (8 * index)))
    }
  }
}

/// Puts consecutive arrays into shared memory.
private struct StoredArrays: WireOutput {
  var memory: any WireMemory
  /// The offsets of the arrays; nil if one of them did not fit.
  var places: [Int]? = []

  mutating func write(_ bytes: RawSpan) throws {
    guard places != nil else { return }
    if let place = try memory.store(bytes) { places?.append(place) } else { places = nil }
  }
}
