import MeshPipeline
import NativeLibraries

/// Reads the tables of a crate file of the versions 0.0.1 to 0.10, after its own description in OpenUSD
/// (`pxr/usd/sdf/crateFile.h`); values stay in the file until they are asked for.
struct CrateReader {
  private let bytes: USDBytes
  private let decoding: CrateDecoding
  private let version: CrateVersion
  private var sections: [String: Range<Int>] = [:]
  private var tokens: [String] = []
  /// The names of properties by their tokens.
  private var propertyNames: [Int: String] = [:]
  private var strings: [UInt32] = []
  private var fields: [(token: UInt32, value: UInt64)] = []
  private var fieldSets: [UInt32] = []
  /// Nodes of the tree by index of the path; -1 for paths without meaning here.
  private var nodes: [Int] = []
  private var tree = USDTree()

  static let identifier = "PXR-USDC"
  private static let headerSize = 88
  /// Versions that may mean something else by the same bytes.
  private static let newest = CrateVersion(0, 12, 255)

  private init(_ bytes: USDBytes) throws {
    self.bytes = bytes
    decoding = CrateDecoding(bytes: bytes)
    guard bytes.count >= Self.headerSize else {
      throw bytes.fault(bytes.count, "the crate is truncated: its header has 88 bytes")
    }
    let numbers: [UInt8] = try bytes.integers(at: 8, 3)
    version = CrateVersion(numbers[0], numbers[1], numbers[2])
    guard version <= Self.newest else {
      throw bytes.fault(
        8,
        "the crate has version \(version), and meshpipe reads up to 0.12; save it as 0.10 or earlier"
      )
    }
  }

  /// The layer of a file.
  static func layer(_ bytes: USDBytes, named name: String) throws -> USDReadLayer {
    var reader = try CrateReader(bytes)
    try reader.readContents()
    try reader.readTokens()
    try reader.readStrings()
    try reader.readFields()
    try reader.readFieldSets()
    try reader.readPaths()
    try reader.readSpecs()
    let values = CrateValues(
      bytes: bytes, version: reader.version, tokens: reader.tokens, strings: reader.strings,
      paths: reader.nodes, tree: reader.tree)
    return USDReadLayer(tree: reader.tree, stored: values, name: name, byteCount: bytes.count)
  }

  /// The names and texts of a file.
  static func tokens(of bytes: USDBytes) throws -> [String] {
    var reader = try CrateReader(bytes)
    try reader.readContents()
    try reader.readTokens()
    return reader.tokens
  }

  private mutating func readContents() throws {
    let offset = try bytes.size(at: 16)
    let count = try bytes.size(at: offset)
    _ = try bytes.range(offset + 8, count, of: 32)
    guard count <= 64 else { throw bytes.fault(offset, "the crate has \(count) sections") }
    for index in 0..<count {
      let entry = offset + 8 + 32 * index
      let name: [UInt8] = try bytes.integers(at: entry, 16)
      let (start, size) = (try bytes.size(at: entry + 16), try bytes.size(at: entry + 24))
      let text = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
      sections[text] = try bytes.range(start, size, of: 1)
    }
  }

  private func section(_ name: String) throws -> Range<Int> {
    guard let section = sections[name] else {
      throw bytes.fault(16, "the crate has no section \(name)")
    }
    return section
  }

  /// A count of entries that is plausible for a file of this size.
  private func count(at offset: Int) throws -> Int {
    let count = try bytes.size(at: offset)
    guard count <= 1_000_000 + bytes.count else {
      throw bytes.fault(offset, "\(count) entries are more than plausible; is the file damaged?")
    }
    return count
  }

  /// Integers of 32 bits, as all tables have since version 0.4.0; advances the offset.
  private func column(_ offset: inout Int, _ count: Int) throws -> [UInt32] {
    let (numbers, end) = try decoding.integers(at: offset, count, UInt32.self)
    offset = end
    return numbers
  }

  /// That even a small layer may have.
  private static let mostNameBytes = 1 << 24

  // MARK: Tables

  private mutating func readTokens() throws {
    let start = try section("TOKENS").lowerBound
    let count = try count(at: start)
    let size = try bytes.size(at: start + 8)
    guard size <= Self.mostNameBytes + 64 * bytes.count else {
      throw bytes.fault(start, "\(size) bytes of names are more than plausible")
    }
    let text: [UInt8]
    if version < CrateVersion(0, 4, 0) {
      text = try bytes.integers(at: start + 16, size)
    } else {
      let part = try bytes.range(start + 24, bytes.size(at: start + 16), of: 1)
      text = try decoding.unpacked(part, most: size)
    }
    tokens.reserveCapacity(min(count, text.count))
    for token in text.split(separator: 0, maxSplits: count, omittingEmptySubsequences: false)
      .prefix(count)
    {
      tokens.append(String(decoding: token, as: UTF8.self))
    }
    guard tokens.count == count else {
      throw bytes.fault(start, "\(count) names are declared, but there are \(tokens.count)")
    }
  }

  private mutating func readStrings() throws {
    // Some writers leave empty sections out.
    guard let start = sections["STRINGS"]?.lowerBound else { return }
    strings = try bytes.integers(at: start + 8, bytes.size(at: start))
  }

  private mutating func readFields() throws {
    var offset = try section("FIELDS").lowerBound
    let count = try count(at: offset)
    offset += 8
    if version < CrateVersion(0, 4, 0) {
      _ = try bytes.range(offset, count, of: 16)
      for index in 0..<count {
        // Four bytes of padding come first.
        fields.append(
          (
            try bytes.integer(at: offset + 16 * index + 4),
            try bytes.integer(at: offset + 16 * index + 8)
          ))
      }
      return
    }
    let names = try column(&offset, count)
    let part = try bytes.range(offset + 8, bytes.size(at: offset), of: 1)
    let values = try decoding.unpacked(part, most: 8 * count)
    guard values.count == 8 * count else {
      throw bytes.fault(offset, "the values of \(count) fields are incomplete")
    }
    let span = values.span
    for index in 0..<count { fields.append((names[index], span.word(at: 8 * index))) }
  }

  private mutating func readFieldSets() throws {
    var offset = try section("FIELDSETS").lowerBound
    let count = try count(at: offset)
    offset += 8
    fieldSets =
      version < CrateVersion(0, 4, 0)
      ? try bytes.integers(at: offset, count) : try column(&offset, count)
  }

  // MARK: Paths

  private mutating func readPaths() throws {
    let start = try section("PATHS").lowerBound
    nodes = [Int](repeating: -1, count: try count(at: start))
    if version < CrateVersion(0, 4, 0) { return try readLinkedPaths(from: start + 8) }
    let count = try count(at: start + 8)
    var offset = start + 16
    let indices = try column(&offset, count)
    let names = try column(&offset, count).map { Int32(bitPattern: $0) }
    let jumps = try column(&offset, count).map { Int32(bitPattern: $0) }
    // Nodes yet to come, with their parents: the next one, and siblings after the children of others.
    var open = count > 0 ? [(place: 0, parent: -1)] : []
    var seen = 0
    while let next = open.popLast() {
      let (place, parent) = next
      seen += 1
      guard place < count, seen <= count else {
        throw bytes.fault(start, "the paths of the crate don't form a tree")
      }
      let name = names[place]
      let node = try add(
        indices[place], name: Int(name.magnitude), isProperty: name < 0, parent: parent,
        offset: start)
      let jump = Int(jumps[place])
      if jump > 0 { open.append((place + jump, parent)) }
      if jump == 0 { open.append((place + 1, parent)) }
      if jump > 0 || jump == -1 { open.append((place + 1, node)) }
    }
  }

  /// Paths of versions before 0.4.0: each node says whether a child or a sibling follows, and where the sibling is if
  /// both do.
  private mutating func readLinkedPaths(from start: Int) throws {
    let size = version == CrateVersion(0, 0, 1) ? 16 : 12
    var open = nodes.isEmpty ? [] : [(offset: start, parent: -1)]
    var seen = 0
    while let next = open.popLast() {
      let (offset, parent) = next
      seen += 1
      guard seen <= nodes.count, offset < bytes.count else {
        throw bytes.fault(start, "the paths of the crate don't form a tree")
      }
      let index = offset + size - 12
      let flags: UInt8 = try bytes.integer(at: index + 8)
      let node = try add(
        bytes.integer(at: index), name: Int(try bytes.integer(at: index + 4, UInt32.self)),
        isProperty: flags & 4 != 0, parent: parent, offset: offset)
      let (hasChild, hasSibling) = (flags & 1 != 0, flags & 2 != 0)
      if hasChild && hasSibling { open.append((try bytes.size(at: offset + size), parent)) }
      if !hasChild && hasSibling { open.append((offset + size, parent)) }
      if hasChild { open.append((offset + size + (hasSibling ? 8 : 0), node)) }
    }
  }

  /// Adds a path to the tree.
  ///
  /// - Parameter parent: The node above; -1 for the root, -2 below a path without meaning here.
  /// - Returns: The node, or -2.
  private mutating func add(
    _ index: UInt32, name: Int, isProperty: Bool, parent: Int, offset: Int
  ) throws -> Int {
    guard index < nodes.count else {
      throw bytes.fault(offset, "path \(index) does not exist; there are \(nodes.count)")
    }
    if parent == -1 {
      nodes[Int(index)] = 0
      return 0
    }
    guard name < tokens.count else {
      throw bytes.fault(offset, "name \(name) does not exist; there are \(tokens.count)")
    }
    // Targets of relationships are specs of their own, which say nothing.
    guard parent >= 0, !tokens[name].hasPrefix("["), !tree.nodes[parent].isProperty else {
      return -2
    }
    guard tokens[name].utf8.count <= USDTree.longestName else {
      throw bytes.fault(offset, "name \(name) has \(tokens[name].utf8.count) bytes")
    }
    let text = isProperty ? propertyName(name) : tokens[name]
    guard !text.isEmpty, isProperty || !text.hasPrefix("."),
      let node = tree.child(text, of: parent)
    else {
      throw bytes.fault(offset, "the tree of prims is deeper than \(USDTree.mostLevels) levels")
    }
    nodes[Int(index)] = node
    return node
  }

  /// Properties have a point before their names, which many prims share.
  private mutating func propertyName(_ token: Int) -> String {
    if let known = propertyNames[token] { return known }
    let name = "." + tokens[token]
    propertyNames[token] = name
    return name
  }

  // MARK: Specs

  private mutating func readSpecs() throws {
    var offset = try section("SPECS").lowerBound
    let start = offset
    let count = try count(at: offset)
    offset += 8
    var (paths, sets): ([UInt32], [UInt32]) = ([], [])
    if version < CrateVersion(0, 4, 0) {
      let size = version == CrateVersion(0, 0, 1) ? 16 : 12
      _ = try bytes.range(offset, count, of: size)
      for index in 0..<count {
        let entry = offset + size * index + size - 12
        paths.append(try bytes.integer(at: entry))
        sets.append(try bytes.integer(at: entry + 4))
      }
    } else {
      paths = try column(&offset, count)
      sets = try column(&offset, count)
    }
    var known: [UInt32: [String: USDField]] = [:]
    for (path, set) in zip(paths, sets) {
      guard path < nodes.count else { throw bytes.fault(start, "path \(path) does not exist") }
      let node = nodes[Int(path)]
      guard node >= 0 else { continue }
      let content = try known[set] ?? self.fields(ofSet: set, start)
      known[set] = content
      tree.set(content, of: node)
    }
  }

  private func fields(ofSet set: UInt32, _ offset: Int) throws -> [String: USDField] {
    var result: [String: USDField] = [:]
    var place = Int(set)
    // Sets follow one another; overlapping ones would multiply the fields.
    guard place == 0 || (place <= fieldSets.count && fieldSets[place - 1] == .max) else {
      throw bytes.fault(offset, "a set of fields begins inside another one")
    }
    while place < fieldSets.count, fieldSets[place] != .max {
      let index = Int(fieldSets[place])
      guard index < fields.count, fields[index].token < tokens.count else {
        throw bytes.fault(offset, "field \(index) does not exist; there are \(fields.count)")
      }
      let name = tokens[Int(fields[index].token)]
      if name.utf8.count <= USDTree.longestName {
        result[name] = .stored(fields[index].value)
      }
      place += 1
    }
    guard place < fieldSets.count else {
      throw bytes.fault(offset, "a set of fields has no end")
    }
    return result
  }
}

/// The version of a crate.
struct CrateVersion: Comparable, CustomStringConvertible, Sendable {
  private let numbers: [UInt8]

  init(_ major: UInt8, _ minor: UInt8, _ patch: UInt8) { numbers = [major, minor, patch] }

  static func < (left: CrateVersion, right: CrateVersion) -> Bool {
    left.numbers.lexicographicallyPrecedes(right.numbers)
  }

  var description: String { numbers.map(String.init).joined(separator: ".") }
}
