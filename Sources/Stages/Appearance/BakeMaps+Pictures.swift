import MeshPipeline
import NativeLibraries
import SurfaceKernels

extension BakeMaps {
  /// The maps of all pages.
  struct Pictures {
    /// Those of materials, by map, one for each page; none of a map that would say nothing.
    var textures: [Map: [Texture]] = [:]
    /// Those without a place in materials.
    var besideModel: [SurfaceMap] = []
    /// How groups of faces show the opacity of their colours, those that are not opaque; nil if it is not baked.
    var alphaModes: [Int: Material.AlphaMode]?
    /// The emitted light that is white in its map.
    var emissiveWhite: Float = 1
    var usedTexels = 0
    var missedTexels = 0
    var sharedTexels = 0
    /// What the values of maps mean, for the report.
    var notes: [(String, JSONValue)] = []

    /// Whether the mesh has the normals of the source without a map.
    var hasFlatNormals: Bool { textures[.normal]?.isEmpty == true }
  }

  /// What the values of maps are relative to, in the unit of the scene.
  private struct Scales {
    var occlusionDistance: Float
    var box = Box()
    var curvatureRadius: Float
    /// At the vertices of the source.
    var curvatures: [Float] = []
    /// The light that is white in emissive maps.
    var emissiveWhite: Float = 1
    /// Of the faces of the source.
    var classColors: [SIMD3<UInt8>] = []
    /// The colours of the source's classes, by their names.
    var colorOfClass: [String: SIMD3<UInt8>] = [:]
  }

  func pictures(
    _ baking: MapBaking, of source: Scene, _ context: StageContext
  ) throws -> Pictures {
    var pictures = Pictures()
    let wanted = Map.allCases.filter(parameters.maps.contains)
    let scales = try scales(baking, of: source)
    var encoded: [Map: [Texture]] = [:]
    var images: [Map: [Image]] = [:]
    var opacities: [MapOpacity?] = []
    pictures.emissiveWhite = scales.emissiveWhite
    if bakesOpacity { pictures.alphaModes = [:] }
    let steps = Double(baking.pageCount * (wanted.count + 1))
    var done = 0.0
    func advance() throws {
      done += 1
      try context.progress(0.2 + 0.6 * done / steps)
    }
    for number in 0..<baking.pageCount {
      let page = try baking.page(number, cancellation: context)
      pictures.usedTexels += page.usedTexels
      pictures.missedTexels += page.missedTexels
      pictures.sharedTexels += page.sharedTexels
      try advance()
      for map in wanted {
        if let values = values(of: map, page, scales) {
          let bytes = try self.encoded(
            values, page.size, of: map, description(of: map, scales, baking, source))
          encoded[map, default: []].append(texture(bytes, map, number, of: baking.pageCount))
        } else if map == .color {
          let opacity = bakesOpacity ? page.opacity() : nil
          pictures.alphaModes?.merge(opacity?.modes ?? [:]) { first, _ in first }
          opacities.append(opacity)
          images[map, default: []].append(page.colors(opacity))
        } else {
          images[map, default: []].append(try image(of: map, page, scales, context))
        }
        try advance()
      }
    }
    for map in wanted {
      if var pages = images.removeValue(forKey: map) {
        if map == .normal, pages.allSatisfy(MapPage.isFlat) {
          pictures.textures[map] = []
          continue
        }
        // Directions are relative to the chart, so that another chart's say nothing; classes don't mix.
        if map != .normal, map != .classification { MapPage.continueAcrossSeams(&pages, baking) }
        let alphas = map == .color ? alphas(opacities, baking) : []
        encoded[map] = try self.encoded(pages, alphas, as: map)
      }
      let pages = encoded[map] ?? []
      if let kind = map.besideModel {
        pictures.besideModel.append(SurfaceMap(kind: kind, pages: pages))
      } else {
        pictures.textures[map] = pages
      }
    }
    pictures.notes = notes(of: scales, source.coordinateSystem)
    if pictures.hasFlatNormals {
      pictures.notes.append(("flatNormals", true))
      pictures.notes.append(("summary", "no normal map: it would be flat"))
    }
    if let modes = pictures.alphaModes, !modes.isEmpty {
      pictures.notes.append(
        ("alphaMode", modes.values.contains(.blend) ? "blend" : "mask"))
    }
    return pictures
  }

  /// The opacities of pages, continued across seams like their colours; nil for a page that is opaque.
  private func alphas(_ opacities: [MapOpacity?], _ baking: MapBaking) -> [[UInt8]?] {
    guard opacities.contains(where: { $0 != nil }) else { return opacities.map { _ in nil } }
    let white = Image(
      width: parameters.size, height: parameters.size, filledWith: (255, 255, 255))
    var pages = opacities.map { $0?.image ?? white }
    MapPage.continueAcrossSeams(&pages, baking)
    return zip(opacities, pages).map { opacity, page in
      opacity == nil ? nil : Self.gray(page)
    }
  }

  private static func gray(_ image: Image) -> [UInt8] {
    (0..<image.width * image.height).map { image.pixels[3 * $0] }
  }

  // MARK: Values

  private func scales(_ baking: MapBaking, of source: Scene) throws -> Scales {
    let extent = Double(baking.extent)
    func units(_ length: RelativeLength) -> Float {
      Float(length.resolved(extent: extent, in: source.coordinateSystem))
    }
    var scales = Scales(
      occlusionDistance: units(parameters.occlusionDistance),
      curvatureRadius: units(parameters.curvatureRadius))
    if parameters.maps.contains(.position) { scales.box = baking.sourceBox }
    if parameters.maps.contains(.curvature) { scales.curvatures = baking.sourceCurvatures() }
    if parameters.maps.contains(.emissive) {
      let light = source.usedMaterials.map { source.materials[$0].emissive.max() }
      scales.emissiveWhite = max(1, light.max() ?? 1)
    }
    if parameters.maps.contains(.classification) { addClassColors(of: source, to: &scales) }
    return scales
  }

  /// Adds the colour of each face by its class, as in renderings.
  private func addClassColors(of source: Scene, to scales: inout Scales) {
    let looks = SurfaceLooks(source, choice: .classification, textures: [:])
    let table = SRGBTable.shared
    func code(_ mesh: Mesh, _ label: Int?) -> SIMD3<UInt8> {
      let color = looks.look(of: mesh, material: nil, label: label).color
      return SIMD3(table.code(color.x), table.code(color.y), table.code(color.z))
    }
    for mesh in source.meshes where mesh.faceCount > 0 {
      guard let classes = mesh.classes else {
        scales.classColors += [SIMD3<UInt8>](repeating: code(mesh, nil), count: mesh.faceCount)
        continue
      }
      let colors = classes.names.indices.map { code(mesh, $0) }
      scales.classColors += classes.labels.map { colors[Int($0)] }
      for label in Set(classes.labels) {
        scales.colorOfClass[classes.names[Int(label)]] = colors[Int(label)]
      }
    }
  }

  /// The values of a map of 16 bits, three channels per texel; nil for others.
  private func values(of map: Map, _ page: MapPage, _ scales: Scales) -> [UInt16]? {
    switch map {
    case .position: page.positions(in: scales.box)
    case .height: page.heights()
    case .curvature: page.curvatures(scales.curvatures, radius: scales.curvatureRadius)
    case .normal, .occlusion, .color, .metallicRoughness, .emissive, .classification: nil
    }
  }

  /// A map of 8 bits.
  private func image(
    of map: Map, _ page: MapPage, _ scales: Scales, _ context: StageContext
  ) throws -> Image {
    switch map {
    case .occlusion:
      try page.occlusion(
        within: scales.occlusionDistance, rays: min(127, (parameters.samples + 15) / 16),
        cancellation: context)
    case .color: page.colors()
    case .metallicRoughness: page.metallicRoughness()
    case .emissive: page.emissive(white: scales.emissiveWhite)
    case .classification: page.faceColors(scales.classColors)
    case .normal, .position, .height, .curvature: page.normals()
    }
  }

  // MARK: Meaning

  private func rounded(_ number: Double) -> Double { (number * 1e6).rounded() / 1e6 }
  private func text(_ number: Double) -> String { JSONValue.text(of: rounded(number)) }

  /// What black and white are, for readers of the file.
  private func description(
    of map: Map, _ scales: Scales, _ baking: MapBaking, _ source: Scene
  ) -> String? {
    let meters = source.coordinateSystem.metersPerUnit
    switch map {
    case .position:
      let (low, high) = (scales.box.minimum, scales.box.maximum)
      let axes = ["x", "y", "z"].enumerated().map { axis, name in
        "\(name) \(text(Double(low[axis]))) to \(text(Double(high[axis])))"
      }
      return "position: 0 to 65535 of red, green, blue is \(axes.joined(separator: ", ")); "
        + "1 is \(text(meters)) m, \(source.coordinateSystem.up.rawValue) is up"
    case .height:
      let reach = Length(meters: Double(baking.reach) * meters)
      let millimeters = reach.millimeters(digits: 3).compactText
      return "height along the normal: 0 is -\(millimeters) mm, 65535 is \(millimeters) mm"
    case .curvature:
      let most = text(1 / (Double(scales.curvatureRadius) * meters))
      return "mean curvature: 0 is -\(most) per metre (hollow), 65535 is \(most) per metre (convex)"
    case .normal, .occlusion, .color, .metallicRoughness, .emissive, .classification:
      return nil
    }
  }

  /// An sRGB colour as in HTML: `#c3a27c`.
  private static func hexadecimal(_ color: SIMD3<UInt8>) -> String {
    "#" + Color(red: color.x, green: color.y, blue: color.z).hexadecimal
  }

  private func notes(of scales: Scales, _ system: CoordinateSystem) -> [(String, JSONValue)] {
    var notes: [(String, JSONValue)] = []
    if !scales.box.isEmpty {
      let corners = [scales.box.minimum, scales.box.maximum].map { corner in
        JSONValue(.array((0..<3).map { JSONValue(.number(rounded(Double(corner[$0])))) }))
      }
      notes.append(("positionBox", JSONValue(.array(corners))))
    }
    if !scales.colorOfClass.isEmpty {
      let members = scales.colorOfClass.sorted { $0.key < $1.key }.map { name, color in
        JSONValue.Member(name, JSONValue(.string(Self.hexadecimal(color))))
      }
      notes.append(("classColors", JSONValue(.object(members))))
    }
    if parameters.maps.contains(.curvature) {
      let radius = Length(meters: Double(scales.curvatureRadius) * system.metersPerUnit)
      notes.append(("curvatureRadiusMillimeters", radius.millimeters(digits: 3)))
    }
    return notes
  }

  // MARK: Encoding

  private func encoded(
    _ values: [UInt16], _ size: SIMD2<Int>, of map: Map, _ description: String?
  ) throws -> [UInt8] {
    let isGray = map != .position
    let samples = isGray ? (0..<size.x * size.y).map { values[3 * $0] } : values
    return try PNG.encode16(
      samples, width: size.x, height: size.y, channels: isGray ? 1 : 3, description: description)
  }

  /// - Parameter alphas: The opacity of each page; none, or nil, for an opaque one.
  private func encoded(
    _ pages: [Image], _ alphas: [[UInt8]?], as map: Map
  ) throws -> [Texture] {
    let takesJPEG = (map == .color || map == .emissive) && parameters.format == .jpeg
    let encoded = Parallel.map(count: pages.count) { page in
      Result { () throws(ImageError) in
        let image = pages[page]
        if page < alphas.count, let alpha = alphas[page] {
          return try PNG.encode(image, alpha: alpha)
        }
        if takesJPEG { return try JPEG.encode(image, quality: parameters.quality) }
        guard map == .occlusion else { return try PNG.encode(image) }
        return try PNG.encodeGray8(Self.gray(image), width: image.width, height: image.height)
      }
    }
    return try encoded.enumerated().map { page, bytes in
      let isOpaque = page >= alphas.count || alphas[page] == nil
      return texture(
        try bytes.get(), map, page, of: pages.count, isJPEG: takesJPEG && isOpaque)
    }
  }

  private func texture(
    _ bytes: [UInt8], _ map: Map, _ page: Int, of count: Int, isJPEG: Bool = false
  ) -> Texture {
    Texture(
      fileName: map.rawValue + (count > 1 ? "-\(page + 1)" : "") + (isJPEG ? ".jpg" : ".png"),
      encoding: isJPEG ? .jpeg : .png, bytes: bytes)
  }
}
