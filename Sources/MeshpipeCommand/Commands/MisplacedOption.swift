import MeshpipeKit

/// An option that its verb does not have, and that may be meant for the pipeline, a stage or an output.
struct MisplacedOption {
  private let option: UsageError.UnknownOption
  private let verb: Verb
  private let words: [String]
  private let stages: [any Stage.Type]

  /// Nil for another mistake.
  ///
  /// - Parameters:
  ///   - words: All words after the verb.
  ///   - stages: The program's own.
  init?(_ error: UsageError, of verb: Verb, in words: [String], _ stages: [any Stage.Type]) {
    guard let option = error.unknownOption else { return nil }
    (self.option, self.verb, self.words, self.stages) = (option, verb, words, stages)
  }

  /// The error with the way to give it; nil if nothing has such an option.
  var error: UsageError? {
    (variableHint ?? longerHint ?? stageHint ?? settingHint ?? nearHint).map { hint in
      UsageError("unknown option '\(option.name)' of '\(verb.name)'; \(hint)", verb: verb)
    }
  }

  /// For a variable whose name is nearer than that of any option.
  private var nearHint: String? {
    let variables = document?.variables.map { "--\($0.name)" } ?? []
    guard let near = nearestName(to: option.name, in: verb.longSpellings + variables),
      !verb.longSpellings.contains(near)
    else { return nil }
    return "did you mean \(word("--var", "\(near.dropFirst(2))=\(valueText)"))?"
  }

  private var variableHint: String? {
    guard has(.setting(\.$variables)),
      let variable = document?.variables.first(where: {
        ([$0.name] + $0.formerNames).contains(where: isMeant)
      })
    else { return nil }
    return "it is a variable of the pipeline: " + word("--var", "\(variable.name)=\(valueText)")
  }

  /// For options of the verb that end in the name, as `--input-unit` does in `--unit`.
  private var longerHint: String? {
    let ending = "-" + option.name.drop { $0 == "-" }
    let longer = verb.longSpellings.filter { $0.hasSuffix(ending) }
    guard !longer.isEmpty else { return nil }
    return "did you mean \(longer.map { "'\($0)'" }.joined(separator: " or "))?"
  }

  /// For an option of a stage given by -s, or that only one or two stages have.
  private var stageHint: String? {
    guard has(.stage), document == nil else { return nil }
    let given = words.indices.filter { $0 > 0 && ["-s", "--stage"].contains(words[$0 - 1]) }
      .map { words[$0] }
    let owners = stages.map { StageDefinition($0) }.compactMap { stage in
      stage.parameters.first { $0.allNames.contains(where: isMeant) }.map {
        (stage: stage.name, option: $0.name)
      }
    }
    let named = given.lazy.compactMap { text in
      owners.first { $0.stage == text.prefix { $0 != " " } }.map { (text, $0.option) }
    }.first
    if let (text, option) = named {
      return "the options of a stage stand behind its name: "
        + word("-s", "\(text) \(option)=\(valueText)")
    }
    guard let first = owners.first, owners.count < 3 else { return nil }
    return "it is an option of \(owners.map { "'\($0.stage)'" }.joined(separator: " and ")): "
      + word("-s", "\(first.stage) \(first.option)=\(valueText)")
  }

  private var settingHint: String? {
    guard has(.setting(\.$settings)), let document else { return nil }
    let used = document.stages.compactMap { $0.use?.value }
    let ofStages = stages.filter { used.contains($0.name) }
      .flatMap { StageDefinition($0).parameters }
    let ofFormats = FormatRegistry(builtInFormats).writers.flatMap(\.options)
    let meant = (ofStages + ofFormats).first { $0.allNames.contains(where: isMeant) }?.name
    guard let option = meant ?? (isMeant("maximumBytes") ? "maximumBytes" : nil) else {
      return nil
    }
    let owner = ofStages[name: option] == nil ? "an output" : "a stage"
    return "it is an option of \(owner): " + word("--set", "\(option)=\(valueText)")
  }

  private func has(_ option: Option) -> Bool { verb.options.contains { $0.name == option.name } }

  /// Whether the option is a name, however its words are joined: `--maximum-error` is `maximumError`.
  private func isMeant(_ candidate: String) -> Bool {
    option.name.filter { $0 != "-" }.lowercased() == candidate.lowercased()
  }

  private var valueText: String { option.value ?? "…" }

  private func word(_ option: String, _ text: String) -> String {
    "\(option) \(text.shellQuoted)"
  }

  /// The pipeline of the call; nil if no word names one that can be read.
  private var document: PipelineDocument? {
    let library = PipelineLibrary.standard()
    let named = words.first {
      library.has($0) || PipelineLibrary.extensions.contains(fileExtension(of: $0))
    }
    return named.flatMap { try? PipelineDocument(path: library.path(of: $0)) }
  }
}
