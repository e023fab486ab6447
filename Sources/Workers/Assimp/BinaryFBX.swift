/// The node tree of a binary FBX file, read as Assimp writes it and written as FBX requires.
///
/// Assimp 5.2 omits the record of zeros at the end of a list of nested nodes, so that no program
/// can read the file, not even Assimp; later versions write it. The nodes' own lengths are
/// consistent and sufficient to find the tree, which is then rewritten with these records, correct
/// offsets and the usual footer.
struct BinaryFBX {
  /// A deviation of a file from what Assimp writes.
  enum Fault: Error {
    case notBinaryFBX
    case version(UInt32)
    case node(offset: Int)
  }

  private struct Node {
    /// The length of the name and the name.
    var name: Range<Int>
    var propertyCount: UInt64
    var properties: Range<Int>
    /// The replacement of the properties.
    var replacement: [UInt8]?
    var children: [Node]

    /// Nodes without properties end in a record of zeros too, even if they have no children.
    var endsInZeros: Bool { !children.isEmpty || propertyCount == 0 }

    var length: Int {
      children.reduce(
        BinaryFBX.fieldsLength + name.count + (replacement?.count ?? properties.count)
          + (endsInZeros ? BinaryFBX.zerosLength : 0)
      ) { $0 + $1.length }
    }
  }

  /// From version 7500 on offsets have 64 bits.
  private static let version: UInt32 = 7500
  private static let headerLength = 27
  /// End offset, number of properties, length of the properties.
  private static let fieldsLength = 24
  private static let zerosLength = 25
  private static let mark = Array("Kaydara FBX Binary  ".utf8) + [0, 0x1A, 0]
  private static let footerMark: [UInt8] = [
    0xFA, 0xBC, 0xAB, 0x09, 0xD0, 0xC8, 0xD4, 0x66, 0xB1, 0x76, 0xFB, 0x83, 0x1C, 0xF7, 0x26, 0x7E,
  ]
  private static let endMark: [UInt8] = [
    0xF8, 0x5A, 0x8C, 0x6A, 0xDE, 0xF5, 0xD9, 0x7E, 0xEC, 0xE9, 0x0C, 0xE3, 0x75, 0x8F, 0x29, 0x0B,
  ]

  private var bytes: [UInt8]
  private var nodes: [Node] = []

  init(_ bytes: [UInt8]) throws(Fault) {
    guard bytes.count > Self.headerLength, bytes.starts(with: Self.mark) else {
      throw .notBinaryFBX
    }
    self.bytes = bytes
    let version = UInt32(truncatingIfNeeded: number(at: Self.mark.count, 4))
    guard version == Self.version else { throw .version(version) }
    var offset = Self.headerLength
    // The top-level list does end in zeros.
    while offset + Self.fieldsLength < bytes.count, number(at: offset, 8) != 0 {
      nodes.append(try node(at: &offset, limit: bytes.count, depth: 0))
    }
  }

  private func number(at offset: Int, _ count: Int) -> UInt64 {
    (0..<count).reduce(0) { $0 | UInt64(bytes[offset + $1]) << (8 * $1) }
  }

  /// Reads the node at `offset` and moves the offset after it.
  private func node(at offset: inout Int, limit: Int, depth: Int) throws(Fault) -> Node {
    let start = offset
    guard depth < 64, start + Self.fieldsLength < limit else { throw .node(offset: start) }
    let end = Int(clamping: number(at: start, 8))
    let propertyCount = number(at: start + 8, 8)
    let propertyLength = Int(clamping: number(at: start + 16, 8))
    let name = start + Self.fieldsLength
    let properties = name + 1 + Int(bytes[name])
    guard end <= limit, properties <= end, propertyLength <= end - properties else {
      throw .node(offset: start)
    }
    offset = properties + propertyLength
    var children: [Node] = []
    while offset < end {
      // Assimp writes the record of zeros from 5.3 on.
      if end - offset == Self.zerosLength, bytes[offset..<end].allSatisfy({ $0 == 0 }) {
        offset = end
      } else {
        children.append(try node(at: &offset, limit: end, depth: depth + 1))
      }
    }
    return Node(
      name: name..<properties, propertyCount: propertyCount,
      properties: properties..<properties + propertyLength, children: children)
  }

  // MARK: Clock time

  /// Sets the date in the header.
  ///
  /// - Parameter fields: Year, month, day, hour, minute and second.
  mutating func setDate(_ fields: [Int32]) {
    let names = ["Year", "Month", "Day", "Hour", "Minute", "Second", "Millisecond"]
    for header in nodes where name(of: header) == "FBXHeaderExtension" {
      for stamp in header.children where name(of: stamp) == "CreationTimeStamp" {
        for field in stamp.children {
          guard let index = names.firstIndex(of: name(of: field)), field.properties.count == 5
          else {
            continue
          }
          let value = index < fields.count ? fields[index] : 0
          for byte in 0..<4 {
            bytes[field.properties.lowerBound + 1 + byte] = UInt8(
              truncatingIfNeeded: value >> (8 * byte))
          }
        }
      }
    }
  }

  // MARK: Textures

  /// Gives references to embedded textures the names of the embedded data, instead of `*2`.
  ///
  /// Blender finds the bytes only by name.
  mutating func setPictureNames(_ names: [String]) {
    visitFields(of: "Texture") { file, field in
      guard ["FileName", "RelativeFilename"].contains(file.name(of: field)),
        let text = file.string(field), text.first == "*", let number = Int(text.dropFirst()),
        names.indices.contains(number)
      else { return }
      field.replacement = file.property(names[number])
    }
  }

  /// The only property of a node if it is a string.
  private func string(_ node: Node) -> String? {
    let start = node.properties.lowerBound
    guard node.propertyCount == 1, node.properties.count >= 5,
      bytes[start] == UInt8(ascii: "S"), number(at: start + 1, 4) == node.properties.count - 5
    else { return nil }
    return String(decoding: bytes[node.properties.dropFirst(5)], as: UTF8.self)
  }

  // MARK: Materials

  /// Renames properties that no program reads to FBX's names.
  ///
  /// Emission is moved from `Emissive` to `EmissiveColor`. The specular colour is replaced by its
  /// strength, since Blender interprets Assimp's default of 1 as twice that of a dielectric
  /// surface.
  mutating func setMaterials() {
    visitFields(of: "Material") { file, field in
      guard file.name(of: field) == "Properties70" else { return }
      for index in field.children.indices {
        let entry = field.children[index]
        let vector = 3 * 9
        guard entry.propertyCount == 7, entry.properties.count > vector else { continue }
        let words = ["Emissive", "Specular"].map { file.property($0) }
        let start = file.bytes[entry.properties]
        if start.starts(with: words[0]) {
          let kind = ["EmissiveColor", "Color", "", "A"].flatMap { file.property($0) }
          field.children[index].replacement = kind + file.bytes[entry.properties.suffix(vector)]
        } else if start.starts(with: words[1]) {
          var value = ["SpecularFactor", "Number", "", "A"].flatMap { file.property($0) }
          value.append(UInt8(ascii: "D"))
          file.append(0.25.bitPattern, 8, to: &value)
          field.children[index].replacement = value
          field.children[index].propertyCount = 5
        }
      }
    }
  }

  // MARK: Comment

  /// Adds a comment on the document, whose place is in the header.
  mutating func setComment(_ text: String) {
    guard let header = nodes.firstIndex(where: { name(of: $0) == "FBXHeaderExtension" }) else {
      return
    }
    let version = made("Version", [UInt8(ascii: "I"), 100, 0, 0, 0])
    var contents = made("MetaData", [], count: 0)
    let empty = ["Title", "Subject", "Author", "Keywords", "Revision"]
    contents.children =
      [version] + empty.map { made($0, property("")) } + [made("Comment", property(text))]
    var info = made(
      "SceneInfo", property("GlobalInfo\u{0}\u{1}SceneInfo") + property("UserData"), count: 2)
    info.children = [made("Type", property("UserData")), version, contents]
    nodes[header].children.append(info)
  }

  /// A new node, whose name is put behind the bytes of the file.
  private mutating func made(_ name: String, _ properties: [UInt8], count: UInt64 = 1) -> Node {
    let start = bytes.count
    bytes += [UInt8(name.utf8.count)] + name.utf8
    return Node(
      name: start..<bytes.count, propertyCount: count, properties: start..<start,
      replacement: properties, children: [])
  }

  /// Calls `change` for the direct children of each object of a kind.
  private mutating func visitFields(
    of kind: String, _ change: (BinaryFBX, inout Node) -> Void
  ) {
    for index in nodes.indices where name(of: nodes[index]) == "Objects" {
      for object in nodes[index].children.indices
      where name(of: nodes[index].children[object]) == kind {
        for field in nodes[index].children[object].children.indices {
          var node = nodes[index].children[object].children[field]
          change(self, &node)
          nodes[index].children[object].children[field] = node
        }
      }
    }
  }

  private func property(_ text: String) -> [UInt8] {
    var result = [UInt8(ascii: "S")]
    append(UInt64(text.utf8.count), 4, to: &result)
    return result + text.utf8
  }

  private func name(of node: Node) -> String {
    String(decoding: bytes[node.name.dropFirst()], as: UTF8.self)
  }

  // MARK: Writing

  /// The corrected file.
  func repaired() -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(
      nodes.reduce(Self.headerLength + 256) { $0 + $1.length } + Self.zerosLength)
    output += bytes[..<Self.headerLength]
    for node in nodes { append(node, to: &output) }
    output += repeatElement(0, count: Self.zerosLength)

    output += Self.footerMark + [0, 0, 0, 0]
    // The rest of the footer begins at a multiple of 16, after at least one zero.
    output += repeatElement(0, count: 16 - output.count % 16)
    append(UInt64(Self.version), 4, to: &output)
    output += repeatElement(0, count: 120)
    output += Self.endMark
    return output
  }

  private func append(_ node: Node, to output: inout [UInt8]) {
    append(UInt64(output.count + node.length), 8, to: &output)
    append(node.propertyCount, 8, to: &output)
    append(UInt64(node.replacement?.count ?? node.properties.count), 8, to: &output)
    output += bytes[node.name]
    if let replacement = node.replacement {
      output += replacement
    } else {
      output += bytes[node.properties]
    }
    for child in node.children { append(child, to: &output) }
    if node.endsInZeros { output += repeatElement(0, count: Self.zerosLength) }
  }

  private func append(_ number: UInt64, _ count: Int, to output: inout [UInt8]) {
    for byte in 0..<count { output.append(UInt8(truncatingIfNeeded: number >> (8 * byte))) }
  }
}
