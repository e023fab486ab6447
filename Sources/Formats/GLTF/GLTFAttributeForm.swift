import MeshPipeline

/// The form of an attribute in a glTF file.
struct GLTFAttributeForm {
  var name: String
  var componentType: GLTFComponentType
  /// The number of components.
  var width: Int
  var isNormalized = false

  var shape: String { width == 1 ? "SCALAR" : "VEC\(width)" }

  /// The bytes of a vertex, a multiple of four.
  var stride: Int { paddedToFour(width * componentType.size) }
}

enum GLTFComponentType: Double {
  case byte = 5120
  case unsignedByte = 5121
  case short = 5122
  case unsignedShort = 5123
  case unsignedInt = 5125
  case float = 5126

  var size: Int { numberType.size }

  var numberType: NumberType {
    switch self {
    case .byte: .int8
    case .unsignedByte: .uint8
    case .short: .int16
    case .unsignedShort: .uint16
    case .unsignedInt: .uint32
    case .float: .float32
    }
  }
}
