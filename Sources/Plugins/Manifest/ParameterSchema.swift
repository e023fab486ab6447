import MeshPipeline

/// A parameter in a manifest: the part of JSON Schema that corresponds to stage declarations.
///
/// `type` is `boolean`, `integer`, `number`, `string` or `array` (or one of them with `"null"`, for
/// a value that may be absent); `enum` lists the choices of a string; `items` is the schema of an
/// array's elements; `format` gives a number or string its unit: `length`, `area`, `angle`,
/// `amount`, `length-or-percent`, `class`, `scale`, `bytes`, or `vector` for three lengths. `minimum`,
/// `maximum`, `default` and `description` have their usual meaning; bounds of quantities may have units. `formerly` lists
/// names that the parameter had.
struct ParameterSchema {
  static let keys = [
    "type", "format", "enum", "items", "minimum", "maximum", "default", "description", "title",
    "examples", "formerly",
  ]
  static let formats: [String: ParameterType] = [
    "length": .length, "area": .area, "angle": .angle, "amount": .amount,
    "length-or-percent": .relativeLength, "class": .classLabel, "scale": .scale, "bytes": .bytes,
    "vector": .vector,
  ]

  private let object: ManifestObject
  private let name: String

  init(_ object: ManifestObject, name: String) {
    self.object = object
    self.name = name
  }

  /// - Returns: Nil if it has mistakes, which are reported.
  func declaration(isRequired: Bool) -> ParameterDeclaration? {
    guard let (type, mayBeNull) = type else { return nil }
    let given = object.value("default")
    var declaration = ParameterDeclaration(
      name: name, help: object.text("description") ?? object.text("title") ?? "",
      type: mayBeNull || !isRequired && given == nil ? .optional(type) : type,
      defaultValue: given?.withoutPositions ?? JSONValue(.null), isRequired: isRequired)
    declaration.range = range(of: type)
    declaration.formerNames = object.texts("formerly")
    if let given {
      if isRequired {
        object.report("'\(name)' is required, so its default is never used", at: "default")
      }
      do throws(ParameterFault) {
        _ = try declaration.baseValue(of: given)
      } catch {
        object.report("the default of '\(name)': \(error.message)", at: "default")
      }
    }
    return declaration
  }

  private var type: (type: ParameterType, mayBeNull: Bool)? {
    let (words, mayBeNull) = typeWords
    if let word = object.text("format") {
      guard let type = Self.formats[word] else {
        let names = Self.formats.keys.sorted()
        let hint =
          nearestName(to: word, in: names).map { "did you mean '\($0)'?" }
          ?? "there are " + names.joined(separator: ", ")
        object.report("unknown format '\(word)' of '\(name)'; \(hint)", at: "format")
        return nil
      }
      return (type, mayBeNull)
    }
    if object.value("enum") != nil { return choice.map { ($0, mayBeNull) } }
    guard words.count == 1, let word = words.first else {
      object.report(
        "'\(name)' needs one \"type\": boolean, integer, number, string or array", at: "type")
      return nil
    }
    return plainType(word).map { ($0, mayBeNull) }
  }

  private var typeWords: (words: [String], mayBeNull: Bool) {
    guard let value = object.value("type") else { return ([], false) }
    let words =
      value.text.map { [$0] } ?? object.texts("type")
    return (words.filter { $0 != "null" }, words.contains("null"))
  }

  private var choice: ParameterType? {
    let names = object.texts("enum")
    if names.isEmpty { object.report("'enum' of '\(name)' has no choices", at: "enum") }
    return names.isEmpty ? nil : .choice(names)
  }

  private func plainType(_ word: String) -> ParameterType? {
    switch word {
    case "boolean": return .bool
    case "integer": return .integer
    case "number": return .number
    case "string": return .string
    case "array":
      guard let items = object.object("items", "'items' of '\(name)'", keys: Self.keys) else {
        if object.value("items") == nil {
          object.report("'\(name)' is an array and needs \"items\"")
        }
        return nil
      }
      return ParameterSchema(items, name: name).type.map { .list($0.type) }
    default:
      object.report(
        "type '\(word)' of '\(name)' is not supported: a parameter is a boolean, integer, number, "
          + "string or array", at: "type")
      return nil
    }
  }

  /// The bounds in base units; nil if there are none.
  private func range(of type: ParameterType) -> ClosedRange<Double>? {
    let lower = bound("minimum", of: type)
    let upper = bound("maximum", of: type)
    guard lower != nil || upper != nil else { return nil }
    let (low, high) = (
      lower ?? -.greatestFiniteMagnitude, upper ?? .greatestFiniteMagnitude
    )
    guard low <= high else {
      object.report("the minimum of '\(name)' is above its maximum", at: "minimum")
      return nil
    }
    return low...high
  }

  private func bound(_ key: String, of type: ParameterType) -> Double? {
    guard let value = object.value(key) else { return nil }
    var element = type
    if case .list(let inner) = type { element = inner }
    if case .integer = element { element = .number }
    do throws(ParameterFault) {
      if element != .vector, let bound = try element.magnitudes(of: value).first { return bound }
      object.report("'\(key)' is meaningless for '\(name)', which is not a number", at: key)
    } catch {
      object.report("'\(key)' of '\(name)': \(error.message)", at: key)
    }
    return nil
  }
}
