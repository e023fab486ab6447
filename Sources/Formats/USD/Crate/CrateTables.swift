/// The tokens, texts and paths of a crate, each once.
struct CrateTables {
  /// A node of the tree of paths, in the order of the file: parents before children.
  struct Node {
    var token: UInt32
    /// Whether it is a property of the node above.
    var isProperty: Bool
    var hasChildren: Bool
    /// The number of nodes from this one to its next sibling; nil if it is the last.
    var siblingDistance: Int?

    /// Where the nodes around it are: the distance of the sibling if it has children, too; otherwise -1 if only children
    /// follow, 0 if only a sibling does, -2 if neither.
    var jump: Int {
      hasChildren ? siblingDistance ?? -1 : siblingDistance == nil ? -2 : 0
    }
  }

  /// The first must not name a property, whose index is written with a minus.
  private(set) var tokens = ["/"]
  private var tokenIndices: [String: UInt32] = ["/": 0]
  /// Tokens by index of the text.
  private(set) var strings: [UInt32] = []
  private var stringIndices: [String: UInt32] = [:]
  private(set) var nodes: [Node] = []
  private var pathIndices: [String: UInt32] = [:]

  /// The paths of a layer.
  init(of layer: USDLayer) {
    nodes.append(Node(token: 0, isProperty: false, hasChildren: true))
    pathIndices["/"] = 0
    addPrim(layer.root, under: "", isLast: true)
  }

  private mutating func addPrim(_ prim: USDPrim, under parent: String, isLast: Bool) {
    let path = "\(parent)/\(prim.name)"
    let start = nodes.count
    addNode(path, prim.name, hasChildren: !(prim.properties.isEmpty && prim.children.isEmpty))
    for (place, property) in prim.properties.enumerated() {
      let isLast = prim.children.isEmpty && place == prim.properties.count - 1
      addNode("\(path).\(property.name)", property.name, isProperty: true)
      if !isLast { nodes[nodes.count - 1].siblingDistance = 1 }
    }
    for (place, child) in prim.children.enumerated() {
      addPrim(child, under: path, isLast: place == prim.children.count - 1)
    }
    if !isLast { nodes[start].siblingDistance = nodes.count - start }
  }

  private mutating func addNode(
    _ path: String, _ name: String, isProperty: Bool = false, hasChildren: Bool = false
  ) {
    pathIndices[path] = UInt32(nodes.count)
    nodes.append(Node(token: token(name), isProperty: isProperty, hasChildren: hasChildren))
  }

  mutating func token(_ text: String) -> UInt32 {
    if let known = tokenIndices[text] { return known }
    let index = UInt32(tokens.count)
    tokens.append(text)
    tokenIndices[text] = index
    return index
  }

  mutating func string(_ text: String) -> UInt32 {
    if let known = stringIndices[text] { return known }
    let index = UInt32(strings.count)
    strings.append(token(text))
    stringIndices[text] = index
    return index
  }

  /// The index of a path of the layer.
  func path(_ path: String) -> UInt32 {
    guard let index = pathIndices[path] else { preconditionFailure("\(path) is not in the layer") }
    return index
  }
}
