import MeshPipeline
import NativeLibraries

/// What a written file says of extensions.
extension GLTFDocument {
  /// The extensions that the file uses, and whether it can't be read without them.
  private var extensions: [(name: String, isRequired: Bool)] {
    let isTransformed = textureGrid != nil && !textures.isEmpty
    let pictures = Set(
      textures.compactMap { GLTFExtensions.name(ofTexture: scene.textures[$0].encoding) })
    let others: [(name: String, isUsed: Bool, isRequired: Bool)] = [
      (
        GLTFExtensions.emissiveStrength, materials.contains { $0.material.emissive.max() > 1 },
        false
      ),
      ("KHR_materials_unlit", materials.contains { $0.material.isUnlit }, false),
      ("KHR_mesh_quantization", meshes.contains { $0.needsQuantization }, true),
      ("KHR_texture_transform", isTransformed, true),
      (GLTFLevels.extensionName, levels.counts.count > 1, false),
      (GLTFCompressedView.name, buffer.decodedLength > 0, true),
      (GLTFDracoPrimitive.name, meshes.contains { $0.draco != nil }, true),
    ]
    return pictures.sorted().map { ($0, true) }
      + others.filter(\.isUsed).map { ($0.name, $0.isRequired) }
  }

  var extensionMembers: [JSONValue.Member] {
    func list(_ names: [String]) -> JSONValue {
      JSONValue(.array(names.map { JSONValue(.string($0)) }))
    }
    let required = extensions.filter(\.isRequired).map(\.name)
    let used = extensions.map(\.name)
    return (used.isEmpty ? [] : [.init("extensionsUsed", list(used))])
      + (required.isEmpty ? [] : [.init("extensionsRequired", list(required))])
  }

  /// The buffer of what compressed views become, which has no data; empty without compression.
  var decodedBuffers: [JSONValue] {
    guard buffer.decodedLength > 0 else { return [] }
    return [
      [
        "byteLength": JSONValue(.number(Double(buffer.decodedLength))),
        "extensions": [GLTFCompressedView.name: ["fallback": true]],
      ]
    ]
  }
}

extension GLTFMeshLayout {
  /// Whether an attribute has a form that glTF itself doesn't allow.
  var needsQuantization: Bool {
    attributes.contains { attribute in
      guard let form = quantization?.form(of: attribute) else { return false }
      return switch attribute {
      case .position, .normal, .tangent: true
      case .textureCoordinates, .secondTextureCoordinates: !form.isNormalized
      default: false
      }
    }
  }
}

extension GLTFPositionGrid {
  /// What turns steps into positions, as a part of a node.
  var nodeMembers: [JSONValue.Member] {
    let scale = JSONValue(.number(step))
    return [
      .init(
        "translation",
        JSONValue(.array([origin.x, origin.y, origin.z].map { JSONValue(.number($0)) }))),
      .init("scale", [scale, scale, scale]),
    ]
  }
}

extension GLTFTextureGrid {
  /// What turns steps into texture coordinates, as a part of a reference to a texture.
  var referenceMember: JSONValue.Member {
    let scale = JSONValue(.number(step))
    var members = [JSONValue.Member("scale", [scale, scale])]
    if origin != .zero {
      let offset = [origin.x, origin.y].map { JSONValue(.number($0)) }
      members.insert(.init("offset", JSONValue(.array(offset))), at: 0)
    }
    return .init("extensions", ["KHR_texture_transform": JSONValue(.object(members))])
  }
}

extension GLTFStream {
  /// The extension of a buffer view whose bytes are at an offset of the first buffer.
  func viewMember(at offset: Int) -> JSONValue.Member {
    func number(_ value: Int) -> JSONValue { JSONValue(.number(Double(value))) }
    var members: [JSONValue.Member] = [
      .init("buffer", 0), .init("byteOffset", number(offset)),
      .init("byteLength", number(bytes.count)), .init("byteStride", number(stride)),
      .init("count", number(count)), .init("mode", JSONValue(.string(mode.rawValue))),
    ]
    if filter != .none { members.append(.init("filter", JSONValue(.string(filter.rawValue)))) }
    return .init("extensions", [GLTFCompressedView.name: JSONValue(.object(members))])
  }
}
