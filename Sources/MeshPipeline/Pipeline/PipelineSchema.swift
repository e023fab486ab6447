import MeshpipeBase
import MeshpipeScene

/// The JSON Schema (draft 2020-12) of pipeline files, for editors and other validators.
///
/// It is generated from the declarations of stages and formats. What it can't express (ids,
/// variables, data flow) is checked only by ``PipelineDocument/resolve(in:for:)``.
public struct PipelineSchema {
  private let stages: StageRegistry
  /// The writable formats, by id.
  private let formats: [FormatWriter]
  private let exampleExtension: String

  /// Creates the schema of the stages and formats of an environment.
  public init(_ environment: PipelineEnvironment) {
    stages = environment.stages
    formats = environment.formats.writers
      .sorted { $0.id < $1.id }
    exampleExtension = environment.formats.exampleExtension
  }

  /// The schema.
  public var json: JSONValue {
    let text = Self.frame(
      version: PipelineDocument.formatVersion, stageNames: stages.names.json.compactText,
      stageSummaries: stages.names.map { stages[$0]?.summary ?? "" }.json.compactText,
      formatIDs: formats.map { $0.id }.json.compactText,
      stageCases: JSONValue(.array(stages.names.map(stageCase))).compactText,
      formatCases: JSONValue(.array(formatsWithOptions.map(formatCase))).compactText,
      axes: SignedAxis.allCases.map(\.rawValue).json.compactText,
      features: SceneFeature.allCases.map(\.rawValue).json.compactText,
      types: ParameterType.plainNames.json.compactText,
      byteCounts: Self.orReference(Self.schema(of: .bytes, in: 1...Double.infinity)).compactText,
      snippetStage: (stages[.standsInSnippets]?.name ?? stages.names.first) ?? "",
      snippetFormat: exampleExtension, placingStage: stages[.placesInputs]?.name ?? "")
    guard case .object(var members) = JSONReader.read(Array(text.utf8)).value?.content,
      let index = members.firstIndex(where: { $0.key == "$defs" }),
      case .object(let general) = members[index].value.content
    else { preconditionFailure("the frame of the schema is not JSON") }
    members[index].value.content = .object(general + definitions)
    return JSONValue(.object(members)).withoutPositions
  }

  private var formatsWithOptions: [FormatWriter] {
    formats.filter { !$0.options.isEmpty }
  }

  /// The options of each stage and format.
  private var definitions: [JSONValue.Member] {
    let ofStages = stages.names.compactMap { name in
      stages[name].map { type in
        JSONValue.Member(
          "stage:\(name)", Self.options(type.parameters, about: type.summary))
      }
    }
    return ofStages
      + formatsWithOptions.map { type in
        JSONValue.Member(
          "format:\(type.id)", Self.options(type.options, about: type.name))
      }
  }

  /// The constraints of `use` on `with`.
  private func stageCase(_ name: String) -> JSONValue {
    let isRequired = stages[name]?.parameters.contains(where: \.isRequired) ?? false
    let required = isRequired ? #", "required": ["with"]"# : ""
    return Self.value(
      """
      { "if": { "properties": { "use": { "const": "\(name)" } } },
        "then": { "properties": { "with": { "$ref": "#/$defs/stage:\(name)" } }\(required) } }
      """)
  }

  /// The constraints of `format`, or of the path's extension, on `with`.
  private func formatCase(_ type: FormatWriter) -> JSONValue {
    let endings = type.extensions.joined(separator: "|")
    return Self.value(
      """
      { "if": { "anyOf": [
          { "properties": { "format": { "const": "\(type.id)" } }, "required": ["format"] },
          { "properties": { "path": { "pattern": "\\\\.(\(endings))$" } }, "required": ["path"],
            "not": { "required": ["format"] } } ] },
        "then": { "properties": { "with": { "$ref": "#/$defs/format:\(type.id)" } } } }
      """)
  }

  /// The value of a built-in JSON text.
  private static func value(_ text: String) -> JSONValue {
    guard let value = JSONReader.read(Array(text.utf8)).value else {
      preconditionFailure("a part of the schema is not JSON")
    }
    return value
  }
}

// MARK: Options

extension PipelineSchema {
  private static func options(
    _ declarations: [ParameterDeclaration], about summary: String
  ) -> JSONValue {
    let properties =
      declarations.map { JSONValue.Member($0.name, option($0)) }
      + declarations.flatMap { declaration in
        declaration.formerNames.map { JSONValue.Member($0, formerOption(declaration)) }
      }
    let required = declarations.filter(\.isRequired).map(\.name)
    var members: [JSONValue.Member] = [
      .init("description", summary.json), .init("type", "object"),
      .init("properties", JSONValue(.object(properties))),
    ]
    if !required.isEmpty { members.append(.init("required", required.json)) }
    members.append(.init("additionalProperties", false))
    return JSONValue(.object(members))
  }

  private static func option(_ declaration: ParameterDeclaration) -> JSONValue {
    let type = schema(of: declaration.type, in: declaration.range)
    var members: [JSONValue.Member] = [
      .init("description", declaration.help.json), .init("anyOf", orReference(type)),
    ]
    if !declaration.isRequired, declaration.defaultValue.content != .null {
      members.append(.init("default", declaration.defaultValue))
    }
    return JSONValue(.object(members))
  }

  /// An option under a name that it had: editors strike it out and say the new one.
  private static func formerOption(_ declaration: ParameterDeclaration) -> JSONValue {
    let type = schema(of: declaration.type, in: declaration.range)
    return object([
      "description": "Now called '\(declaration.name)'.".json, "deprecated": true,
      "anyOf": orReference(type),
    ])
  }

  /// Either the value itself or a text with a variable.
  private static func orReference(_ type: JSONValue) -> JSONValue {
    JSONValue(.array([type, value(##"{ "$ref": "#/$defs/reference" }"##)]))
  }

  private static func schema(of type: ParameterType, in range: ClosedRange<Double>?) -> JSONValue {
    let lengths = Length.units.keys.sorted()
    switch type {
    case .bool: return value(#"{ "type": "boolean" }"#)
    case .integer: return number("integer", in: range)
    case .number: return number("number", in: range)
    case .string: return value(#"{ "type": "string" }"#)
    case .length: return quantity(lengths, in: range)
    case .area: return quantity(Area.units.keys.sorted(), in: range)
    // A plain number is in degrees, but the range is in radians.
    case .angle: return quantity(["", "deg", "rad", "°"], in: nil)
    case .amount:
      return anyOf([value(#"{ "type": "integer", "minimum": 0 }"#), text(withUnits: ["%"])])
    case .scale:
      let ratio = #"{ "type": "string", "pattern": "^\\s*[0-9.]+\\s*:\\s*[0-9.]+\\s*$" }"#
      return anyOf([number("number", in: range), value(ratio)])
    case .bytes: return quantity(ByteSize.unitNames, in: range)
    case .relativeLength: return quantity(lengths + ["%"], in: range)
    case .classLabel, .scene: return value(#"{ "type": "string", "minLength": 1 }"#)
    case .choice(let names): return object(["enum": names.json])
    case .choiceOrFile:
      return anyOf([
        value(#"{ "type": "string", "minLength": 1 }"#), value(#"{ "type": "object" }"#),
      ])
    case .vector:
      let items = quantity(lengths, in: nil).compactText
      return value(#"{ "type": "array", "minItems": 3, "maxItems": 3, "items": \#(items) }"#)
    case .list(let element):
      let items = orReference(schema(of: element, in: range)).compactText
      return value(#"{ "type": "array", "items": { "anyOf": \#(items) } }"#)
    case .optional(let wrapped):
      return anyOf([schema(of: wrapped, in: range), value(#"{ "type": "null" }"#)])
    }
  }

  private static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    JSONValue(.object(members.map { JSONValue.Member($0.key, $0.value) }))
  }

  private static func anyOf(_ schemas: [JSONValue]) -> JSONValue {
    object(["anyOf": JSONValue(.array(schemas))])
  }

  private static func number(_ type: String, in range: ClosedRange<Double>?) -> JSONValue {
    var members = [JSONValue.Member("type", type.json)]
    let largest = Double.greatestFiniteMagnitude
    if let range {
      if range.lowerBound > -largest { members.append(.init("minimum", range.lowerBound.json)) }
      if range.upperBound < largest { members.append(.init("maximum", range.upperBound.json)) }
    }
    return JSONValue(.object(members))
  }

  private static func quantity(_ units: [String], in range: ClosedRange<Double>?) -> JSONValue {
    anyOf([number("number", in: range), text(withUnits: units)])
  }

  /// A number followed by one of the units.
  private static func text(withUnits units: [String]) -> JSONValue {
    let number = #"[-+]?[0-9.]+([eE][-+]?[0-9]+)?"#
    let pattern = #"^\s*\#(number)\s*(\#(units.joined(separator: "|")))\s*$"#
    return object(["type": "string", "pattern": pattern.json])
  }
}
