import MeshPipeline

/// A path in a layer: the names of prims from the root, and of a property of the last.
struct USDPath: Sendable, Hashable {
  /// Choices of variants, `{set=variant}`, are elements of their own.
  var prims: [String] = []
  var property: String?

  /// Like in the file: `/room/wall.points`.
  var text: String { "/" + prims.joined(separator: "/") + (property.map { "." + $0 } ?? "") }
}

/// Another prim whose content a prim has, too.
struct USDReference: Sendable {
  /// The file of its layer; empty for the same layer.
  var file: String
  /// Nil for the default prim.
  var prim: USDPath?
}

/// What a layer does to a set of numbers that weaker ones may have given.
struct USDEdits: Sendable {
  /// All numbers; nil if the layer only changes those of weaker ones.
  var whole: [Int64]?
  var added: [Int64] = []
  var deleted: [Int64] = []

  var count: Int { (whole?.count ?? 0) + added.count + deleted.count }

  func apply(to numbers: inout Set<Int64>) {
    if let whole {
      numbers = Set(whole)
    } else {
      numbers.subtract(deleted)
      numbers.formUnion(added)
    }
  }
}

/// What a field of a layer says, as far as scenes are concerned.
enum USDContent: Sendable {
  /// Something without meaning here, or a value that was taken away.
  case nothing
  /// A token or a string.
  case text(String)
  case asset(String)
  /// A number, a truth value (0 or 1), a tuple, a quaternion (the real part last) or a matrix (row by row).
  case numbers([Double])
  case integers([Int32])
  case floats([Float], width: Int)
  case doubles([Double], width: Int)
  case texts([String])
  case paths([USDPath])
  case references([USDReference])
  /// Variants by their sets.
  case selections([String: String])
  /// Changes to a set of numbers.
  case edits(USDEdits)

  /// The number of values that were decoded for it.
  var elementCount: Int {
    switch self {
    case .nothing, .text, .asset, .numbers: 1
    case .integers(let values): values.count
    case .floats(let values, _): values.count
    case .doubles(let values, _): values.count
    case .texts(let values): values.count
    case .paths(let values): values.count
    case .references(let values): values.count
    case .selections(let values): values.count
    case .edits(let edits): edits.count
    }
  }
}

/// A field whose content is in memory, or somewhere in a file.
enum USDField: Sendable {
  case content(USDContent)
  /// The number by which ``USDStoredContents`` finds it.
  case stored(UInt64)
}

/// The contents of fields that are decoded when they are asked for.
protocol USDStoredContents: Sendable {
  func content(ofField reference: UInt64) throws -> USDContent
}

/// The prims, variants and properties of a layer.
struct USDTree: Sendable {
  struct Node: Sendable {
    /// A property's begins with a point.
    var name: String
    var parent: Int
    var depth: Int
    /// In the order of the file.
    var children: [Int] = []
    /// Those of the children that are variants.
    var variants: [Int] = []
    var fields: [String: USDField] = [:]

    var isProperty: Bool { name.utf8.first == UInt8(ascii: ".") }
    var isVariant: Bool { name.utf8.first == UInt8(ascii: "{") }
    /// The set and the variant of `{set=variant}`.
    var variant: (set: Substring, name: Substring)? {
      guard isVariant, let mark = name.firstIndex(of: "="), name.last == "}" else { return nil }
      return (
        name[name.index(after: name.startIndex)..<mark],
        name[name.index(after: mark)...].dropLast()
      )
    }
  }

  private struct Key: Hashable {
    var parent: Int
    var name: String
  }

  /// Deeper trees are not models.
  static let mostLevels = 200
  /// Longer names, in bytes, are not those of models either.
  static let longestName = 4096

  /// The first stands for the layer.
  private(set) var nodes = [Node(name: "", parent: 0, depth: 0)]
  private var places: [Key: Int] = [:]

  /// The child of a node with a name, made if there is none; nil if it would be too deep, or the name
  /// is too long.
  mutating func child(_ name: String, of parent: Int) -> Int? {
    guard name.utf8.count <= Self.longestName + 1 else { return nil }
    let key = Key(parent: parent, name: name)
    if let known = places[key] { return known }
    let depth = nodes[parent].depth + 1
    guard depth <= Self.mostLevels else { return nil }
    places[key] = nodes.count
    let node = Node(name: name, parent: parent, depth: depth)
    nodes[parent].children.append(nodes.count)
    if node.isVariant { nodes[parent].variants.append(nodes.count) }
    nodes.append(node)
    return nodes.count - 1
  }

  func existingChild(_ name: String, of parent: Int) -> Int? {
    guard name.utf8.count <= Self.longestName + 1 else { return nil }
    return places[Key(parent: parent, name: name)]
  }

  mutating func set(_ fields: [String: USDField], of node: Int) { nodes[node].fields = fields }

  mutating func set(_ field: String, _ content: USDContent, of node: Int) {
    nodes[node].fields[field] = .content(content)
  }

  /// Adds references to those that a field has.
  mutating func append(_ references: [USDReference], to field: String, of node: Int) {
    var all: [USDReference] = []
    // Taken out, so that the list is not copied.
    if case .content(.references(let known)) = nodes[node].fields.removeValue(forKey: field) {
      all = known
    }
    all += references
    nodes[node].fields[field] = .content(.references(all))
  }

  /// Adds a change to those of a field.
  mutating func edit(_ field: String, with numbers: [Int64], _ edit: String?, of node: Int) {
    var edits = USDEdits()
    // Taken out, so that the lists are not copied.
    if case .content(.edits(let known)) = nodes[node].fields.removeValue(forKey: field) {
      edits = known
    }
    switch edit {
    case nil: edits.whole = numbers
    case "delete": edits.deleted += numbers
    case "reorder": break
    default: edits.added += numbers
    }
    set(field, .edits(edits), of: node)
  }

  /// The path of a node.
  func path(of node: Int) -> USDPath {
    var path = USDPath()
    var index = node
    while index != 0 {
      if nodes[index].isProperty {
        path.property = String(nodes[index].name.dropFirst())
      } else {
        path.prims.append(nodes[index].name)
      }
      index = nodes[index].parent
    }
    path.prims.reverse()
    return path
  }
}

/// A layer that was read.
struct USDReadLayer: Sendable {
  var tree: USDTree
  /// The contents that are not in memory.
  var stored: (any USDStoredContents)?
  /// Its name in the package, or its file relative to the folder of the main file.
  var name: String
  var byteCount: Int

  /// What a field says; nil if it is not there.
  func content(_ field: String, of node: Int) throws -> USDContent? {
    switch tree.nodes[node].fields[field] {
    case .content(let content): content
    case .stored(let reference): try stored?.content(ofField: reference)
    case nil: nil
    }
  }
}
