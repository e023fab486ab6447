import MeshPipeline

/// Writes a layer as text.
struct USDText {
  private let writer: FileWriter

  init(to writer: FileWriter) { self.writer = writer }

  func write(_ layer: USDLayer) throws {
    try writer.write("#usda 1.0\n(\n")
    for (name, value) in layer.metadata {
      try writer.write("    \(name == "documentation" ? "doc" : name) = ")
      // Metadata of the layer are texts, tokens or not.
      if case .token(let text) = value { try write(.string(text)) } else { try write(value) }
      try writer.write("\n")
    }
    try writer.write(")\n\n")
    try write(layer.root, indent: "")
  }

  private func write(_ prim: USDPrim, indent: String) throws {
    try writer.write("\(indent)def \(prim.type) \"\(prim.name)\"")
    if prim.kind != nil || !prim.apiSchemas.isEmpty {
      try writer.write(" (\n")
      if !prim.apiSchemas.isEmpty {
        let names = prim.apiSchemas.map { "\"\($0)\"" }.joined(separator: ", ")
        try writer.write("\(indent)    prepend apiSchemas = [\(names)]\n")
      }
      if let kind = prim.kind { try writer.write("\(indent)    kind = \"\(kind)\"\n") }
      try writer.write("\(indent))")
    }
    try writer.write("\n\(indent){\n")
    for property in prim.properties { try write(property, indent: indent + "    ") }
    for (place, child) in prim.children.enumerated() {
      if place > 0 || !prim.properties.isEmpty { try writer.write("\n") }
      try write(child, indent: indent + "    ")
    }
    try writer.write("\(indent)}\n")
  }

  private func write(_ property: USDProperty, indent: String) throws {
    try writer.write(indent)
    guard let type = property.type else {
      return try writer.write("rel \(property.name) = <\(property.target ?? "")>\n")
    }
    let words = (property.isCustom ? "custom " : "") + (property.isUniform ? "uniform " : "")
    try writer.write("\(words)\(type) \(property.name)")
    if let target = property.target {
      try writer.write(".connect = <\(target)>")
    } else if let value = property.value {
      try writer.write(" = ")
      try write(value)
    }
    if let interpolation = property.interpolation {
      try writer.write(" (\n\(indent)    interpolation = \"\(interpolation)\"\n\(indent))")
    }
    try writer.write("\n")
  }

  // MARK: Values

  private func write(_ value: USDValue) throws {
    switch value {
    case .bool(let isTrue): try writer.write(isTrue ? "1" : "0")
    case .float(let number): try writeTuple([number])
    case .double(let number): try writer.write(JSONValue.text(of: number))
    case .token(let text), .string(let text): try writer.write(Self.quoted(text))
    case .asset(let path): try writer.write(Self.delimited(path))
    case .entry(let key, let text):
      try writer.write("{\n        string \(Self.quoted(key)) = \(Self.quoted(text))\n    }")
    case .float3(let vector): try writeTuple([vector.x, vector.y, vector.z])
    case .float4(let vector): try writeTuple([vector.x, vector.y, vector.z, vector.w])
    case .matrix(let transform):
      let rows = USDValue.rows(of: transform).map { row in
        "(" + row.map { JSONValue.text(of: $0) }.joined(separator: ", ") + ")"
      }
      try writer.write("( " + rows.joined(separator: ", ") + " )")
    case .tokens(let texts), .strings(let texts):
      try writer.write("[" + texts.map(Self.quoted).joined(separator: ", ") + "]")
    default: try writeArray(value)
    }
  }

  /// A number, or several in brackets.
  private func writeTuple(_ numbers: [Float]) throws {
    var buffer = ByteBuffer()
    append(numbers, to: &buffer, DecimalPowers.shared)
    try writer.write(buffer.bytes)
  }

  private func writeArray(_ value: USDValue) throws {
    try writer.write("[")
    let powers = DecimalPowers.shared
    switch value {
    case .integers(let numbers):
      try writeItems(numbers) { $1.append(decimal: $0) }
    case .floats(let numbers):
      try writeItems(numbers) { $1.append(decimal: $0, powers: powers) }
    case .pairs(let pairs):
      try writeItems(pairs) { append([$0.x, $0.y], to: &$1, powers) }
    case .triples(let triples):
      try writeItems(triples) { append([$0.x, $0.y, $0.z], to: &$1, powers) }
    default: break
    }
    try writer.write("]")
  }

  private func writeItems<Item: Sendable>(
    _ items: [Item], _ append: @Sendable (Item, inout ByteBuffer) -> Void
  ) throws {
    try writer.write(count: items.count) { range, buffer in
      for index in range {
        if index > 0 { buffer.append(", ") }
        append(items[index], &buffer)
      }
    }
  }

  /// The path of a file between the marks for one.
  private static func delimited(_ path: String) -> String {
    guard path.contains("@") else { return "@\(path)@" }
    return "@@@"
      + path.split(separator: "@@@", omittingEmptySubsequences: false).joined(separator: "\\@@@")
      + "@@@"
  }

  /// A text in quotes.
  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in singleLine(text).unicodeScalars {
      if scalar == "\"" || scalar == "\\" { result += "\\" }
      result.unicodeScalars.append(scalar)
    }
    return result + "\""
  }
}

/// Appends a number, or several in brackets.
private func append(
  _ numbers: [Float], to buffer: inout ByteBuffer, _ powers: DecimalPowers
) {
  if numbers.count > 1 { buffer.append("(") }
  for (place, number) in numbers.enumerated() {
    if place > 0 { buffer.append(", ") }
    buffer.append(decimal: number, powers: powers)
  }
  if numbers.count > 1 { buffer.append(")") }
}

extension USDValue {
  /// The rows of a matrix in USD, which multiplies row vectors: the images of the axes, and of the origin.
  static func rows(of transform: Transform) -> [[Double]] {
    zip([transform.x, transform.y, transform.z, transform.translation], [0.0, 0, 0, 1]).map {
      [$0.x, $0.y, $0.z, $1]
    }
  }
}
