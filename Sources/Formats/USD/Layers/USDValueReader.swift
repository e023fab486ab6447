import MeshPipeline

/// Reads values of a layer as text.
struct USDValueReader {
  private(set) var tokens: USDTokenizer

  init(_ tokens: USDTokenizer) { self.tokens = tokens }

  /// How numbers of a type are kept.
  private enum Storage {
    case integers, largeIntegers, floats, doubles

    init(_ type: Substring) {
      if type.hasSuffix("int64") {
        self = .largeIntegers
      } else if ["bool", "uchar"].contains(type) || type.hasPrefix("int") || type.hasPrefix("uint")
      {
        self = .integers
      } else if type.hasPrefix("double") || type.hasPrefix("matrix") || type.last == "d" {
        self = .doubles
      } else {
        self = .floats
      }
    }
  }

  /// A value of a type; without one, of metadata.
  mutating func value(of type: String?) throws -> USDContent {
    switch tokens.peek() {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .text(try tokens.text())
    case UInt8(ascii: "@"): return .asset(try tokens.enclosed("@", "@"))
    case UInt8(ascii: "{"):
      try tokens.skipBrackets()
      return .nothing
    case UInt8(ascii: "<"):
      _ = try tokens.enclosed("<", ">")
      return .nothing
    case UInt8(ascii: "["): return try array(of: type ?? "double")
    case UInt8(ascii: "("):
      var numbers: [Double] = []
      try appendTuple(to: &numbers, depth: 0) { $0 }
      return .numbers(type?.hasPrefix("quat") == true ? realLast(numbers, 4) : numbers)
    default: return try plain()
    }
  }

  /// A number, or a word that stands for one.
  private mutating func plain() throws -> USDContent {
    if let number = tokens.number() { return .numbers([number]) }
    guard let word = tokens.word() else { throw tokens.fault("expected a value") }
    switch word {
    case "true", "True", "yes": return .numbers([1])
    case "false", "False", "no": return .numbers([0])
    case "None": return .nothing
    // Words of metadata, such as `permission = public`.
    default: return .text(word)
    }
  }

  // MARK: Arrays

  private mutating func array(of type: String) throws -> USDContent {
    try tokens.expect("[")
    switch tokens.peek() {
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "@"): return .texts(try texts())
    case UInt8(ascii: "<"):
      while !tokens.skip("]") {
        if !tokens.skip(",") { _ = try tokens.enclosed("<", ">") }
      }
      return .nothing
    default: break
    }
    switch Storage(type.hasSuffix("[]") ? type.dropLast(2) : type[...]) {
    case .integers:
      return .integers(
        try numbers { Int32(clamping: Int64(min(max($0.isNaN ? 0 : $0, -9e15), 9e15))) }.values)
    case .largeIntegers:
      // Ids can be larger than indices.
      let (values, width) = try numbers { $0.rounded() }
      guard values.allSatisfy({ Int32(exactly: $0) != nil }) else {
        return .doubles(values, width: width)
      }
      return .integers(values.map { Int32($0) })
    case .doubles:
      let (values, width) = try numbers { $0 }
      return .doubles(type.hasPrefix("quat") ? realLast(values, width) : values, width: width)
    case .floats:
      let (values, width) = try numbers { Float($0) }
      return .floats(type.hasPrefix("quat") ? realLast(values, width) : values, width: width)
    }
  }

  private mutating func texts() throws -> [String] {
    var result: [String] = []
    while !tokens.skip("]") {
      if tokens.skip(",") { continue }
      let isFile = tokens.peek() == UInt8(ascii: "@")
      result.append(try isFile ? tokens.enclosed("@", "@") : tokens.text())
    }
    return result
  }

  /// Numbers or tuples of as many numbers each, up to the closing bracket.
  private mutating func numbers<Number>(
    _ convert: (Double) -> Number
  ) throws -> (values: [Number], width: Int) {
    var values: [Number] = []
    var width = 1
    var isFirst = true
    while !tokens.skip("]") {
      if tokens.skip(",") { continue }
      let start = values.count
      if tokens.peek() == UInt8(ascii: "(") {
        try appendTuple(to: &values, depth: 0, convert)
      } else {
        values.append(convert(try number()))
      }
      if isFirst { width = max(1, values.count - start) }
      isFirst = false
      guard values.count - start == width else {
        throw tokens.fault("an element has \(values.count - start) numbers, and others \(width)")
      }
    }
    return (values, width)
  }

  private mutating func number() throws -> Double {
    if let number = tokens.number() { return number }
    switch tokens.word() {
    case "true", "True": return 1
    case "false", "False": return 0
    default: throw tokens.fault("expected a number")
    }
  }

  private mutating func appendTuple<Number>(
    to values: inout [Number], depth: Int, _ convert: (Double) -> Number
  ) throws {
    guard depth < 4 else { throw tokens.fault("a value has too many brackets") }
    try tokens.expect("(")
    while !tokens.skip(")") {
      if tokens.skip(",") { continue }
      switch tokens.peek() {
      case UInt8(ascii: "("): try appendTuple(to: &values, depth: depth + 1, convert)
      // A tuple of texts has no meaning here.
      case UInt8(ascii: "\""), UInt8(ascii: "'"): _ = try tokens.text()
      default: values.append(convert(try number()))
      }
    }
  }

  /// Quaternions, whose real part comes first in text.
  private func realLast<Number>(_ values: [Number], _ width: Int) -> [Number] {
    guard width == 4, values.count % 4 == 0 else { return values }
    var result = values
    for start in stride(from: 0, to: values.count, by: 4) {
      let real = values[start]
      for index in start..<start + 3 { result[index] = values[index + 1] }
      result[start + 3] = real
    }
    return result
  }
}
