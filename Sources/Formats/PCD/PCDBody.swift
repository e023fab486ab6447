import MeshPipeline

/// A scene of points as a PCD file.
struct PCDBody {
  /// What comments say.
  var remarks: [String] = []
  private let scene: Scene
  private let isText: Bool
  private let hasNormals: Bool
  private let hasColors: Bool
  private let hasAlpha: Bool
  private let hasConfidences: Bool
  private let classes: ClassNumbers?
  private let custom: PLYCustomRows

  /// - Parameter scene: Point clouds alone.
  init(_ scene: Scene, isText: Bool) {
    var scene = scene
    classes = ClassNumbers(takenFrom: &scene)
    self.scene = scene
    self.isText = isText
    let features = scene.features
    hasNormals = features.contains(.normals)
    hasColors = features.contains(.colors)
    hasConfidences = features.contains(.confidences)
    hasAlpha = scene.pointClouds.contains { $0.colors?.hasAlpha == true }
    custom = PLYCustomRows(
      scene.pointClouds.map(\.attributes),
      taken: [
        "_", "x", "y", "z", "normal_x", "normal_y", "normal_z", "rgb", "rgba", "confidence",
        "label",
      ])
  }

  private var fields: [(name: String, type: NumberType)] {
    var fields: [(String, NumberType)] = ["x", "y", "z"].map { ($0, .float32) }
    if hasNormals { fields += ["normal_x", "normal_y", "normal_z"].map { ($0, .float32) } }
    // PCL wants opaque colours as the bits of a float.
    if hasColors { fields.append(hasAlpha ? ("rgba", .uint32) : ("rgb", .float32)) }
    if hasConfidences { fields.append(("confidence", .float32)) }
    if classes != nil { fields.append(("label", .uint32)) }
    return fields + custom.properties.map { ($0.name, $0.type) }
  }

  var header: String {
    let fields = fields
    var lines = ["# .PCD v0.7 - Point Cloud Data file format"]
    lines.append("# written by \(scene.coordinateSystem.declaration)")
    lines += (classes?.remarks ?? []).map { "# \($0.text)" }
    lines += remarks.map { "# \($0)" }
    lines.append("VERSION 0.7")
    lines.append("FIELDS " + fields.map(\.name).joined(separator: " "))
    lines.append("SIZE " + fields.map { "\($0.type.size)" }.joined(separator: " "))
    lines.append("TYPE " + fields.map { $0.type.pcdKind }.joined(separator: " "))
    lines.append("COUNT " + fields.map { _ in "1" }.joined(separator: " "))
    lines += ["WIDTH \(scene.pointCount)", "HEIGHT 1", "VIEWPOINT 0 0 0 1 0 0 0"]
    lines += ["POINTS \(scene.pointCount)", "DATA \(isText ? "ascii" : "binary")", ""]
    return lines.joined(separator: "\n")
  }

  func writePoints(to writer: FileWriter) throws {
    for (index, cloud) in scene.pointClouds.enumerated() {
      let labels = classes?.numbers(ofCloud: index, in: scene)
      let properties = custom.values(of: cloud.attributes)
      try writer.write(count: cloud.positions.count) { range, buffer in
        let row = PLYRow(isText: isText)
        for point in range {
          row.append(cloud.positions[point], to: &buffer)
          if hasNormals { row.append(cloud.normals?[point] ?? .zero, to: &buffer) }
          if hasColors {
            let word = word(cloud.colors?[point] ?? .white)
            if hasAlpha {
              row.append(word, to: &buffer)
            } else {
              row.append(Float(bitPattern: word), to: &buffer)
            }
          }
          if hasConfidences { row.append(cloud.confidences?[point] ?? 0, to: &buffer) }
          if classes != nil { row.append(UInt32(labels?[point] ?? 0), to: &buffer) }
          for property in properties { row.append(property, of: point, to: &buffer) }
          row.end(&buffer)
        }
      }
    }
  }

  private func word(_ color: Color) -> UInt32 {
    (hasAlpha ? UInt32(color.alpha) << 24 : 0) | UInt32(color.red) << 16
      | UInt32(color.green) << 8 | UInt32(color.blue)
  }
}

extension NumberType {
  fileprivate var pcdKind: String {
    switch self {
    case .int8, .int16, .int32: "I"
    case .uint8, .uint16, .uint32, .uint64: "U"
    case .float32, .float64: "F"
    }
  }
}
