import MeshPipeline
import NativeLibraries

/// The members of a property group of any kind while it is read.
struct ThreeMFProperties {
  let id: UInt32
  private(set) var finishes: [ThreeMFPart.Finish] = []
  private var materials: [(name: String, color: SIMD4<Float>)] = []
  private var colors: [Color] = []
  private var coordinates: [Vector2] = []
  private var shares: [Float] = []
  private var layers: [UInt32] = []

  /// The groups that this group refers to.
  private let texture: UInt32?
  private let finish: UInt32?
  private let mixed: (group: UInt32?, members: [UInt32])
  private let layered: [UInt32]
  /// For each layer; the first has nothing to multiply.
  private let multiplies: [Bool]

  init(_ attributes: borrowing XMLAttributes) throws(XMLFault) {
    id = try attributes.id()
    texture = try attributes.index("texid")
    finish = try attributes.index("displaypropertiesid")
    mixed = (try attributes.index("matid"), try attributes.indices("matindices"))
    layered = try attributes.indices("pids")
    let methods = attributes.text("blendmethods")?.split { $0.isWhitespace } ?? []
    multiplies = layered.indices.map { layer in
      layer > 0 && layer <= methods.count && methods[layer - 1] == "multiply"
    }
  }

  // MARK: Members

  mutating func addMaterial(_ attributes: borrowing XMLAttributes) throws(XMLFault) {
    let color = try attributes.color("displaycolor") ?? .white
    materials.append((attributes.text("name") ?? "", color.linear))
  }

  mutating func addColor(_ attributes: borrowing XMLAttributes) throws(XMLFault) {
    guard let color = try attributes.color("color") else { throw XMLFault("a color has no color") }
    colors.append(color)
  }

  mutating func addCoordinates(_ attributes: borrowing XMLAttributes) throws(XMLFault) {
    guard let u = try attributes.number("u"), let v = try attributes.number("v") else {
      throw XMLFault("a texture coordinate lacks u or v")
    }
    coordinates.append(Vector2(u, v))
  }

  mutating func addMixture(_ attributes: borrowing XMLAttributes) throws(XMLFault) {
    let values = attributes.text("values")?.split { $0.isWhitespace }.map { Float($0) } ?? []
    for index in mixed.members.indices {
      let value = index < values.count ? values[index] : 0
      guard let value, value >= 0, value.isFinite else {
        throw XMLFault("a mixture has a share that is not a number")
      }
      shares.append(value)
    }
  }

  /// Members that are not named are the first of their groups.
  mutating func addLayers(_ attributes: borrowing XMLAttributes) throws(XMLFault) {
    let members = try attributes.indices("pindices")
    for index in layered.indices { layers.append(index < members.count ? members[index] : 0) }
  }

  mutating func addMetallic(_ attributes: borrowing XMLAttributes) throws(XMLFault) {
    finishes.append(
      ThreeMFPart.Finish(
        metallic: min(max(try attributes.number("metallicness") ?? 0, 0), 1),
        roughness: min(max(try attributes.number("roughness") ?? 1, 0), 1)))
  }

  mutating func addSpecular(_ attributes: borrowing XMLAttributes) throws(XMLFault) {
    let glossiness = min(max(try attributes.number("glossiness") ?? 0, 0), 1)
    finishes.append(ThreeMFPart.Finish(metallic: 0, roughness: 1 - glossiness))
  }

  // MARK: Groups

  var materialGroup: ThreeMFPart.Group { .materials(materials, finishes: finish) }
  var colorGroup: ThreeMFPart.Group { .colors(colors) }
  var layerGroup: ThreeMFPart.Group {
    .layers(layers, of: layered, multiplies: multiplies)
  }

  func coordinateGroup() throws(XMLFault) -> ThreeMFPart.Group {
    guard let texture else { throw XMLFault("texture2dgroup \(id) has no texid") }
    return .coordinates(coordinates, texture: texture, finishes: finish)
  }

  func mixtureGroup() throws(XMLFault) -> ThreeMFPart.Group {
    guard let group = mixed.group else { throw XMLFault("compositematerials \(id) has no matid") }
    return .mixtures(shares, of: group, materials: mixed.members)
  }
}

extension XMLAttributes {
  /// A colour as `#RRGGBB` or `#RRGGBBAA`; nil if the attribute is missing.
  fileprivate func color(_ name: StaticString) throws(XMLFault) -> Color? {
    guard let text = text(name) else { return nil }
    guard text.hasPrefix("#"), text.utf8.count == 7 || text.utf8.count == 9,
      text.utf8.dropFirst().allSatisfy({ UInt8(ascii: "+") != $0 && UInt8(ascii: "-") != $0 }),
      let value = UInt32(text.dropFirst(), radix: 16)
    else { throw XMLFault("'\(text.prefix(40))' is not a colour such as #1F9A40") }
    let all = text.utf8.count == 9 ? value : value << 8 | 255
    return Color(
      red: UInt8(all >> 24), green: UInt8(all >> 16 & 255), blue: UInt8(all >> 8 & 255),
      alpha: UInt8(all & 255))
  }

  /// Indices separated by spaces; empty if the attribute is missing.
  fileprivate func indices(_ name: StaticString) throws(XMLFault) -> [UInt32] {
    var result: [UInt32] = []
    for word in text(name)?.split(whereSeparator: { $0.isWhitespace }) ?? [] {
      guard let index = UInt32(word) else {
        throw XMLFault("\(name) has '\(word.prefix(40))', which is not an index")
      }
      result.append(index)
    }
    return result
  }
}
