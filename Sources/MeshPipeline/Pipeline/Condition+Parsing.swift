import MeshpipeBase
import MeshpipeScene

/// A syntax or type error in a condition.
package struct ConditionFault: Error, Equatable, Sendable {
  package var message: String
  /// The offset in the text, in characters from 0.
  package var offset: Int
}

extension Condition {
  /// Parses a condition after variable substitution.
  ///
  /// - Parameter measures: What other modules measure.
  package init(
    parsing text: String, measures: [SceneMeasure] = []
  ) throws(ConditionFault) {
    var parser = ConditionParser(text, measures)
    self.init(text: text, root: try parser.parse())
  }
}

/// A recursive-descent parser over the characters of a condition.
private struct ConditionParser {
  private static let maximumDepth = 64

  private let characters: [Character]
  private let measures: [SceneMeasure]
  private var offset = 0
  private var depth = 0

  init(_ text: String, _ measures: [SceneMeasure]) {
    characters = Array(text)
    self.measures = measures
  }

  mutating func parse() throws(ConditionFault) -> Condition.Node {
    skipSpace()
    guard next != nil else { throw fault("the condition is empty") }
    let node = try disjunction()
    if let character = next { throw fault("unexpected '\(character)'; expected 'and' or 'or'") }
    return node
  }

  private mutating func disjunction() throws(ConditionFault) -> Condition.Node {
    var node = try conjunction()
    while take(word: "or") || take(symbol: "||") { node = node.or(try conjunction()) }
    return node
  }

  private mutating func conjunction() throws(ConditionFault) -> Condition.Node {
    var node = try negation()
    while take(word: "and") || take(symbol: "&&") { node = node.and(try negation()) }
    return node
  }

  private mutating func negation() throws(ConditionFault) -> Condition.Node {
    guard depth < Self.maximumDepth else { throw fault("the condition is nested too deeply") }
    depth += 1
    defer { depth -= 1 }
    if take(word: "not") || take(symbol: "!") { return try negation().negated }
    if take(symbol: "(") {
      let node = try disjunction()
      guard take(symbol: ")") else { throw fault("expected ')'") }
      return node
    }
    return try comparison()
  }

  /// A name or number before it is known whether it is part of a comparison.
  private enum Term {
    case truth(Bool)
    case name(String)
    case operand(Condition.Operand)
  }

  private mutating func comparison() throws(ConditionFault) -> Condition.Node {
    if next == "'" { return try comparisonOfTexts() }
    let start = offset
    let left = try term()
    let place = offset
    guard let comparison = takeComparison() else { return try question(left, at: start) }
    let leftOperand = try operand(left, at: start)
    let rightStart = offset
    let rightOperand = try operand(try term(), at: rightStart)
    try checkDimensions(leftOperand, rightOperand, at: place)
    if takeComparison() != nil {
      throw fault("comparisons can't be chained; join them with 'and'")
    }
    return .compare(leftOperand, comparison, rightOperand)
  }

  /// Compares texts, which the values of variables are once these are substituted.
  private mutating func comparisonOfTexts() throws(ConditionFault) -> Condition.Node {
    let left = try quoted()
    let place = offset
    let comparison = takeComparison()
    guard comparison == .equal || comparison == .unequal else {
      throw ConditionFault(
        message: "a text can only be compared with '==' or '!='", offset: place)
    }
    guard next == "'" else {
      throw fault("a text can only be compared with a text, such as 'auto'")
    }
    return .constant((left == (try quoted())) == (comparison == .equal))
  }

  private func checkDimensions(
    _ left: Condition.Operand, _ right: Condition.Operand, at index: Int
  ) throws(ConditionFault) {
    guard let first = left.dimension, let second = right.dimension, first != second else { return }
    throw ConditionFault(
      message: "can't compare \(describe(left)), with \(describe(right))", offset: index)
  }

  private func describe(_ operand: Condition.Operand) -> String {
    let kind = operand.dimension?.rawValue ?? "a number"
    if case .number = operand { return kind }
    return "'\(operand.name)', which is \(kind)"
  }

  /// A stand-alone term: a feature or a truth value.
  private func question(_ term: Term, at start: Int) throws(ConditionFault) -> Condition.Node {
    switch term {
    case .truth(let value): return .constant(value)
    case .name(let name):
      if let feature = Self.feature(named: name) { return .has(feature) }
      let measure = measures.first { $0.name == name }
      if let measure, measure.kind == .property { return .holds(measure) }
      if measure != nil || Condition.Quantity(rawValue: name) != nil {
        throw ConditionFault(
          message: "'\(name)' is a quantity; compare it, as in '\(name) > 0'", offset: start)
      }
      throw unknown(name, at: start)
    case .operand(let operand):
      throw ConditionFault(
        message: "'\(operand.name)' is a number; compare it with something", offset: start)
    }
  }

  private func operand(_ term: Term, at start: Int) throws(ConditionFault) -> Condition.Operand {
    switch term {
    case .operand(let operand): return operand
    case .truth:
      throw ConditionFault(message: "true and false can't be compared", offset: start)
    case .name(let name):
      if let quantity = Condition.Quantity(rawValue: name) { return .quantity(quantity) }
      let measure = measures.first { $0.name == name }
      if let measure, measure.kind != .property { return .measure(measure) }
      if measure != nil || Self.feature(named: name) != nil {
        throw ConditionFault(
          message: "'\(name)' is a feature; it can't be compared with a number", offset: start)
      }
      throw unknown(name, at: start)
    }
  }

  private static func feature(named name: String) -> SceneFeature? {
    switch name {
    case "texture": .textures
    case "material": .materials
    default: SceneFeature(rawValue: name)
    }
  }

  private func unknown(_ name: String, at start: Int) -> ConditionFault {
    let names =
      Condition.Quantity.allCases.map(\.rawValue) + SceneFeature.allCases.map(\.rawValue)
      + measures.map(\.name)
    let hint = nearestName(to: name, in: names).map { "did you mean '\($0)'?" }
    let known = Array(Set(names)).sorted().joined(separator: ", ")
    return ConditionFault(
      message: "unknown name '\(name)'; " + (hint ?? "known names: \(known)"), offset: start)
  }

  // MARK: Terms

  private mutating func term() throws(ConditionFault) -> Term {
    guard let character = next else {
      throw fault("the condition ends where a name or number is expected")
    }
    if character.isASCII, character.isNumber || character == "." || character == "-" {
      return .operand(try number())
    }
    if character == "'" {
      let start = offset
      throw ConditionFault(
        message: "'\(try quoted())' is a text; it can only be compared with another one",
        offset: start)
    }
    guard character.isLetter else {
      throw fault("expected a name or a number, found '\(character)'")
    }
    let start = offset
    let name = takeWord()
    if name == "true" || name == "false" { return .truth(name == "true") }
    guard take(symbol: "(") else { return .name(name) }
    let label = takeWord()
    guard !label.isEmpty else { throw fault("expected the name of a class") }
    guard take(symbol: ")") else { throw fault("expected ')'") }
    switch name {
    case "faces": return .operand(.faces(ofClass: label.lowercased()))
    case "points": return .operand(.points(ofClass: label.lowercased()))
    default:
      throw ConditionFault(
        message: "'\(name)' does not count classes; use faces(\(label)) or points(\(label))",
        offset: start)
    }
  }

  /// The characters between two `'`.
  private mutating func quoted() throws(ConditionFault) -> String {
    let start = offset
    let rest = characters[(offset + 1)...]
    guard let end = rest.firstIndex(of: "'") else {
      throw ConditionFault(message: "this \"'\" has no end", offset: start)
    }
    offset = end + 1
    skipSpace()
    return String(rest[..<end])
  }

  private mutating func number() throws(ConditionFault) -> Condition.Operand {
    let start = offset
    var digits = ""
    while let character = next, character.isASCII, character.isNumber || ".-".contains(character) {
      digits.append(character)
      offset += 1
    }
    guard let value = Double(digits), value.isFinite else {
      throw ConditionFault(message: "'\(digits)' is not a number", offset: start)
    }
    // A unit may follow after a space, but words that join conditions are not units.
    let beforeUnit = offset
    skipSpace()
    let unitStart = offset
    let unit = takeUnit()
    if unit.isEmpty || ["and", "or"].contains(unit) {
      offset = beforeUnit
      skipSpace()
      return .number(value, nil)
    }
    if let factor = Angle.units[unit] { return .number(value * factor, .angle) }
    if let factor = Length.units[unit] { return .number(value * factor, .length) }
    if unit == "l" { return .number(value * 0.001, .volume) }
    if let power = unit.last, let factor = Length.units[String(unit.dropLast())], unit.count > 1 {
      if "2²".contains(power) { return .number(value * factor * factor, .area) }
      if "3³".contains(power) { return .number(value * factor * factor * factor, .volume) }
    }
    throw ConditionFault(
      message: "unknown unit '\(unit)'; use mm, cm, m, in, ft, m2, m3, l or deg",
      offset: unitStart)
  }

  private mutating func takeUnit() -> String {
    var unit = ""
    while let character = next, character.isLetter || "23²³%°".contains(character) {
      unit.append(character)
      offset += 1
    }
    skipSpace()
    return unit
  }

  // MARK: Characters

  /// The next character; spaces after each token are skipped.
  private var next: Character? { offset < characters.count ? characters[offset] : nil }

  private mutating func skipSpace() {
    while let character = next, character.isWhitespace { offset += 1 }
  }

  private mutating func takeWord() -> String {
    var word = ""
    while let character = next,
      character.isLetter || character.isNumber || "-_.".contains(character)
    {
      word.append(character)
      offset += 1
    }
    skipSpace()
    return word
  }

  private mutating func take(word: String) -> Bool {
    let start = offset
    if takeWord() == word { return true }
    offset = start
    return false
  }

  private mutating func take(symbol: String) -> Bool {
    let end = offset + symbol.count
    guard end <= characters.count, String(characters[offset..<end]) == symbol else { return false }
    // '!' is not the start of '!='.
    if symbol == "!", end < characters.count, characters[end] == "=" { return false }
    offset = end
    skipSpace()
    return true
  }

  private mutating func takeComparison() -> Condition.Comparison? {
    for symbol in ["<=", ">=", "==", "!=", "<", ">"] where take(symbol: symbol) {
      return Condition.Comparison(rawValue: symbol)
    }
    return take(symbol: "=") ? .equal : nil
  }

  private func fault(_ message: String) -> ConditionFault {
    ConditionFault(message: message, offset: offset)
  }
}
