import MeshPipeline
import NativeLibraries

/// The attributes of a Draco file that have a meaning here, for each of its points.
struct DracoColumns {
  /// Nil without positions.
  private(set) var points: PointCloud?
  /// Attributes that become those of corners, with a value for each point.
  private(set) var ofCorners = Mesh()
  /// What was left out or changed.
  private(set) var remarks: [String] = []

  /// - Throws: ``DracoMesh/Failure``.
  init(_ mesh: DracoMesh) throws {
    var cloud = PointCloud()
    var hasPositions = false
    var leftOut = 0
    for attribute in try mesh.attributes() {
      switch attribute.kind {
      case .position where !hasPositions && attribute.width == 3:
        cloud.positions = try Self.rows(of: attribute, in: mesh) { Vector3($0.x, $0.y, $0.z) }
        hasPositions = true
        if attribute.size == 8 { remarks.append("positions are read in single precision") }
      case .normal where cloud.normals == nil && attribute.width == 3:
        cloud.normals = try Self.rows(of: attribute, in: mesh) {
          Vector3(SIMD3($0.x, $0.y, $0.z).normalized)
        }
      case .color where cloud.colors == nil && (1...4).contains(attribute.width):
        try readColors(attribute, in: mesh, into: &cloud)
      case .textureCoordinate where attribute.width == 2:
        let places = { try Self.rows(of: attribute, in: mesh) { Vector2($0.x, $0.y) } }
        if ofCorners.textureCoordinates == nil {
          ofCorners.textureCoordinates = try places()
        } else if ofCorners.secondTextureCoordinates == nil {
          ofCorners.secondTextureCoordinates = try places()
        } else {
          leftOut += 1
        }
      default: leftOut += 1
      }
    }
    if leftOut > 0 {
      remarks.append("attributes without a meaning here are left out (\(leftOut))")
    }
    if mesh.triangles.isEmpty, ofCorners.textureCoordinates != nil {
      remarks.append("texture coordinates of points are left out")
    }
    if hasPositions { points = cloud }
  }

  /// The first components of each value, the others 0.
  private static func rows<Value>(
    of attribute: DracoMesh.Attribute, in mesh: DracoMesh, _ make: (SIMD4<Float>) -> Value
  ) throws -> [Value] {
    let width = attribute.width
    let floats = try mesh.numbers(ofAttribute: attribute.identifier, as: Float.self)
    return (0..<mesh.pointCount).map { point in
      var value = SIMD4<Float>.zero
      for index in 0..<min(width, 4) { value[index] = floats[width * point + index] }
      return make(value)
    }
  }

  // MARK: Colours

  private mutating func readColors(
    _ attribute: DracoMesh.Attribute, in mesh: DracoMesh, into cloud: inout PointCloud
  ) throws {
    let (width, identifier) = (attribute.width, attribute.identifier)
    /// One and two components are grey, without and with opacity.
    func color<Part>(_ values: [Part], _ point: Int, opaque: Part) -> (Part, Part, Part, Part) {
      let at = { values[width * point + $0] }
      return width < 3
        ? (at(0), at(0), at(0), width == 2 ? at(1) : opaque)
        : (at(0), at(1), at(2), width == 4 ? at(3) : opaque)
    }
    switch (attribute.isInteger, attribute.size) {
    case (true, 1):
      let bytes = try mesh.numbers(ofAttribute: identifier, as: UInt8.self)
      cloud.colors = (0..<mesh.pointCount).map { point in
        let part = color(bytes, point, opaque: 255)
        return Color(red: part.0, green: part.1, blue: part.2, alpha: part.3)
      }
    case (true, 2):
      let words = try mesh.numbers(ofAttribute: identifier, as: UInt16.self)
      let wide = (0..<mesh.pointCount).map { point in
        let part = color(words, point, opaque: .max)
        return (
          WideColor(red: part.0, green: part.1, blue: part.2),
          alpha: WideColor(red: part.3, green: 0, blue: 0).narrow.red
        )
      }
      cloud.colors = wide.map { color, alpha in
        var narrow = color.narrow
        narrow.alpha = alpha
        return narrow
      }
      if mesh.triangles.isEmpty, wide.contains(where: { WideColor($0.0.narrow) != $0.0 }) {
        cloud.wideColors = wide.map(\.0)
      }
    default:
      let floats = try mesh.numbers(ofAttribute: identifier, as: Float.self)
      let scale: Float = floats.contains { $0 > 1 } ? 1 : 255
      let outside = floats.count { !($0 * scale >= 0 && $0 * scale <= 255) }
      cloud.colors = (0..<mesh.pointCount).map { point in
        let part = color(floats, point, opaque: 255 / scale)
        var narrow = Color(Vector3(part.0, part.1, part.2), scale: scale)
        narrow.alpha = Color.byte(part.3 * scale)
        return narrow
      }
      guard outside > 0 else { return }
      remarks.append(
        "colours are outside 0 to \(Int(255 / scale)) (\(outside) values); each is replaced by the nearest end"
      )
    }
  }
}

extension DracoMesh {
  /// The values of an attribute, all components of a point one after the other.
  ///
  /// - Throws: ``Failure``, also if the type can't hold them.
  fileprivate func numbers<Number: BitwiseCopyable>(
    ofAttribute identifier: Int, as type: Number.Type
  ) throws(Failure) -> [Number] {
    let form: NumberType =
      type == UInt8.self ? .uint8 : type == UInt16.self ? .uint16 : .float32
    guard let bytes = try values(ofAttribute: identifier, as: form) else {
      throw Failure(reason: "values of attribute \(identifier) can't be read")
    }
    return unsafe bytes.withUnsafeBytes { unsafe [Number]($0.bindMemory(to: type)) }
  }
}
