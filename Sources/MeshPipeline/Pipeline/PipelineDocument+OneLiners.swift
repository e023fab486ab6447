import MeshpipeBase

extension PipelineDocument {
  /// Makes a pipeline of one-line stages, without a file.
  ///
  /// - Parameters:
  ///   - stages: Texts such as `name option=20% list=one,other`: the stage's name, then
  ///   options and the engine's keys (`id`, `in`, `when`…). Values with spaces need quotes.
  ///   - outputs: Paths of outputs, all of the last stage's scene.
  public init(stages: [String], outputs: [String] = []) {
    source = PipelineSource()
    for (index, text) in stages.enumerated() {
      let position = source.add(argument: "-s \(text.shellQuoted)")
      decode(stage: text, at: position, JSONPath()["stages"][index])
    }
    for (index, file) in outputs.enumerated() {
      let position = source.add(argument: "-o \(file.shellQuoted)")
      let path = JSONPath()["outputs"][index]
      var entry = OutputEntry(position: position, path: path)
      entry.file = Located(value: file, position: position, path: path["path"])
      self.outputs.append(entry)
    }
  }

  private mutating func decode(stage text: String, at position: SourcePosition, _ path: JSONPath) {
    guard let words = Self.words(of: text) else {
      return reportArgument("a quote is not closed", at: position)
    }
    guard let use = words.first, !use.contains("=") else {
      return reportArgument(
        "expected the name of a stage, then options as name=value", at: position)
    }
    var entry = StageEntry(position: position, path: path)
    entry.use = Located(value: use, position: position, path: path["use"])
    for word in words.dropFirst() {
      guard let (key, value) = word.splitAtEquals() else {
        entry.bareWords.append(word)
        continue
      }
      assign(value, to: key, of: &entry)
    }
    stages.append(entry)
  }

  private mutating func assign(_ value: String, to key: String, of entry: inout StageEntry) {
    let position = entry.position
    let text = Located(value: value, position: position, path: entry.path[key])
    switch key {
    case "id":
      if value.isPlainName, value != Self.inputID {
        entry.id = text
      } else {
        reportArgument("'\(value)' is not an id", at: position)
      }
    case "in":
      entry.inputs = value.split(separator: ",").map {
        Located(value: String($0), position: position, path: text.path)
      }
    case "when": entry.when = text
    case "expect": entry.expect = text
    case "note": entry.note = text
    case "enabled":
      let flag = ParameterType.bool.value(fromText: value, at: position)
      entry.enabled = Located(value: flag, position: position, path: text.path)
    case "where":
      let names = value.split(separator: ",").map { JSONValue(.string(String($0)), at: position) }
      entry.scope = Located(
        value: JSONValue(.array(names), at: position), position: position, path: text.path)
    case "optional":
      entry.isOptional = value == "true"
      if value != "true", value != "false" {
        reportArgument("optional is 'true' or 'false', not '\(value)'", at: position)
      }
    case "onError":
      if let choice = OnError(rawValue: value) {
        entry.onError = choice
      } else {
        reportArgument("onError is 'fail' or 'skip', not '\(value)'", at: position)
      }
    default:
      entry.textOptions.append(TextOption(name: key, text: value, position: position))
    }
  }

  private mutating func reportArgument(_ message: String, at position: SourcePosition) {
    diagnostics.append(
      Diagnostic(file: source.locate(position).file, message: message, exitCode: .usage))
  }

  /// The words of a text, separated by spaces; quotes group words.
  ///
  /// - Returns: Nil when a quote is not closed.
  package static func words(of text: String) -> [String]? {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in text {
      if let open = quote {
        if character == open { quote = nil } else { word?.append(character) }
      } else if character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if character.isWhitespace {
        if let finished = word { words.append(finished) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    return quote == nil ? words : nil
  }
}
