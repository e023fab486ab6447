import MeshpipeBase

/// An option given as text, in a one-line stage or with `--set`.
struct OptionSetting: Positioned {
  /// The only level that it is for; nil for all.
  var level: String?
  /// The id of the format of outputs that it is for; nil for all whose format has the option.
  var format: String?
  var option: String
  var text: String
  var position: SourcePosition
  /// Empty, since an argument has none.
  var path: JSONPath { JSONPath() }

  /// The name of the maximum size of an output.
  static let maximumBytes = "maximumBytes"

  /// The text as a value of a type, or as it is if it has variables.
  func value(ofType type: ParameterType?) -> JSONValue {
    let string = JSONValue(.string(text), at: position)
    return text.contains("${") ? string : type?.value(fromText: text, at: position) ?? string
  }

  func applies(in level: String?) -> Bool { self.level == nil || self.level == level }

  /// Whether it is for an output of a format.
  func applies(to format: FormatWriter, in level: String?) -> Bool {
    applies(in: level)
      && (self.format.map { $0 == format.id }
        ?? (option == Self.maximumBytes || format.options[name: option] != nil))
  }
}

/// The settings of a request, each with the stage or the outputs that it is for.
struct OptionSettings {
  /// By the index of the stage's entry.
  private(set) var ofStages: [Int: [OptionSetting]] = [:]
  private(set) var ofOutputs: [OptionSetting] = []
  private(set) var findings: Findings

  init(_ use: PipelineUse, _ ids: EntryIDs) {
    findings = ids.findings
    for text in use.request.settings {
      let location = findings.location(ofArgument: "--set \(text.shellQuoted)")
      guard let (target, value) = text.splitAtEquals() else {
        findings.report("expected stage.option=value", at: location)
        continue
      }
      var setting = OptionSetting(option: target, text: value, position: location.position)
      var owner: String?
      if let dot = target.lastIndex(of: ".") {
        owner = String(target[..<dot])
        setting.option = String(target[target.index(after: dot)...])
      }
      if let id = owner, let dot = id.firstIndex(of: "."),
        let level = use.document.levels.first(where: { $0.name == id[..<dot] })
      {
        setting.level = level.name
        owner = String(id[id.index(after: dot)...])
      }
      let problem =
        if let owner { add(setting, of: owner, use, ids) } else { add(setting, use, ids) }
      if let problem { findings.report(problem, at: location) }
    }
  }

  /// Gives a setting to the stage with an id or a name, or to the outputs of the format with that id.
  ///
  /// - Returns: What is wrong if there is none.
  private mutating func add(
    _ setting: OptionSetting, of id: String, _ use: PipelineUse, _ ids: EntryIDs
  ) -> String? {
    let entries = use.document.stages
    // A stage with an explicit id is also found by its name, as long as that is unambiguous.
    let namesakes = entries.indices.filter { entries[$0].use?.value == id }
    if let index = ids.indices[id] ?? (namesakes.count == 1 ? namesakes[0] : nil) {
      ofStages[index, default: []].append(setting)
      return nil
    }
    if namesakes.isEmpty, use.environment.formats.writer(id: id) != nil {
      var setting = setting
      setting.format = id
      ofOutputs.append(setting)
      return nil
    }
    return namesakes.isEmpty
      ? "unknown stage '\(id)'" + nameHint(id, among: ids.ofStages)
      : "several stages are '\(id)': "
        + namesakes.map { ids.ofStages[$0] }.joined(separator: ", ")
  }

  /// Gives a setting to the only stage that has the option, or to all outputs that have it if no stage does.
  private mutating func add(
    _ setting: OptionSetting, _ use: PipelineUse, _ ids: EntryIDs
  ) -> String? {
    let option = setting.option
    let ofStages = use.document.stages.map { entry in
      use.environment.stages[entry.use?.value ?? ""]?.parameters ?? []
    }
    let found = ofStages.indices.filter { ofStages[$0][name: option] != nil }
    if found.count == 1 {
      self.ofStages[found[0], default: []].append(setting)
      return nil
    }
    if found.count > 1 {
      let targets = found.map { "\(ids.ofStages[$0]).\(option)" }
      return "several stages have '\(option)': say which, \(targets.joined(separator: " or "))"
    }
    if ids.indices[option] != nil { return "expected stage.option=value" }
    let ofFormats = use.environment.formats.writers.flatMap(\.options)
    if option == OptionSetting.maximumBytes || ofFormats[name: option] != nil {
      ofOutputs.append(setting)
      return nil
    }
    let names =
      (ofStages.flatMap(\.self) + ofFormats).map(\.name) + [OptionSetting.maximumBytes]
    let hint = nearestName(to: option, in: names)
    let change = use.document.stages.lazy.compactMap { entry in
      use.environment.stages[entry.use?.value ?? ""]?.formerOptions[option]
    }.first
    return "no stage or output has an option '\(option)'"
      + (change.map { "; it \($0)" } ?? hint.map { "; did you mean '\($0)'?" } ?? "")
  }

  /// The settings of the stage of an entry in a level.
  func ofStage(_ entry: Int, in level: String?) -> [OptionSetting] {
    (ofStages[entry] ?? []).filter { $0.applies(in: level) }
  }
}
