import MeshPipeline
import POSIX

/// Follows a network of MaterialX nodes to the pictures and numbers at its beginning.
struct MaterialXNetwork {
  let stage: USDStage
  let shading: USDShading
  /// The kinds of nodes that were passed over.
  private(set) var leftOut: Set<String> = []
  /// The remaining number of nodes to visit: a node can be reached in many ways.
  private var room = 0

  /// A node that gives a value.
  typealias Source = USDShading.Source

  private static let mostNodes = 2000
  private static let deepest = 64

  init(_ stage: USDStage, _ shading: USDShading) {
    self.stage = stage
    self.shading = shading
  }

  /// Begins another surface, with as many nodes again.
  mutating func begin() { room = Self.mostNodes }

  mutating func leaveOut(_ category: String) { leftOut.insert(String(category.prefix(60))) }

  // MARK: Names

  /// Kinds of nodes whose names begin with the name of another kind.
  private static let categories: [String] =
    MaterialXModel.names + [
      "surfacematerial", "surface", "constant", "image", "tiledimage", "gltf_image",
      "gltf_colorimage", "gltf_normalmap", "UsdUVTexture", "UsdPrimvarReader", "UsdTransform2d",
      "normalmap", "dot", "convert", "multiply", "divide", "add", "subtract", "mix", "extract",
      "swizzle", "separate2", "separate3", "separate4", "combine2", "combine3", "combine4",
      "clamp", "invert", "power", "min", "max", "absval", "texcoord", "geompropvalue",
      "geomcolor", "place2d", "rotate2d", "range", "remap", "saturate", "hsvadjust", "contrast",
      "colorcorrect", "luminance",
    ]

  /// The kind of a node, and what follows in its id; nil if it is not of MaterialX.
  func category(of node: USDObject) throws -> (name: String, rest: String)? {
    guard case .text(let id) = try stage.value("info:id", of: node),
      id.hasPrefix("ND_") || id.hasPrefix("Usd")
    else { return nil }
    let text = id.dropFirst(id.hasPrefix("ND_") ? "ND_".count : 0)
    let known = Self.categories.filter { text == $0 || text.hasPrefix($0 + "_") }
    guard let name = known.max(by: { $0.count < $1.count }) else {
      // Types follow the kind.
      let words = text.split(separator: "_")
      let types = ["float", "color", "vector", "integer", "boolean", "string", "surfaceshader"]
      let kind = words.prefix { word in !types.contains { word.hasPrefix($0) } }
      return (kind.isEmpty ? String(text) : kind.joined(separator: "_"), "")
    }
    return (name, String(text.dropFirst(name.count + 1)))
  }

  // MARK: Values

  /// What an input of a node is; nil if nothing says it, or nothing that can be read.
  mutating func value(
    _ name: String, of node: USDObject, depth: Int = 0
  ) throws -> MaterialXValue? {
    switch try shading.input("inputs:" + name, of: node) {
    case .value(.numbers(let numbers), let site):
      return .numbers(try linear(numbers, site))
    case .shader(let source): return try value(of: source, depth: depth + 1)
    default: return nil
    }
  }

  /// The numbers of an input; nil if they are not the same everywhere.
  mutating func numbers(_ name: String, of node: USDObject, depth: Int = 0) throws -> [Double]? {
    if case .numbers(let numbers) = try value(name, of: node, depth: depth) { return numbers }
    return nil
  }

  /// Colours are in linear light, unless something else is declared.
  private mutating func linear(_ numbers: [Double], _ site: USDSite) throws -> [Double] {
    guard numbers.count >= 3, case .text(let space) = try stage.content("colorSpace", of: site)
    else { return numbers }
    func changed(_ change: (Double) -> Double) -> [Double] {
      numbers.enumerated().map { $0.offset < 3 ? change($0.element) : $0.element }
    }
    switch space {
    case "srgb_texture", "sRGB", "srgb_rec709_scene":
      return changed { SRGBTable.linear(ofEncoded: min(max($0, 0), 1)) }
    case "g22_rec709", "gamma22": return changed { pow(max($0, 0), 2.2) }
    case "g18_rec709", "gamma18": return changed { pow(max($0, 0), 1.8) }
    case _ where Self.linearSpaces.contains(space): return numbers
    default:
      leaveOut("the colour space \(space)")
      return numbers
    }
  }

  /// The names of linear light, and of numbers that are not light.
  static let linearSpaces: Set<String> = [
    "", "lin_rec709", "lin_rec709_scene", "lin_srgb", "linear", "raw", "Raw", "none", "data",
  ]

  /// What a node gives.
  mutating func value(of source: Source, depth: Int) throws -> MaterialXValue? {
    room -= 1
    guard room >= 0, depth < Self.deepest else {
      leaveOut("networks of many nodes")
      return nil
    }
    let node = source.shader
    guard let (category, rest) = try category(of: node) else {
      let id = try stage.text("info:id", value: node)
      leaveOut(id ?? node.name)
      return nil
    }
    switch category {
    case "image", "tiledimage", "gltf_image", "gltf_colorimage", "gltf_normalmap", "UsdUVTexture":
      return try picture(source, category, rest, depth: depth)
    case "constant": return try value("value", of: node, depth: depth)
    case "dot": return try value("in", of: node, depth: depth)
    case "normalmap": return try normals(node, depth: depth)
    case "convert":
      let type = rest.split(separator: "_").last ?? ""
      let value = try value("in", of: node, depth: depth)
      // Digits alone: other characters may stand for millions.
      return Int(type.suffix(1)).map { value?.resized(to: $0) } ?? value
    case "extract":
      let place = try numbers("index", of: node, depth: depth)?.first ?? 0
      return try value("in", of: node, depth: depth)?
        .selecting([Int(exactly: place.rounded()) ?? 0])
    case "separate2", "separate3", "separate4":
      return try value("in", of: node, depth: depth)?
        .selecting(source.output.last.flatMap { Self.channel($0) }.map { [$0] } ?? [])
    case "swizzle": return try swizzled(node, depth: depth)
    case "combine2", "combine3", "combine4": return try combined(node, category, depth: depth)
    // Colours of vertices multiply those of materials anyway.
    case "geomcolor", "geompropvalue", "UsdPrimvarReader": return .numbers([1, 1, 1])
    case "mix": return try mixed(node, depth: depth)
    case "multiply", "divide", "add", "subtract", "power", "min", "max":
      return try calculated(category, node, depth: depth)
    case "clamp", "invert", "absval": return try changed(category, node, depth: depth)
    default: return try passed(category, node, depth: depth)
    }
  }

  /// Passes over a node: what it changes is taken as it was before, if that is a picture.
  private mutating func passed(
    _ category: String, _ node: USDObject, depth: Int
  ) throws -> MaterialXValue? {
    leaveOut(category)
    for name in ["in", "in1", "fg", "bg"] {
      if case .picture(let picture) = try value(name, of: node, depth: depth) {
        return .picture(picture)
      }
    }
    return nil
  }

  private static func channel(_ letter: Character) -> Int? {
    switch letter {
    case "r", "x": 0
    case "g", "y": 1
    case "b", "z": 2
    case "a", "w": 3
    default: nil
    }
  }

  private mutating func swizzled(_ node: USDObject, depth: Int) throws -> MaterialXValue? {
    guard let letters = try stage.text("inputs:channels", value: node) else { return nil }
    let places = letters.compactMap { Self.channel($0) }
    guard places.count == letters.count,
      let value = try value("in", of: node, depth: depth)?.selecting(places)
    else { return try passed("swizzle", node, depth: depth) }
    return value
  }

  private mutating func combined(
    _ node: USDObject, _ category: String, depth: Int
  ) throws -> MaterialXValue? {
    var (numbers, pictures): ([Double], [MaterialXPicture]) = ([], [])
    var isMixed = false
    for index in 1...4 {
      switch try value("in\(index)", of: node, depth: depth) {
      case .numbers(let found):
        isMixed = isMixed || !pictures.isEmpty
        numbers += found
      case .picture(let found):
        isMixed = isMixed || !numbers.isEmpty || pictures.first?.isSameFile(as: found) == false
        pictures.append(found)
      case nil: break
      }
    }
    guard var picture = pictures.first else { return numbers.isEmpty ? nil : .numbers(numbers) }
    guard !isMixed else { return try passed(category, node, depth: depth) }
    picture.channels = pictures.flatMap(\.channels)
    picture.factor = pictures.flatMap(\.factor)
    return .picture(picture)
  }
}
