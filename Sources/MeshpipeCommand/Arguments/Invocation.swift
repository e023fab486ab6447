import MeshPipeline

/// The arguments of one call, parsed according to the table of verbs.
struct Invocation: Sendable {
  let verb: Verb
  /// The program's own stages.
  let stages: [any Stage.Type]
  private(set) var operands: [String] = []
  /// What the options say of a run.
  private(set) var settings = RunSettings()
  private var values: [String: [String]] = [:]

  /// Parses what follows the verb on the command line.
  ///
  /// Options and operands may be mixed; `--` ends the options; `-` is an operand. A value is the
  /// next argument, or follows `=` (`--jobs=4`), or a short option directly (`-j4`). Of an option that is a flag, too, it
  /// follows `=` only.
  init(
    _ verb: Verb, _ arguments: some Sequence<String>, stages: [any Stage.Type]
  ) throws {
    self.verb = verb
    self.stages = stages
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        break
      }
      if argument == "-" || !argument.hasPrefix("-") {
        operands.append(argument)
      } else {
        try take(argument, &rest)
      }
    }
    if has(.help) {
      // The page is shown even so, with the plugins that the other options name.
      settings = (try? RunSettings(words: { values[$0] })) ?? RunSettings()
    } else {
      try checkOperandCount()
      try readSettings()
    }
  }

  private mutating func readSettings() throws {
    do {
      settings = try RunSettings(words: { values[$0] })
    } catch let fault as InvalidSetting {
      throw UsageError(fault.message, verb: verb)
    }
  }

  func has(_ option: Option) -> Bool { values[option.name] != nil }
  func value(of option: Option) -> String? { values[option.name]?.last }
  func values(of option: Option) -> [String] { values[option.name] ?? [] }

  /// The number given for an option; its range was checked when parsing.
  func integer(of option: Option) -> Int? { value(of: option).flatMap { Int($0) } }

  /// Refuses two contradictory options.
  func exclude(_ one: Option, _ other: Option) throws(UsageError) {
    guard has(one), has(other) else { return }
    throw UsageError("'\(one.name)' and '\(other.name)' exclude each other", verb: verb)
  }

  private mutating func take(
    _ argument: String, _ rest: inout ArraySlice<String>
  ) throws(UsageError) {
    guard let (option, attached) = verb.option(in: argument) else {
      throw UsageError(unknownOption: argument, next: rest.first, of: verb)
    }
    guard let kind = option.value else {
      if attached != nil {
        throw UsageError("option '\(option.name)' of '\(verb.name)' takes no value", verb: verb)
      }
      values[option.name] = []
      return
    }
    if option.isValueOptional, attached == nil {
      values[option.name] = []
      return
    }
    guard let value = attached ?? rest.popFirst() else {
      throw UsageError(
        "option '\(option.name)' of '\(verb.name)' needs a value: "
          + "\(option.name) \(kind.placeholder)", verb: verb)
    }
    if let fault = kind.fault(in: value) {
      throw UsageError("option '\(option.name)': \(fault)", verb: verb)
    }
    if !option.repeats, values[option.name] != nil {
      throw UsageError("option '\(option.name)' of '\(verb.name)' is given twice", verb: verb)
    }
    values[option.name, default: []].append(value)
  }

  private func checkOperandCount() throws(UsageError) {
    let required = verb.operands.filter { !$0.isOptional }
    if operands.count < required.count {
      let missing = required[operands.count].name
      throw UsageError("'\(verb.name)' needs \(missing): \(verb.usageLines[0])", verb: verb)
    }
    if !verb.operands.contains(where: \.repeats), operands.count > verb.operands.count {
      let extra = operands[verb.operands.count]
      throw UsageError("unexpected argument '\(extra)' of '\(verb.name)'", verb: verb)
    }
  }
}

extension Verb {
  /// The option that an argument with a leading hyphen names, and the value attached to it; nil for an unknown one.
  func option(in argument: String) -> (Option, attached: String?)? {
    if let exact = options.first(where: { $0.spellings.contains(argument) }) { return (exact, nil) }
    if let equals = argument.firstIndex(of: "=") {
      let name = argument[..<equals]
      if let option = options.first(where: { $0.spellings.contains(String(name)) }) {
        return (option, String(argument[argument.index(after: equals)...]))
      }
    }
    if !argument.hasPrefix("--") {
      let short = String(argument.prefix(2))
      if let option = options.first(where: { $0.spellings.contains(short) }), option.value != nil {
        return (option, String(argument.dropFirst(2)))
      }
    }
    return nil
  }
}

extension Option.Value {
  /// The problem with a value; nil if it is valid.
  func fault(in value: String) -> String? {
    switch self {
    case .text, .named, .file, .format:
      return value.isEmpty ? "the value is empty" : nil
    case .integer(_, let range):
      guard let number = Int(value), range.contains(number) else {
        return "'\(value)' is not a whole number from \(range.lowerBound) to \(range.upperBound)"
      }
      return nil
    case .choice(_, let names):
      if names.contains(value) { return nil }
      return "'\(value)' is not one of " + names.map { "'\($0)'" }.joined(separator: ", ")
    }
  }
}

extension Invocation {
  /// The options as words of a new command line, in the order of the table.
  ///
  /// - Parameter isWanted: Whether an option is included.
  func optionWords(where isWanted: (Option) -> Bool) -> [String] {
    verb.options.filter { has($0) && isWanted($0) }.flatMap { option in
      if option.value == nil { return [option.name] }
      if option.isValueOptional {
        return [value(of: option).map { "\(option.name)=\($0)" } ?? option.name]
      }
      return values(of: option).flatMap { [option.name, $0] }
    }
  }

  /// The operands as words of a new command line, after its options.
  var operandWords: [String] {
    operands.contains { $0.hasPrefix("-") } ? ["--"] + operands : operands
  }
}
