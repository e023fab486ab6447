import MeshPipeline

/// A value in an exchange file of STEP (ISO 10303-21).
enum StepValue {
  /// `$`: not given.
  case none
  /// `*`: follows from the others.
  case derived
  /// `#12`.
  case instance(StepReference)
  case text(String)
  case real(Double)
  case integer(Int)
  case boolean(Bool)
  /// `.NAME.`.
  case symbol(String)
  case list([StepValue])
  /// A value with the name of its type: `IFCLABEL('a')`.
  indirect case typed(String, StepValue)

  static func reals(_ numbers: [Double]) -> StepValue { .list(numbers.map { .real($0) }) }

  static func instances(_ references: [StepReference]) -> StepValue {
    .list(references.map { .instance($0) })
  }

  /// A text that may be empty.
  static func optional(_ text: String) -> StepValue { text.isEmpty ? .none : .text(text) }
}

/// The number of an instance.
struct StepReference: Sendable, Hashable {
  let number: Int
}

/// Writes the instances of an exchange file one after another, each with the next number.
struct StepWriter {
  private let file: FileWriter
  private var count = 0
  private var line: [UInt8] = []

  /// Writes the head of the file.
  ///
  /// - Parameters:
  ///   - schema: The name of the schema: `IFC4`.
  ///   - description: What of it the file keeps to: `ViewDefinition [ReferenceView_V1.2]`.
  ///   - name: The name of the file.
  ///   - program: What writes it.
  ///   - remarks: Lines of a comment.
  init(
    to file: FileWriter, schema: String, description: String, name: String, program: String,
    remarks: [String]
  ) throws {
    self.file = file
    func quoted(_ text: String) -> String { "'\(Self.escaped(text))'" }
    // The time is a required one, and the same in each run.
    try file.write("ISO-10303-21;\n")
    if !remarks.isEmpty {
      // One comment, so that a line goes on in the next.
      let lines = remarks.map { $0.replacing("*/", with: "*\\u002f") + "\n" }
      try file.write("/*\n" + lines.joined() + "*/\n")
    }
    try file.write(
      """
      HEADER;
      FILE_DESCRIPTION((\(quoted(description))),'2;1');
      FILE_NAME(\(quoted(name)),'1980-01-01T00:00:00',(''),(''),\(quoted(program)),\(quoted(program)),'');
      FILE_SCHEMA((\(quoted(schema))));
      ENDSEC;
      DATA;

      """)
  }

  /// Writes the end of the file.
  func finish() throws { try file.write("ENDSEC;\nEND-ISO-10303-21;\n") }

  /// Writes an instance.
  mutating func add(_ type: String, _ values: [StepValue]) throws -> StepReference {
    begin()
    append(type, values)
    return try end()
  }

  /// Writes an instance of several types at once, which the standard wants in the order of their names.
  mutating func add(_ parts: [(type: String, values: [StepValue])]) throws -> StepReference {
    begin()
    line.append(UInt8(ascii: "("))
    for part in parts { append(part.type, part.values) }
    line.append(UInt8(ascii: ")"))
    return try end()
  }

  private mutating func begin() {
    count += 1
    line.removeAll(keepingCapacity: true)
    line += "#\(count)=".utf8
  }

  private mutating func end() throws -> StepReference {
    line += ";\n".utf8
    try file.write(line)
    return StepReference(number: count)
  }

  private mutating func append(_ type: String, _ values: [StepValue]) {
    line += type.utf8
    append(.list(values))
  }

  private mutating func append(_ value: StepValue) {
    switch value {
    case .none: line.append(UInt8(ascii: "$"))
    case .derived: line.append(UInt8(ascii: "*"))
    case .instance(let reference): line += "#\(reference.number)".utf8
    case .text(let text): line += "'\(Self.escaped(text))'".utf8
    case .real(let number): line += Self.text(of: number).utf8
    case .integer(let number): line += String(number).utf8
    case .boolean(let isTrue): line += (isTrue ? ".T." : ".F.").utf8
    case .symbol(let name): line += ".\(name).".utf8
    case .typed(let type, let value):
      line += "\(type)(".utf8
      append(value)
      line.append(UInt8(ascii: ")"))
    case .list(let values):
      line.append(UInt8(ascii: "("))
      for (index, value) in values.enumerated() {
        if index > 0 { line.append(UInt8(ascii: ",")) }
        append(value)
      }
      line.append(UInt8(ascii: ")"))
    }
  }

  /// A number with a decimal point, in steps of a nanometre.
  private static func text(of number: Double) -> String {
    guard number.isFinite else { return "0." }
    let rounded = (number * 1e9).rounded() / 1e9
    let text = "\(rounded == 0 ? 0 : rounded)"
    guard let exponent = text.firstIndex(of: "e") else {
      return text.hasSuffix(".0") ? String(text.dropLast()) : text
    }
    let head = text[..<exponent]
    return "\(head)\(head.contains(".") ? "" : ".")E\(text[text.index(after: exponent)...])"
  }

  /// A text with only the characters that a string of an exchange file may have.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "'": result += "''"
      case "\\": result += "\\\\"
      case " "..."~": result.unicodeScalars.append(scalar)
      default:
        let (code, digits) = scalar.value > 0xFFFF ? ("X4", 8) : ("X2", 4)
        let hexadecimal = String(scalar.value, digits: digits, radix: 16, uppercase: true)
        result += "\\\(code)\\\(hexadecimal)\\X0\\"
      }
    }
    return result
  }
}
