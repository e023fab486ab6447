import MeshPipeline

/// A vertex attribute as meshpipe writes it to glTF; the cases are in the order of the file.
enum GLTFAttribute: CaseIterable {
  case position, normal, textureCoordinates, color, confidence, label

  var name: String {
    switch self {
    case .position: "POSITION"
    case .normal: "NORMAL"
    case .textureCoordinates: "TEXCOORD_0"
    case .color: "COLOR_0"
    case .confidence: "_CONFIDENCE"
    case .label: "_CLASSIFICATION"
    }
  }

  /// The bytes of a vertex, a multiple of four.
  var stride: Int {
    switch self {
    case .position, .normal: 12
    case .textureCoordinates, .color: 8
    case .confidence, .label: 4
    }
  }

  var componentType: GLTFComponentType {
    switch self {
    case .position, .normal, .textureCoordinates, .confidence: .float
    case .color, .label: .unsignedShort
    }
  }

  var shape: String {
    switch self {
    case .position, .normal: "VEC3"
    case .textureCoordinates: "VEC2"
    case .color: "VEC4"
    case .confidence, .label: "SCALAR"
    }
  }

  var isNormalized: Bool { self == .color }
}

enum GLTFComponentType: Double {
  case unsignedShort = 5123
  case unsignedInt = 5125
  case float = 5126
}

extension GLTFMeshLayout {
  /// Appends an attribute of a range of vertices.
  func append(_ attribute: GLTFAttribute, of vertices: Range<Int>, to buffer: inout ByteBuffer) {
    switch attribute {
    case .position: for vertex in vertices { buffer.append(position(of: vertex)) }
    case .normal: for vertex in vertices { buffer.append(normal(of: vertex)) }
    case .textureCoordinates:
      for vertex in vertices { buffer.append(textureCoordinates(of: vertex)) }
    case .color:
      let linear = Self.linear
      for vertex in vertices {
        let color = color(of: vertex)
        buffer.append(linear[Int(color.red)])
        buffer.append(linear[Int(color.green)])
        buffer.append(linear[Int(color.blue)])
        buffer.append(UInt16(color.alpha) * 257)
      }
    case .confidence: for vertex in vertices { buffer.append(confidence(of: vertex)) }
    case .label: for vertex in vertices { buffer.append(UInt32(label(of: vertex))) }
    }
  }

  /// glTF's colours are linear: sixteen bits represent 8-bit sRGB without loss.
  private static let linear = SRGBTable.shared.linear.map { UInt16(($0 * 65535).rounded()) }
}
