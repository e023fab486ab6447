import MeshPipeline
import NativeLibraries

/// Makes a layer of a MaterialX document, with the prims that OpenUSD's own reader makes of it: materials below
/// `/MaterialX/Materials`, and what their surfaces are connected to below `/MaterialX/NodeGraphs`.
struct MaterialXLayer {
  private let document: MaterialXDocument
  private var tree = USDTree()
  /// The elements of the document and of graphs by their names: a name is one's own in its graph.
  private var places: [Key: Int] = [:]
  /// The first output of each graph that has one.
  private var firstOutputs: [Int: String] = [:]
  /// The remaining number of inputs of surfaces, which each material has for itself.
  private var room: Int

  private struct Key: Hashable {
    var graph: Int
    var name: String
  }

  private static let materials = ["MaterialX", "Materials"]
  private static let graphs = ["MaterialX", "NodeGraphs"]

  private init(_ document: MaterialXDocument, mostInputs: Int) {
    self.document = document
    room = mostInputs
    for graph in [0] + document.children("nodegraph", of: 0) {
      for child in document.elements[graph].children {
        let name = document.elements[child].name
        let key = Key(graph: graph, name: name)
        if places[key] == nil { places[key] = child }
        if document.elements[child].category == "output", firstOutputs[graph] == nil {
          firstOutputs[graph] = Self.name(name)
        }
      }
    }
  }

  /// - Throws: ``XMLError`` for materials that share larger surfaces than any document has.
  static func layer(
    _ document: MaterialXDocument, named name: String, byteCount: Int, mostInputs: Int = 1_000_000
  ) throws(XMLError) -> USDReadLayer {
    var layer = MaterialXLayer(document, mostInputs: mostInputs)
    layer.tree.set("defaultPrim", .text("MaterialX"), of: 0)
    layer.addGraphs()
    for element in document.elements[0].children
    where document.elements[element]["type"] == "material" {
      layer.addMaterial(element)
      guard layer.room >= 0 else {
        throw XMLError(line: 1, message: "its materials have more inputs than plausible")
      }
    }
    return USDReadLayer(tree: layer.tree, stored: nil, name: name, byteCount: byteCount)
  }

  // MARK: Prims

  /// The node of a prim, made if it is not there.
  private mutating func prim(_ path: [String], type: String) -> Int? {
    var node = 0
    for name in path {
      guard let child = tree.child(name, of: node) else { return nil }
      if tree.nodes[child].fields.isEmpty { tree.set("specifier", .text("def"), of: child) }
      node = child
    }
    tree.set("typeName", .text(type), of: node)
    return node
  }

  private mutating func set(_ field: String, _ content: USDContent, _ name: String, of prim: Int) {
    guard let property = tree.child("." + name, of: prim) else { return }
    tree.set(field, content, of: property)
  }

  /// Names of MaterialX may have namespaces, which prims have not; variants and properties begin with other marks.
  private static func name(_ name: String) -> String {
    let name = name.replacing(":", with: "__")
    return name.hasPrefix(".") || name.hasPrefix("{") ? "_" + name : name
  }

  private func path(ofGraph graph: Int) -> [String] {
    graph == 0 ? Self.graphs : Self.graphs + [Self.name(document.elements[graph].name)]
  }

  // MARK: Graphs

  /// The graphs, and the nodes of the document that are in none.
  private mutating func addGraphs() {
    for graph in [0] + document.children("nodegraph", of: 0) {
      guard let prim = prim(path(ofGraph: graph), type: graph == 0 ? "Scope" : "NodeGraph") else {
        continue
      }
      for child in document.elements[graph].children {
        let element = document.elements[child]
        switch element.category {
        case "input": addInput(child, of: prim, in: 0)
        case "output":
          guard let source = source(of: child, in: graph) else { break }
          set("connectionPaths", .paths([source]), "outputs:" + Self.name(element.name), of: prim)
        default:
          guard let type = element["type"], type != "material", !element.name.isEmpty else {
            break
          }
          addNode(child, path(ofGraph: graph), in: graph)
        }
      }
    }
  }

  private mutating func addNode(_ node: Int, _ path: [String], in graph: Int) {
    let element = document.elements[node]
    guard let prim = prim(path + [Self.name(element.name)], type: "Shader") else { return }
    let id = "ND_\(element.category)_\(element["type"] ?? "")"
    set("default", .text(id), "info:id", of: prim)
    for input in document.children("input", of: node) { addInput(input, of: prim, in: graph) }
  }

  /// An input with its value, or with what it is connected to in a graph.
  private mutating func addInput(_ input: Int, of prim: Int, in graph: Int) {
    let element = document.elements[input]
    guard !element.name.isEmpty else { return }
    let name = "inputs:" + Self.name(element.name)
    guard let source = source(of: input, in: graph) else { return addValue(input, name, of: prim) }
    guard let channels = element["channels"] else {
      return set("connectionPaths", .paths([source]), name, of: prim)
    }
    // Older documents choose channels where they connect.
    guard let chooser = tree.child(Self.name(element.name) + "__channels", of: prim) else { return }
    tree.set("specifier", .text("def"), of: chooser)
    set("default", .text("ND_swizzle"), "info:id", of: chooser)
    set("default", .text(channels), "inputs:channels", of: chooser)
    set("connectionPaths", .paths([source]), "inputs:in", of: chooser)
    let output = USDPath(prims: tree.path(of: chooser).prims, property: "outputs:out")
    set("connectionPaths", .paths([output]), name, of: prim)
  }

  /// What an input or output is connected to; nil if to nothing.
  private func source(of port: Int, in graph: Int) -> USDPath? {
    let element = document.elements[port]
    if let name = element["interfacename"] {
      return USDPath(prims: path(ofGraph: graph), property: "inputs:" + Self.name(name))
    }
    let output = element["output"].map(Self.name)
    if let name = element["nodegraph"] { return source(inGraph: name, output) }
    if let name = element["nodename"] {
      if let node = places[Key(graph: graph, name: name)],
        document.elements[node].category == "nodegraph"
      {
        return source(inGraph: name, output)
      }
      return USDPath(
        prims: path(ofGraph: graph) + [Self.name(name)], property: "outputs:" + (output ?? "out"))
    }
    // An output of the document.
    return element.category == "input"
      ? output.map { USDPath(prims: Self.graphs, property: "outputs:" + $0) } : nil
  }

  private func source(inGraph name: String, _ output: String?) -> USDPath? {
    guard let graph = places[Key(graph: 0, name: name)] else { return nil }
    guard let output = output ?? firstOutputs[graph] else { return nil }
    return USDPath(prims: path(ofGraph: graph), property: "outputs:" + output)
  }

  // MARK: Materials

  /// A material, whose inputs are those of its surface, so that other layers can change them.
  private mutating func addMaterial(_ material: Int) {
    let path = Self.materials + [Self.name(document.elements[material].name)]
    guard !document.elements[material].name.isEmpty, let prim = prim(path, type: "Material") else {
      return
    }
    for input in document.children("input", of: material) where room >= 0 {
      guard let output = Self.output(document.elements[input]["type"]),
        var source = source(of: input, in: 0)
      else { continue }
      if let name = document.elements[input]["nodename"],
        let surface = places[Key(graph: 0, name: name)],
        document.elements[surface].category != "nodegraph"
      {
        addSurface(surface, path, prim)
        source.prims = path + [Self.name(name)]
      }
      set("connectionPaths", .paths([source]), output, of: prim)
    }
  }

  private static func output(_ type: String?) -> String? {
    switch type {
    case "surfaceshader": "outputs:mtlx:surface"
    case "displacementshader": "outputs:mtlx:displacement"
    case "volumeshader": "outputs:mtlx:volume"
    default: nil
    }
  }

  private mutating func addSurface(_ surface: Int, _ path: [String], _ material: Int) {
    var names = Set(MaterialXModel.named(document.elements[surface].category)?.inputs ?? [])
    room -= names.count + document.elements[surface].children.count
    guard room >= 0 else { return }
    addNode(surface, path, in: 0)
    let element = document.elements[surface]
    guard let node = tree.existingChild(Self.name(element.name), of: material) else { return }
    var connected: Set<String> = []
    for input in document.children("input", of: surface) {
      let name = document.elements[input].name
      if source(of: input, in: 0) == nil {
        names.insert(name)
        addValue(input, "inputs:" + Self.name(name), of: material)
      } else {
        connected.insert(name)
      }
    }
    for name in names.subtracting(connected).sorted() {
      let source = USDPath(prims: path, property: "inputs:" + Self.name(name))
      set("connectionPaths", .paths([source]), "inputs:" + Self.name(name), of: node)
    }
  }

  // MARK: Values

  private mutating func addValue(_ input: Int, _ name: String, of prim: Int) {
    let element = document.elements[input]
    guard let text = element["value"] else { return }
    switch element["type"] {
    case "filename":
      // Readers of OpenUSD do not know prefixes, so that some files repeat them.
      let prefix = document.active("fileprefix", of: input) ?? ""
      set("default", .asset(prefix + text), name, of: prim)
      if !prefix.isEmpty { set("plainFile", .asset(text), name, of: prim) }
      if let space = document.colorSpace(of: input, isPicture: true) {
        set("colorSpace", .text(space), name, of: prim)
      }
    case "string", "geomname", nil: set("default", .text(text), name, of: prim)
    case "boolean": set("default", .numbers([text == "true" ? 1 : 0]), name, of: prim)
    case let type?:
      let numbers = text.split { $0 == "," || $0 == " " }.compactMap { Double($0) }
      guard !numbers.isEmpty else { break }
      set("default", .numbers(numbers), name, of: prim)
      if type.hasPrefix("color"), let space = document.colorSpace(of: input, isPicture: false) {
        set("colorSpace", .text(space), name, of: prim)
      }
    }
  }
}
