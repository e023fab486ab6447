import MeshPipeline
import NativeLibraries

/// Handles the elements of a model part.
///
/// Elements of other namespaces are skipped, as the core specification demands for those that are
/// not required.
final class ThreeMFParser: XMLHandler {
  private(set) var part = ThreeMFPart()
  private var prefixes: [String: String] = [:]
  private var object: (id: UInt32, value: ThreeMFPart.Object)?
  private var body = ThreeMFPart.Body()
  private var properties: ThreeMFProperties?
  private var beams = 0
  private var hasModel = false

  static let core = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
  static let materials = "http://schemas.microsoft.com/3dmanufacturing/material/2015/02"
  private static let lattice = "http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02"

  private enum Element: String, CaseIterable {
    // The most frequent first.
    case vertex, triangle, tex2coord, multi, composite, color, base
    case beam, component, item, object, model
    case basematerials, colorgroup, texture2d, texture2dgroup, compositematerials, multiproperties
    case pbmetallicdisplayproperties, pbmetallic, pbspeculardisplayproperties, pbspecular
  }

  /// Properties are also accepted in the core's namespace, where some programs write them.
  static let names = namespaces.flatMap { space in elements.map { "\(space) \($0)" } }
  private static let namespaces = [core, materials, lattice]
  /// Created once instead of for each of millions of elements.
  private static let elements = Element.allCases

  private static func element(_ name: Int?) -> Element? {
    name.map { elements[$0 % elements.count] }
  }

  func declare(prefix: String, namespace: String) { prefixes[prefix] = namespace }

  /// Why there is nothing that the core specification knows; nil if there is.
  var remarkOnModel: String? {
    guard !hasModel, let namespace = prefixes[""], namespace != Self.core else { return nil }
    return """
      its model is of '\(namespace.prefix(120))', as drafts before 3MF 1.0 are; save it again with a newer program
      """
  }

  func start(_ name: Int?, _ attributes: borrowing XMLAttributes) throws(XMLFault) {
    switch Self.element(name) {
    case .vertex: try addVertex(attributes)
    case .triangle: try addTriangle(attributes)
    case .beam: beams += 1
    case .model: try begin(model: attributes)
    case .object: try begin(object: attributes)
    case .component:
      let placement = try placement(attributes)
      object?.value.components.append(placement)
    case .item: part.items.append(try placement(attributes))
    case .texture2d:
      guard let path = attributes.text("path") else { throw XMLFault("a texture has no path") }
      part.textures[try attributes.id()] = path
    case .pbmetallicdisplayproperties, .pbspeculardisplayproperties, .basematerials, .colorgroup,
      .texture2dgroup, .compositematerials, .multiproperties:
      properties = try ThreeMFProperties(attributes)
    case .pbmetallic: try properties?.addMetallic(attributes)
    case .pbspecular: try properties?.addSpecular(attributes)
    case .base: try properties?.addMaterial(attributes)
    case .color: try properties?.addColor(attributes)
    case .tex2coord: try properties?.addCoordinates(attributes)
    case .composite: try properties?.addMixture(attributes)
    case .multi: try properties?.addLayers(attributes)
    case nil: break
    }
  }

  func end(_ name: Int?) throws(XMLFault) {
    let group: ThreeMFPart.Group?
    switch Self.element(name) {
    case .object: return try finishObject()
    case .pbmetallicdisplayproperties, .pbspeculardisplayproperties:
      if let properties { part.finishes[properties.id] = properties.finishes }
      group = nil
    case .basematerials: group = properties?.materialGroup
    case .colorgroup: group = properties?.colorGroup
    case .texture2dgroup: group = try properties?.coordinateGroup()
    case .compositematerials: group = try properties?.mixtureGroup()
    case .multiproperties: group = properties?.layerGroup
    default: return
    }
    if let properties, let group { part.groups[properties.id] = group }
    properties = nil
  }

  // MARK: Model and objects

  private func begin(model attributes: borrowing XMLAttributes) throws(XMLFault) {
    hasModel = true
    let units = [
      "micron": 1e-6, "millimeter": 0.001, "centimeter": 0.01, "inch": 0.0254, "foot": 0.3048,
      "meter": 1,
    ]
    if let unit = attributes.text("unit") {
      guard let meters = units[unit] else {
        throw XMLFault("the unit '\(unit.prefix(40))' is not a 3MF unit")
      }
      part.metersPerUnit = meters
    }
    let required = attributes.text("requiredextensions")?.split { $0.isWhitespace } ?? []
    for prefix in required { try require(prefixes[String(prefix)] ?? String(prefix)) }
  }

  /// Skips a required extension, or throws if that is impossible.
  private func require(_ namespace: String) throws(XMLFault) {
    let words = namespace.split(separator: "/").map(String.init)
    guard let root = words.firstIndex(of: "3dmanufacturing"), root + 1 < words.count else {
      throw XMLFault("needs the extension '\(namespace.prefix(120))', which is not supported")
    }
    switch words[root + 1] {
    case "core", "material", "production", "trianglesets", "beamlattice": break
    case "slice": remark(onSlices: true)
    case "displacement": part.remarks.append("displacement of surfaces is left out")
    // Which parts are encrypted, if any, stands elsewhere in the package.
    case "securecontent": break
    case let name:
      throw XMLFault("needs the extension '\(name.prefix(60))', which is not supported")
    }
  }

  private func begin(object attributes: borrowing XMLAttributes) throws(XMLFault) {
    guard self.object == nil else { throw XMLFault("an object is nested in another one") }
    var object = ThreeMFPart.Object(line: attributes.line)
    object.name = attributes.text("name") ?? ""
    if let group = try attributes.index("pid") {
      object.property = .init(group: group, index: try attributes.index("pindex") ?? 0)
    }
    remark(onSlices: attributes.text(Self.sliceStack) != nil)
    self.object = (try attributes.id(), object)
    beams = 0
  }

  private static let sliceStack: StaticString =
    "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07 slicestackid"
  private static let remarkOnSlices = "slices are left out"

  private func remark(onSlices hasSlices: Bool) {
    guard hasSlices, !part.remarks.contains(Self.remarkOnSlices) else { return }
    part.remarks.append(Self.remarkOnSlices)
  }

  private func finishObject() throws(XMLFault) {
    guard let id = object?.id, var value = object?.value else { return }
    object = nil
    if !body.positions.isEmpty { value.mesh = body }
    body = ThreeMFPart.Body()
    if beams > 0 {
      part.remarks.append("a lattice of \(beams) beams is left out")
    }
    guard part.objects[id] == nil else { throw XMLFault("there are two objects \(id)") }
    part.objects[id] = value
  }

  private func placement(
    _ attributes: borrowing XMLAttributes
  ) throws(XMLFault) -> ThreeMFPart.Placement {
    guard let object = try attributes.index("objectid") else { throw XMLFault("has no objectid") }
    return ThreeMFPart.Placement(
      object: object,
      path: attributes.text(
        "http://schemas.microsoft.com/3dmanufacturing/production/2015/06 path"),
      transform: try transform(attributes), line: attributes.line)
  }

  /// Twelve numbers, the rows of a matrix that is multiplied from the right.
  private func transform(_ attributes: borrowing XMLAttributes) throws(XMLFault) -> Transform {
    guard let text = attributes.text("transform") else { return .identity }
    let m = text.split { $0.isWhitespace }.compactMap { Double($0) }
    guard m.count == 12, m.allSatisfy(\.isFinite) else {
      throw XMLFault("the transform '\(text.prefix(80))' is not twelve numbers")
    }
    return Transform(
      x: SIMD3(m[0], m[1], m[2]), y: SIMD3(m[3], m[4], m[5]), z: SIMD3(m[6], m[7], m[8]),
      translation: SIMD3(m[9], m[10], m[11]))
  }

  // MARK: Meshes

  private func addVertex(_ attributes: borrowing XMLAttributes) throws(XMLFault) {
    guard object != nil else { return }
    guard let x = try attributes.number("x"), let y = try attributes.number("y"),
      let z = try attributes.number("z")
    else { throw XMLFault("a vertex lacks a coordinate") }
    body.positions.append(Vector3(x, y, z))
  }

  private func addTriangle(_ attributes: borrowing XMLAttributes) throws(XMLFault) {
    guard object != nil else { return }
    guard let a = try attributes.index("v1"), let b = try attributes.index("v2"),
      let c = try attributes.index("v3")
    else { throw XMLFault("a triangle lacks a vertex") }
    let largest = max(a, b, c)
    guard largest < body.positions.count else {
      throw XMLFault(
        "a triangle refers to vertex \(largest), but there are \(body.positions.count)")
    }
    body.indices.append(a)
    body.indices.append(b)
    body.indices.append(c)
    try addProperties(attributes)
  }

  /// The properties of a triangle's corners; the second and third default to the first's.
  private func addProperties(_ attributes: borrowing XMLAttributes) throws(XMLFault) {
    let standard = object?.value.property
    let own = try attributes.index("p1")
    let group = try attributes.index("pid") ?? standard?.group
    guard let own, let group else {
      if !body.properties.isEmpty {
        body.properties.append(contentsOf: [standard, standard, standard])
      }
      return
    }
    if body.properties.isEmpty {
      body.properties = [ThreeMFPart.Property?](
        repeating: standard, count: body.indices.count - 3)
    }
    let (second, third) = (try attributes.index("p2") ?? own, try attributes.index("p3") ?? own)
    body.properties.append(.init(group: group, index: own))
    body.properties.append(.init(group: group, index: second))
    body.properties.append(.init(group: group, index: third))
  }
}

extension XMLAttributes {
  /// A number; nil if the attribute is missing.
  func number(_ name: StaticString) throws(XMLFault) -> Float? {
    let found: Float?? = withBytes(name) { bytes in
      var position = 0
      let value = Decimal.float(bytes, &position, end: bytes.count)
      return position == bytes.count ? value : nil
    }
    guard let found else { return nil }
    guard let value = found, value.isFinite else {
      throw XMLFault("\(name) is '\((text(name) ?? "").prefix(40))', which is not a number")
    }
    return value
  }

  /// A non-negative whole number; nil if the attribute is missing.
  func index(_ name: StaticString) throws(XMLFault) -> UInt32? {
    let found: UInt32?? = withBytes(name) { bytes in
      var value: UInt32 = 0
      for index in bytes.indices {
        let digit = bytes[index] &- 0x30
        let (tenfold, overflows) = value.multipliedReportingOverflow(by: 10)
        let (sum, overflowsToo) = tenfold.addingReportingOverflow(UInt32(digit))
        guard digit <= 9, !overflows, !overflowsToo else { return nil }
        value = sum
      }
      return bytes.isEmpty ? nil : value
    }
    guard let found else { return nil }
    guard let value = found else {
      throw XMLFault("\(name) is '\((text(name) ?? "").prefix(40))', which is not an index")
    }
    return value
  }

  /// The id of a resource.
  func id() throws(XMLFault) -> UInt32 {
    guard let id = try index("id") else { throw XMLFault("a resource has no id") }
    return id
  }
}
