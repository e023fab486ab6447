import MeshPipeline

/// Lays out the values, fields and specs of a crate.
struct CrateBuilder {
  /// What a spec describes, by its number.
  private enum SpecType: UInt32 {
    case attribute = 1
    case prim = 6
    case pseudoRoot = 7
    case relationship = 8
  }

  private struct Field: Hashable {
    var token: UInt32
    var value: CrateReference
  }

  /// The values that have a place in the file.
  private(set) var values: CrateParts
  private var tables: CrateTables
  private var fields: [Field] = []
  private var fieldIndices: [Field: UInt32] = [:]
  /// Indices of fields; each set ends with ``setEnd``.
  private var fieldSets: [UInt32] = []
  private var setIndices: [[UInt32]: UInt32] = [:]
  private var specs: [(path: UInt32, fieldSet: UInt32, type: SpecType)] = []

  private static let setEnd = UInt32.max

  /// - Parameter start: The offset of the values in the file.
  init(_ layer: USDLayer, at start: Int) {
    values = CrateParts(at: start)
    tables = CrateTables(of: layer)
    var fields = layer.metadata.map { ($0.name, reference(to: $0.value)) }
    fields.append(("primChildren", vector([layer.root.name])))
    addSpec("/", .pseudoRoot, fields)
    addPrim(layer.root, under: "")
  }

  // MARK: Specs

  private mutating func addPrim(_ prim: USDPrim, under parent: String) {
    let path = "\(parent)/\(prim.name)"
    var fields = [
      // Zero is a definition.
      ("specifier", CrateReference(.specifier, inline: 0)),
      ("typeName", CrateReference(.token, inline: tables.token(prim.type))),
    ]
    if !prim.apiSchemas.isEmpty { fields.append(("apiSchemas", prepended(prim.apiSchemas))) }
    if let kind = prim.kind { fields.append(("kind", reference(to: .token(kind)))) }
    if !prim.properties.isEmpty {
      fields.append(("properties", vector(prim.properties.map(\.name))))
    }
    if !prim.children.isEmpty {
      fields.append(("primChildren", vector(prim.children.map(\.name))))
    }
    addSpec(path, .prim, fields)
    for property in prim.properties { addProperty(property, of: path) }
    for child in prim.children { addPrim(child, under: path) }
  }

  private mutating func addProperty(_ property: USDProperty, of prim: String) {
    let path = "\(prim).\(property.name)"
    guard let type = property.type else {
      let target = property.target.map { explicitPath($0) }
      // Relationships don't vary over time.
      var fields = [("variability", CrateReference(.variability, inline: 1))]
      if let target { fields.append(("targetPaths", target)) }
      return addSpec(path, .relationship, fields)
    }
    var fields = [("typeName", CrateReference(.token, inline: tables.token(type)))]
    if property.isCustom { fields.append(("custom", CrateReference(.bool, inline: 1))) }
    if property.isUniform {
      fields.append(("variability", CrateReference(.variability, inline: 1)))
    }
    if let interpolation = property.interpolation {
      fields.append(("interpolation", reference(to: .token(interpolation))))
    }
    if let target = property.target {
      fields.append(("connectionPaths", explicitPath(target)))
    } else if let value = property.value {
      fields.append(("default", reference(to: value)))
    }
    addSpec(path, .attribute, fields)
  }

  private mutating func addSpec(
    _ path: String, _ type: SpecType, _ content: [(name: String, value: CrateReference)]
  ) {
    let indices = content.map { name, value in
      let field = Field(token: tables.token(name), value: value)
      let index = fieldIndices[field] ?? UInt32(fields.count)
      if index == fields.count {
        fields.append(field)
        fieldIndices[field] = index
      }
      return index
    }
    let set = setIndices[indices] ?? UInt32(fieldSets.count)
    if set == fieldSets.count {
      fieldSets += indices + [Self.setEnd]
      setIndices[indices] = set
    }
    specs.append((tables.path(path), set, type))
  }

  // MARK: Values

  private mutating func reference(to value: USDValue) -> CrateReference {
    switch value {
    case .bool(let isTrue): CrateReference(.bool, inline: isTrue ? 1 : 0)
    case .float(let number): CrateReference(.float, inline: number.bitPattern)
    case .token(let text): CrateReference(.token, inline: tables.token(text))
    case .string(let text): CrateReference(.string, inline: tables.string(text))
    case .asset(let path): CrateReference(.asset, inline: tables.token(path))
    case .entry(let key, let text): entry(key, text)
    case .double(let number): place(.double, [number.bitPattern])
    case .float3(let vector): place(.vec3f, [vector.x, vector.y, vector.z].map(\.bitPattern))
    case .float4(let vector):
      place(.vec4f, [vector.x, vector.y, vector.z, vector.w].map(\.bitPattern))
    case .matrix(let transform):
      place(.matrix4d, USDValue.rows(of: transform).joined().map(\.bitPattern))
    case .tokens(let texts): array(.token, .integers(texts.map { tables.token($0) }), texts.count)
    case .strings(let texts):
      array(.string, .integers(texts.map { tables.string($0) }), texts.count)
    case .integers(let numbers): integers(numbers)
    case .floats(let numbers): array(.float, .floats(numbers), numbers.count)
    case .pairs(let pairs): array(.vec2f, .pairs(pairs), pairs.count)
    case .triples(let triples): array(.vec3f, .triples(triples), triples.count)
    }
  }

  /// Puts numbers, one after another, into the file.
  private mutating func place(
    _ type: CrateType, _ numbers: [some FixedWidthInteger]
  ) -> CrateReference {
    values.align()
    let offset = values.byteCount
    for number in numbers { values.append(number) }
    return CrateReference(type, at: offset)
  }

  /// A dictionary of one text: their number, its key, how far from there its value is, and the value.
  private mutating func entry(_ key: String, _ text: String) -> CrateReference {
    let key = tables.string(key)
    let value = CrateReference(.string, inline: tables.string(text))
    values.align()
    let offset = values.byteCount
    values.append(UInt64(1))
    values.append(key)
    values.append(Int64(8))
    values.append(value.bits)
    return CrateReference(.dictionary, at: offset)
  }

  private mutating func array(
    _ type: CrateType, _ part: CratePart, _ count: Int
  ) -> CrateReference {
    guard count > 0 else { return CrateReference(emptyArrayOf: type) }
    values.align()
    let offset = values.byteCount
    values.append(UInt64(count))
    values.append(part)
    return CrateReference(type, at: offset, isArray: true)
  }

  /// Fewer than sixteen integers are never compressed.
  private mutating func integers(_ numbers: [UInt32]) -> CrateReference {
    guard numbers.count >= 16, CrateCoding.canCode(numbers.count) else {
      return array(.int, .integers(numbers), numbers.count)
    }
    values.align()
    let offset = values.byteCount
    let coded = CrateCoding.coded(numbers)
    values.append(UInt64(numbers.count))
    values.append(UInt64(coded.count))
    values.append(.bytes(coded))
    return CrateReference(.int, at: offset, isArray: true, isCompressed: true)
  }

  /// A list of names.
  private mutating func vector(_ names: [String]) -> CrateReference {
    values.align()
    let offset = values.byteCount
    values.append(UInt64(names.count))
    for name in names { values.append(tables.token(name)) }
    return CrateReference(.tokenVector, at: offset)
  }

  /// A list of names that come before those of weaker layers.
  private mutating func prepended(_ names: [String]) -> CrateReference {
    let hasPrependedItems: UInt8 = 1 << 5
    return list(.tokenListOp, hasPrependedItems, names.map { tables.token($0) })
  }

  /// A list of one path that replaces those of weaker layers.
  private mutating func explicitPath(_ path: String) -> CrateReference {
    let isExplicit: UInt8 = 1 << 0
    let hasExplicitItems: UInt8 = 1 << 1
    return list(.pathListOp, isExplicit | hasExplicitItems, [tables.path(path)])
  }

  private mutating func list(
    _ type: CrateType, _ header: UInt8, _ items: [UInt32]
  ) -> CrateReference {
    values.align()
    let offset = values.byteCount
    values.append(header)
    values.append(UInt64(items.count))
    for item in items { values.append(item) }
    return CrateReference(type, at: offset)
  }

  // MARK: Sections

  /// The tables, in the order of the file, by their names.
  func sections() -> [(name: String, bytes: [UInt8])] {
    [
      ("TOKENS", tokenSection), ("STRINGS", stringSection), ("FIELDS", fieldSection),
      ("FIELDSETS", section(fieldSets.count, [fieldSets])), ("PATHS", pathSection),
      (
        "SPECS",
        section(
          specs.count, [specs.map(\.path), specs.map(\.fieldSet), specs.map(\.type.rawValue)])
      ),
    ]
  }

  private var tokenSection: [UInt8] {
    var texts: [UInt8] = []
    for token in tables.tokens {
      texts += token.utf8
      texts.append(0)
    }
    let chunk = CrateCoding.chunk(texts)
    return Self.counts(tables.tokens.count, texts.count, chunk.count) + chunk
  }

  private var stringSection: [UInt8] {
    Self.counts(tables.strings.count) + [UInt8](littleEndian: tables.strings)
  }

  private var fieldSection: [UInt8] {
    let chunk = CrateCoding.chunk([UInt8](littleEndian: fields.map(\.value.bits)))
    return section(fields.count, [fields.map(\.token)]) + Self.counts(chunk.count) + chunk
  }

  private var pathSection: [UInt8] {
    let nodes = tables.nodes
    let tokens = nodes.map { $0.isProperty ? 0 &- $0.token : $0.token }
    let jumps = nodes.map { UInt32(bitPattern: Int32(truncatingIfNeeded: $0.jump)) }
    let columns = [nodes.indices.map { UInt32($0) }, tokens, jumps]
    return Self.counts(nodes.count) + section(nodes.count, columns)
  }

  /// A count and columns of that many integers.
  private func section(_ count: Int, _ columns: [[UInt32]]) -> [UInt8] {
    columns.reduce(into: Self.counts(count)) { bytes, column in
      let coded = CrateCoding.coded(column)
      bytes += Self.counts(coded.count) + coded
    }
  }

  private static func counts(_ counts: Int...) -> [UInt8] {
    [UInt8](littleEndian: counts.map { UInt64($0) })
  }
}
