import MeshPipeline

/// The meaning of a property with one number.
enum PLYRole: Sendable {
  case x, y, z, normalX, normalY, normalZ, red, green, blue, alpha, u, v, confidence, label
  case texture

  /// The roles of an element's properties, without those that have a meaning only together with
  /// missing ones.
  static func taken(by element: PLYHeader.Element) -> Set<PLYRole> {
    let single = element.properties.filter { $0.countType == nil }
    let roles = Set(single.compactMap { PLYRole(propertyName: $0.name) })
    let groups: [Set<PLYRole>] = [
      [.x, .y, .z], [.normalX, .normalY, .normalZ], [.red, .green, .blue], [.u, .v],
    ]
    var taken =
      element.name == "vertex"
      ? roles.subtracting([.texture])
      : roles.intersection([.label, .texture, .red, .green, .blue, .alpha])
    for group in groups where !group.isSubset(of: roles) { taken.subtract(group) }
    if !taken.contains(.red) { taken.remove(.alpha) }
    return taken
  }

  /// The axis of a coordinate; nil for other numbers.
  var axis: Int? {
    switch self {
    case .x: 0
    case .y: 1
    case .z: 2
    default: nil
    }
  }

  /// The name of a property in lower case, without what CloudCompare prefixes to the names of its scalar fields.
  static func plainName(of propertyName: String) -> String {
    let name = propertyName.lowercased()
    return name.hasPrefix("scalar_") ? String(name.dropFirst(7)) : name
  }

  /// The role of a property, by the names that scanners and programs use.
  init?(propertyName: String) {
    switch Self.plainName(of: propertyName) {
    case "x": self = .x
    case "y": self = .y
    case "z": self = .z
    case "nx", "normal_x": self = .normalX
    case "ny", "normal_y": self = .normalY
    case "nz", "normal_z": self = .normalZ
    case "red", "r", "diffuse_red": self = .red
    case "green", "g", "diffuse_green": self = .green
    case "blue", "b", "diffuse_blue": self = .blue
    case "alpha", "a", "diffuse_alpha": self = .alpha
    case "u", "s", "texture_u", "texture_s": self = .u
    case "v", "t", "texture_v", "texture_t": self = .v
    case "confidence", "quality": self = .confidence
    case "classification", "label", "class", "category": self = .label
    case "texnumber": self = .texture
    default: return nil
    }
  }
}

extension PLYContents {
  /// Whether the element has a column for each of three roles.
  func hasAll(_ x: PLYRole, _ y: PLYRole, _ z: PLYRole) -> Bool {
    let columns = plan.columns(x, y, z)
    return columns.x >= 0 && columns.y >= 0 && columns.z >= 0
  }

  /// Sets the attributes of the vertices besides colours, with custom ones.
  func readAttributes(into points: inout PointCloud) {
    points.normals = normals
    points.confidences = confidences
    points.attributes = customAttributes
  }

  private var normals: [Vector3]? {
    guard hasAll(.normalX, .normalY, .normalZ) else { return nil }
    return table.map(plan.columns(.normalX, .normalY, .normalZ)) {
      Vector3($0.x, $0.y, $0.z).normalized
    }
  }

  private var confidences: [Float]? {
    guard let column = plan.columnOfRole[.confidence] else { return nil }
    return table.map(SIMD4(column, -1, -1, -1)) { $0.x }
  }
}
