import MeshPipeline

/// Nodes that look up a picture, and the coordinates by which they do.
extension MaterialXNetwork {
  mutating func normals(_ node: USDObject, depth: Int) throws -> MaterialXValue? {
    if try stage.text("inputs:space", value: node) == "object" {
      leaveOut("normals in object space")
      return nil
    }
    guard case .picture(var picture) = try value("in", of: node, depth: depth) else { return nil }
    if let scale = try numbers("scale", of: node, depth: depth)?.first { picture.strength = scale }
    return .picture(picture)
  }

  mutating func picture(
    _ source: Source, _ category: String, _ rest: String, depth: Int
  ) throws -> MaterialXValue? {
    let node = source.shader
    guard case .value(.asset(let file), let site) = try shading.input("inputs:file", of: node),
      !file.isEmpty
    else { return try fallback(category, of: node, depth: depth) }
    let channels = Self.channels(category, source.output, rest)
    var picture = MaterialXPicture(
      files: [file], layer: site.layer, channels: channels,
      factor: [Double](repeating: 1, count: channels.count))
    if case .asset(let plain) = try stage.content("plainFile", of: site) {
      picture.files.append(plain)
    }
    if case .text(let space) = try stage.content("colorSpace", of: site) {
      picture.colorSpace = space
    }
    try addFactor(to: &picture, category, of: node, depth: depth)
    try addBorders(to: &picture, of: node)
    picture.transform = try own(category, of: node, depth: depth)
    let name = category == "UsdUVTexture" ? "st" : "texcoord"
    try addCoordinates(to: &picture, name, of: node, depth: depth)
    return .picture(picture)
  }

  /// The channels that an output of a node has.
  private static func channels(_ category: String, _ output: String, _ rest: String) -> [Int] {
    switch (category, output) {
    case ("UsdUVTexture", "outputs:r"): [0]
    case ("UsdUVTexture", "outputs:g"): [1]
    case ("UsdUVTexture", "outputs:b"): [2]
    case ("UsdUVTexture", "outputs:a"), ("gltf_colorimage", "outputs:outa"): [3]
    case _ where rest.hasPrefix("float"): [0]
    case _ where rest.hasPrefix("vector2"): [0, 1]
    case _ where rest.hasPrefix("color4") || rest.hasPrefix("vector4"): [0, 1, 2, 3]
    default: [0, 1, 2]
    }
  }

  /// What a node without a file gives.
  private mutating func fallback(
    _ category: String, of node: USDObject, depth: Int
  ) throws -> MaterialXValue? {
    let name = category == "UsdUVTexture" ? "fallback" : "default"
    return try numbers(name, of: node, depth: depth).map { .numbers($0) }
  }

  private mutating func addFactor(
    to picture: inout MaterialXPicture, _ category: String, of node: USDObject, depth: Int
  ) throws {
    if category == "UsdUVTexture",
      try self.numbers("bias", of: node, depth: depth)?.contains(where: { $0 != 0 }) == true
    {
      picture.isShifted = true
    }
    let name =
      switch category {
      case "UsdUVTexture": "scale"
      case "gltf_colorimage": "color"
      case "gltf_image": "factor"
      default: ""
      }
    guard !name.isEmpty, let numbers = try numbers(name, of: node, depth: depth) else { return }
    picture.factor = picture.channels.map {
      numbers.count == 1 ? numbers[0] : numbers.count > $0 ? numbers[$0] : 1
    }
  }

  private func addBorders(to picture: inout MaterialXPicture, of node: USDObject) throws {
    for name in ["uaddressmode", "vaddressmode", "wrapS", "wrapT"] {
      if let mode = try stage.text("inputs:" + name, value: node),
        ["constant", "black", "clamp", "mirror"].contains(mode)
      {
        picture.hasBorders = true
      }
    }
  }

  // MARK: Coordinates

  /// How a node itself changes the coordinates that it is given.
  private mutating func own(
    _ category: String, of node: USDObject, depth: Int
  ) throws -> USDTextureTransform {
    switch category {
    case "tiledimage":
      for name in ["realworldimagesize", "realworldtilesize"] {
        if let size = try numbers(name, of: node, depth: depth), size.contains(where: { $0 != 1 }) {
          leaveOut(name)
        }
      }
      return USDTextureTransform(scale: try pair("uvtiling", 1, of: node, depth: depth))
        .then(.init(translation: -(try pair("uvoffset", 0, of: node, depth: depth))))
    case "gltf_image", "gltf_colorimage", "gltf_normalmap":
      let offset = try pair("offset", 0, of: node, depth: depth)
      return try placed(
        node, pivot: SIMD2(0, 1), scale: try pair("scale", 1, of: node, depth: depth),
        rotation: try numbers("rotate", of: node, depth: depth)?.first ?? 0,
        offset: SIMD2(-offset.x, offset.y), depth: depth)
    default: return USDTextureTransform()
    }
  }

  private mutating func pair(
    _ name: String, _ standard: Double, of node: USDObject, depth: Int
  ) throws -> SIMD2<Double> {
    let numbers = try numbers(name, of: node, depth: depth) ?? []
    return numbers.count < 2
      ? SIMD2(repeating: numbers.first ?? standard) : SIMD2(numbers[0], numbers[1])
  }

  /// Scaling, turning and moving about a pivot, in this order or the opposite one, as in `place2d`.
  ///
  /// - Parameter rotation: Counterclockwise.
  private mutating func placed(
    _ node: USDObject, pivot standard: SIMD2<Double>, scale: SIMD2<Double>, rotation: Double,
    offset: SIMD2<Double>, depth: Int
  ) throws -> USDTextureTransform {
    var pivot = standard
    if let own = try numbers("pivot", of: node, depth: depth), own.count == 2 {
      pivot = SIMD2(own[0], own[1])
    }
    let isReversed = try numbers("operationorder", of: node, depth: depth)?.first == 1
    let steps = [
      USDTextureTransform(scale: scale), .init(rotation: rotation), .init(translation: -offset),
    ]
    var result = USDTextureTransform(translation: -pivot)
    for step in isReversed ? steps.reversed() : steps { result = result.then(step) }
    return result.then(.init(translation: pivot))
  }

  /// Follows the coordinates of a picture to the primvar; what is changed first is applied first.
  private mutating func addCoordinates(
    to picture: inout MaterialXPicture, _ input: String, of node: USDObject, depth: Int
  ) throws {
    var (name, node) = (input, node)
    for _ in 0..<USDShading.mostLinks {
      guard case .shader(let source) = try shading.input("inputs:" + name, of: node),
        let (category, _) = try category(of: source.shader)
      else { return }
      node = source.shader
      guard let next = try change(category, node, depth: depth) else {
        picture.coordinates = try primvar(category, node, depth: depth)
        return
      }
      picture.transform = next.transform.then(picture.transform)
      name = next.input
    }
  }

  /// What a node does to coordinates, and the input that it takes them from; nil if it is the first one.
  private mutating func change(
    _ category: String, _ node: USDObject, depth: Int
  ) throws -> (transform: USDTextureTransform, input: String)? {
    switch category {
    case "place2d":
      let scale = try pair("scale", 1, of: node, depth: depth)
      let rotation = try numbers("rotate", of: node, depth: depth)?.first ?? 0
      let offset = try pair("offset", 0, of: node, depth: depth)
      guard scale.x != 0, scale.y != 0 else { return (USDTextureTransform(), "texcoord") }
      return (
        try placed(
          node, pivot: .zero, scale: 1 / scale, rotation: -rotation, offset: offset, depth: depth),
        "texcoord"
      )
    case "UsdTransform2d":
      return (
        USDTextureTransform(
          scale: try numbers("scale", of: node, depth: depth),
          rotation: try numbers("rotation", of: node, depth: depth)?.first,
          translation: try numbers("translation", of: node, depth: depth)), "in"
      )
    case "rotate2d":
      let amount = try numbers("amount", of: node, depth: depth)?.first ?? 0
      return (USDTextureTransform(rotation: -amount), "in")
    case "dot", "convert": return (USDTextureTransform(), "in")
    case "multiply", "divide", "add", "subtract":
      return try arithmetic(category, node, depth: depth)
    default: return nil
    }
  }

  /// Coordinates in calculations with numbers.
  private mutating func arithmetic(
    _ category: String, _ node: USDObject, depth: Int
  ) throws -> (transform: USDTextureTransform, input: String) {
    // Coordinates come from a node, numbers mostly do not.
    var inputs = ("in1", "in2")
    if case .value = try shading.input("inputs:in1", of: node) { inputs = ("in2", "in1") }
    let neutral: Double = category == "multiply" || category == "divide" ? 1 : 0
    let other = try pair(inputs.1, neutral, of: node, depth: depth)
    let transform: USDTextureTransform
    switch category {
    case "multiply": transform = .init(scale: other)
    case "divide" where other.x != 0 && other.y != 0 && inputs.0 == "in1":
      transform = .init(scale: 1 / other)
    case "add": transform = .init(translation: other)
    case "subtract" where inputs.0 == "in1": transform = .init(translation: -other)
    case "subtract":
      transform = USDTextureTransform(scale: SIMD2(-1, -1)).then(.init(translation: other))
    default:
      leaveOut(category)
      transform = USDTextureTransform()
    }
    return (transform, inputs.0)
  }

  /// The primvar that a node gives.
  private mutating func primvar(
    _ category: String, _ node: USDObject, depth: Int
  ) throws -> String {
    switch category {
    case "texcoord":
      let index = try numbers("index", of: node, depth: depth)?.first ?? 0
      return index == 0 ? "st" : "st\(Int(exactly: index.rounded()) ?? 1)"
    case "geompropvalue": return Self.primvar(try stage.text("inputs:geomprop", value: node))
    case "UsdPrimvarReader": return Self.primvar(try stage.text("inputs:varname", value: node))
    default:
      leaveOut(category)
      return "st"
    }
  }

  /// MaterialX has names of its own for the usual sets.
  private static func primvar(_ name: String?) -> String {
    switch name {
    case nil, "UV0": "st"
    case "UV1": "st1"
    case let name?: name
    }
  }
}
