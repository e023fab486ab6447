import MeshPipeline

/// Reads a layer as text.
struct USDTextReader {
  private var tokens: USDTokenizer
  private var tree = USDTree()

  static let identifier = "#usda "

  private init(_ bytes: USDBytes) throws { tokens = try USDTokenizer(bytes) }

  /// The layer of a file.
  static func layer(_ bytes: USDBytes, named name: String) throws -> USDReadLayer {
    var reader = try USDTextReader(bytes)
    if reader.tokens.skip("(") { try reader.readMetadata(of: 0) }
    while reader.tokens.peek() != nil { try reader.readElement(of: 0) }
    return USDReadLayer(tree: reader.tree, stored: nil, name: name, byteCount: bytes.count)
  }

  // MARK: Prims

  /// A prim, a set of variants or a property of a node.
  private mutating func readElement(of node: Int) throws {
    guard let word = tokens.peekWord() else {
      throw tokens.fault("expected a prim or a property")
    }
    switch word {
    case "def", "over", "class": try readPrim(of: node)
    case "variantSet" where node != 0: try readVariants(of: node)
    case "reorder":
      _ = (tokens.word(), tokens.word())
      try tokens.expect("=")
      _ = try value(of: nil)
    default:
      guard node != 0 else {
        throw tokens.fault("expected 'def', 'over' or 'class' instead of '\(word.prefix(24))'")
      }
      try readProperty(of: node)
    }
  }

  private mutating func child(_ name: String, of parent: Int) throws -> Int {
    guard let node = tree.child(name, of: parent) else {
      throw tokens.fault("the tree of prims is deeper than \(USDTree.mostLevels) levels")
    }
    return node
  }

  private mutating func readPrim(of parent: Int) throws {
    let specifier = tokens.word() ?? ""
    let type = tokens.word()
    let name = try tokens.text()
    guard !name.isEmpty, !name.hasPrefix("."), !name.hasPrefix("{") else {
      throw tokens.fault("a prim has the invalid name '\(name.prefix(24))'")
    }
    let node = try child(name, of: parent)
    tree.set("specifier", .text(specifier), of: node)
    if let type { tree.set("typeName", .text(type), of: node) }
    if tokens.skip("(") { try readMetadata(of: node) }
    try readContents(of: node)
  }

  private mutating func readContents(of node: Int) throws {
    try tokens.expect("{")
    while !tokens.skip("}") {
      if tokens.skip(";") { continue }
      guard tokens.peek() != nil else { throw tokens.fault("a '}' is missing") }
      try readElement(of: node)
    }
  }

  private mutating func readVariants(of node: Int) throws {
    _ = tokens.word()
    let set = try tokens.text()
    try tokens.expect("=")
    try tokens.expect("{")
    while !tokens.skip("}") {
      let variant = try child("{\(set)=\(try tokens.text())}", of: node)
      tree.set("specifier", .text("over"), of: variant)
      if tokens.skip("(") { try readMetadata(of: variant) }
      try readContents(of: variant)
    }
  }

  // MARK: Metadata

  /// Entries up to the closing bracket.
  private mutating func readMetadata(of node: Int) throws {
    while !tokens.skip(")") {
      if tokens.skip(";") || tokens.skip(",") { continue }
      _ = tokens.peek()
      // A comment.
      if tokens.isText {
        _ = try tokens.text()
        continue
      }
      guard var key = tokens.word() else { throw tokens.fault("expected metadata or ')'") }
      var edit: String?
      if ["add", "prepend", "append", "delete", "reorder"].contains(key), let next = tokens.word() {
        (edit, key) = (key, next)
      }
      try tokens.expect("=")
      try readMetadata(key, of: node, edit: edit)
    }
  }

  /// - Parameter edit: What happens to a list; nil if it is given as a whole.
  private mutating func readMetadata(_ key: String, of node: Int, edit: String?) throws {
    let isRemoval = edit == "delete" || edit == "reorder"
    switch key {
    case "references", "payload", "subLayers":
      let list = try references(of: node)
      guard !isRemoval else { return }
      append(list, to: key, of: node)
    case "inherits", "specializes":
      let paths = try references(of: node).compactMap(\.prim)
      guard !isRemoval else { return }
      tree.set(key == "inherits" ? "inheritPaths" : key, .paths(paths), of: node)
    case "inactiveIds":
      let numbers: [Int64]
      switch try value(of: "double[]") {
      case .doubles(let doubles, _): numbers = doubles.compactMap { Int64(exactly: $0.rounded()) }
      default: numbers = []
      }
      tree.edit(key, with: numbers, edit, of: node)
    case "variants":
      tree.set("variantSelection", .selections(try selections()), of: node)
    default:
      let content = try value(of: nil)
      guard !isRemoval else { return }
      tree.set(key, content, of: node)
    }
  }

  private mutating func append(_ list: [USDReference], to key: String, of node: Int) {
    if key == "subLayers" { return tree.set(key, .texts(list.map(\.file)), of: node) }
    tree.append(list, to: key, of: node)
  }

  /// One reference or a list, each of a file, a path or both, with metadata of its own.
  ///
  /// - Parameter areTargets: Of a relationship or a connection, after which come the metadata of the property.
  private mutating func references(
    of node: Int, areTargets: Bool = false
  ) throws -> [USDReference] {
    if tokens.peekWord() == "None" {
      _ = tokens.word()
      return []
    }
    guard tokens.skip("[") else { return [try reference(of: node, isTarget: areTargets)] }
    var list: [USDReference] = []
    while !tokens.skip("]") {
      if tokens.skip(",") { continue }
      list.append(try reference(of: node, isTarget: areTargets))
    }
    return list
  }

  private mutating func reference(of node: Int, isTarget: Bool) throws -> USDReference {
    var reference = USDReference(file: "", prim: nil)
    if tokens.peek() == UInt8(ascii: "@") { reference.file = try tokens.enclosed("@", "@") }
    if tokens.peek() == UInt8(ascii: "<") { reference.prim = try path(from: node) }
    guard !reference.file.isEmpty || reference.prim != nil else {
      throw tokens.fault("expected a file in '@' or a path in '<' and '>'")
    }
    if !isTarget, tokens.peek() == UInt8(ascii: "(") { try tokens.skipBrackets() }
    return reference
  }

  private mutating func selections() throws -> [String: String] {
    var result: [String: String] = [:]
    try tokens.expect("{")
    while !tokens.skip("}") {
      if tokens.skip(";") || tokens.skip(",") { continue }
      guard tokens.word() != nil else { throw tokens.fault("expected 'string' or '}'") }
      _ = tokens.peek()
      let set = tokens.isText ? try tokens.text() : tokens.word() ?? ""
      try tokens.expect("=")
      result[set] = try tokens.text()
    }
    return result
  }

  /// A path, which may be relative to the prim of a node.
  private mutating func path(from node: Int) throws -> USDPath {
    let text = try tokens.enclosed("<", ">")
    var path = USDPath()
    if !text.hasPrefix("/") {
      path.prims = tree.path(of: node).prims.filter { !$0.hasPrefix("{") }
    }
    // The point of a property is the first one that is not of '..'.
    for part in text.split(separator: "/") {
      if part == ".." {
        _ = path.prims.popLast()
      } else if part != "." {
        let name = part.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        if let prim = name.first, !prim.isEmpty { path.prims.append(String(prim)) }
        if name.count > 1 { path.property = String(name[1]) }
      }
    }
    return path
  }

  // MARK: Properties

  private mutating func readProperty(of prim: Int) throws {
    var isRemoval = false
    var type = tokens.word() ?? ""
    while [
      "custom", "uniform", "varying", "config", "add", "prepend", "append", "delete", "reorder",
    ]
    .contains(type) {
      isRemoval = isRemoval || type == "delete" || type == "reorder"
      guard let next = tokens.word() else { throw tokens.fault("expected the type of a property") }
      type = next
    }
    if tokens.skip("[") {
      try tokens.expect("]")
      type += "[]"
    }
    guard let name = tokens.word() else { throw tokens.fault("expected the name of a property") }
    let property = try child("." + name, of: prim)
    if type != "rel" { tree.set("typeName", .text(type), of: property) }
    let form = tokens.skip(".") ? tokens.word() : nil
    if tokens.skip("=") {
      let field: String
      let content: USDContent
      if type == "rel" || form == "connect" {
        field = form == "connect" ? "connectionPaths" : "targetPaths"
        content = .paths(try references(of: prim, areTargets: true).compactMap(\.prim))
      } else if form == "timeSamples" {
        field = "timeSamples"
        content = try firstSample(of: type)
      } else if form != nil {
        // The curve of an animation.
        if tokens.peek() == UInt8(ascii: "{") {
          try tokens.skipBrackets()
        } else {
          _ = try value(of: nil)
        }
        return
      } else {
        (field, content) = ("default", try value(of: type))
      }
      if !isRemoval { tree.set(field, content, of: property) }
    } else if type == "rel" {
      tree.set("targetPaths", .paths([]), of: property)
    }
    if tokens.skip("(") { try readMetadata(of: property) }
  }

  private mutating func firstSample(of type: String) throws -> USDContent {
    var result = USDContent.nothing
    var isFirst = true
    try tokens.expect("{")
    while !tokens.skip("}") {
      if tokens.skip(",") { continue }
      guard tokens.number() != nil else { throw tokens.fault("expected the time of a sample") }
      try tokens.expect(":")
      let content = try value(of: type)
      if isFirst { result = content }
      isFirst = false
    }
    return result
  }

  private mutating func value(of type: String?) throws -> USDContent {
    var reader = USDValueReader(tokens)
    defer { tokens = reader.tokens }
    return try reader.value(of: type)
  }
}
