import MeshPipeline

/// A vertex attribute as meshpipe writes it to glTF.
enum GLTFAttribute: Equatable {
  case position, normal, textureCoordinates, color, confidence, label
  /// One of ``GLTFMeshLayout/customAttributes``.
  case custom(Int)
}

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

  var size: Int {
    switch self {
    case .byte, .unsignedByte: 1
    case .short, .unsignedShort: 2
    case .unsignedInt, .float: 4
    }
  }
}

extension GLTFMeshLayout {
  /// The arrays of a mesh or a point cloud.
  struct Source {
    var vertices: PointCloud
    var cornerNormals: [Vector3]?
    var textureCoordinates: [Vector2]?
    var labels: [UInt16]?

    /// What each vertex has besides custom attributes, in the order of the file.
    var attributes: [GLTFAttribute] {
      let present: [(GLTFAttribute, Bool)] = [
        (.position, true), (.normal, vertices.normals != nil || cornerNormals != nil),
        (.textureCoordinates, textureCoordinates != nil), (.color, vertices.colors != nil),
        (.confidence, vertices.confidences != nil), (.label, labels != nil),
      ]
      return present.filter(\.1).map(\.0)
    }
  }

  /// What the attribute is in the file.
  func form(of attribute: GLTFAttribute) -> GLTFAttributeForm {
    switch attribute {
    case .position: GLTFAttributeForm(name: "POSITION", componentType: .float, width: 3)
    case .normal: GLTFAttributeForm(name: "NORMAL", componentType: .float, width: 3)
    case .textureCoordinates:
      GLTFAttributeForm(name: "TEXCOORD_0", componentType: .float, width: 2)
    case .color:
      GLTFAttributeForm(
        name: "COLOR_0", componentType: .unsignedShort, width: 4, isNormalized: true)
    case .confidence: GLTFAttributeForm(name: "_CONFIDENCE", componentType: .float, width: 1)
    case .label:
      GLTFAttributeForm(name: "_CLASSIFICATION", componentType: .unsignedShort, width: 1)
    case .custom(let number): customAttributes[number].form
    }
  }

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
    case .custom(let number):
      let attribute = customAttributes[number]
      for vertex in vertices {
        attribute.append(
          element: attribute.isOfCorners ? corner(of: vertex) : sourceVertex(of: vertex),
          to: &buffer)
      }
    }
  }

  /// glTF's colours are linear: sixteen bits represent 8-bit sRGB without loss.
  private static let linear = SRGBTable.shared.linear.map { UInt16(($0 * 65535).rounded()) }

  /// A unit normal in any case, since glTF allows no others.
  private func normal(of vertex: Int) -> Vector3 {
    let normal: Vector3
    if let cornerNormals = source.cornerNormals, let split {
      normal = cornerNormals[Int(split.corners[vertex])]
    } else {
      normal = source.vertices.normals?[sourceVertex(of: vertex)] ?? .zero
    }
    let lengthSquared = normal.simd.lengthSquared
    if abs(lengthSquared - 1) < 1e-3 { return normal }
    let unit = normal.simd.normalized
    return unit == .zero ? Vector3(0, 1, 0) : Vector3(unit)
  }

  /// Texture coordinates in glTF's convention, from the upper left corner.
  private func textureCoordinates(of vertex: Int) -> Vector2 {
    guard let all = source.textureCoordinates, let split else { return .zero }
    let place = all[Int(split.corners[vertex])]
    return place.isFinite ? Vector2(place.x, 1 - place.y) : .zero
  }

  private func color(of vertex: Int) -> Color {
    source.vertices.colors?[sourceVertex(of: vertex)] ?? .white
  }
  private func confidence(of vertex: Int) -> Float {
    source.vertices.confidences?[sourceVertex(of: vertex)] ?? 0
  }
  private func label(of vertex: Int) -> UInt16 { source.labels?[sourceVertex(of: vertex)] ?? 0 }
}
