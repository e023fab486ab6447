import MeshpipeBase

/// Options given as text, in a one-liner or with `--set`.
extension PipelineResolver {
  /// An option of a stage or an output.
  struct Setting {
    /// The only level that it is for; nil for all.
    var level: String?
    var option: String
    var text: String
    var position: SourcePosition

    /// The text as a value of a type, or as it is if it has variables.
    func value(ofType type: ParameterType?) -> JSONValue {
      let string = JSONValue(.string(text), at: position)
      return text.contains("${") ? string : type?.value(fromText: text, at: position) ?? string
    }
  }

  /// A setting of all outputs of a format, or of all whose format has the option.
  struct OutputSetting {
    /// The id of the format; nil for all.
    var format: String?
    var setting: Setting
    /// Whether an output took it.
    var isUsed = false
  }

  /// The settings of the request.
  struct Settings {
    /// By the index of the stage's entry.
    var ofStages: [Int: [Setting]] = [:]
    var ofOutputs: [OutputSetting] = []
  }

  /// The name of the maximum size of an output in settings.
  private static let maximumBytes = "maximumBytes"

  mutating func parseSettings() -> Settings {
    var settings = Settings()
    for text in request.settings {
      let position = source.add(argument: "--set \(text.shellQuoted)")
      guard let (target, value) = text.splitAtEquals() else {
        report("expected stage.option=value", at: position, JSONPath())
        continue
      }
      var setting = Setting(option: target, text: value, position: position)
      guard let dot = target.lastIndex(of: ".") else {
        place(setting, in: &settings)
        continue
      }
      var id = String(target[..<dot])
      setting.option = String(target[target.index(after: dot)...])
      if let first = id.firstIndex(of: "."),
        let named = document.levels.first(where: { $0.name == id[..<first] })
      {
        setting.level = named.name
        id = String(id[id.index(after: first)...])
      }
      place(setting, of: id, in: &settings)
    }
    return settings
  }

  /// Gives a setting to the stage with an id or a name, or to the outputs of the format with that id.
  private mutating func place(_ setting: Setting, of id: String, in settings: inout Settings) {
    let entries = document.stages
    // A stage with an explicit id is also found by its name, as long as that is unambiguous.
    let namesakes = entries.indices.filter { entries[$0].use?.value == id }
    if let index = entryIndices[id] ?? (namesakes.count == 1 ? namesakes[0] : nil) {
      settings.ofStages[index, default: []].append(setting)
    } else if namesakes.isEmpty, environment.formats.writer(id: id) != nil {
      settings.ofOutputs.append(OutputSetting(format: id, setting: setting))
    } else {
      let ids = entries.indices.filter { namesakes.isEmpty || namesakes.contains($0) }
        .map { entryIDs[$0] }
      report(
        namesakes.isEmpty
          ? "unknown stage '\(id)'" + nameHint(id, among: ids)
          : "several stages are '\(id)': \(ids.joined(separator: ", "))",
        at: setting.position, JSONPath())
    }
  }

  /// Gives a setting to the only stage that has the option, or to all outputs that have it if no stage does.
  private mutating func place(_ setting: Setting, in settings: inout Settings) {
    let option = setting.option
    func options(_ index: Int) -> [String] {
      let name = document.stages[index].use?.value ?? ""
      return environment.stages[name]?.parameters.map(\.name) ?? []
    }
    let found = document.stages.indices.filter { options($0).contains(option) }
    if found.count == 1 { return settings.ofStages[found[0], default: []].append(setting) }
    if found.count > 1 {
      let targets = found.map { "\(entryIDs[$0]).\(option)" }
      return report(
        "several stages have '\(option)': say which, \(targets.joined(separator: " or "))",
        at: setting.position, JSONPath())
    }
    if entryIndices[option] != nil {
      return report("expected stage.option=value", at: setting.position, JSONPath())
    }
    let ofFormats = environment.formats.writers.flatMap(\.options).map(\.name)
    if option == Self.maximumBytes || ofFormats.contains(option) {
      return settings.ofOutputs.append(OutputSetting(setting: setting))
    }
    let names = document.stages.indices.flatMap { options($0) } + ofFormats + [Self.maximumBytes]
    let hint = nearestName(to: option, in: names).map { "; did you mean '\($0)'?" } ?? ""
    report(
      "no stage or output has an option '\(option)'" + hint, at: setting.position, JSONPath())
  }

  /// Puts the settings of the request into an output, whose format is known.
  mutating func applySettings(toOutput index: Int) {
    guard let format = outputs[index].format else { return }
    let path = outputs[index].entry.path["with"]
    var settings: [Setting] = []
    for place in outputSettings.indices {
      let (id, setting) = (outputSettings[place].format, outputSettings[place].setting)
      let isMaximum = setting.option == Self.maximumBytes
      guard
        id.map({ $0 == format.id })
          ?? (isMaximum || format.options.contains { $0.name == setting.option }),
        setting.level == nil || setting.level == outputs[index].level
      else { continue }
      outputSettings[place].isUsed = true
      if isMaximum {
        // Variables in what is replaced count as used.
        if let replaced = outputs[index].entry.maximumBytes {
          _ = substitute(replaced.value, at: replaced.path)
        }
        outputs[index].entry.maximumBytes = PipelineDocument.Located(
          value: setting.value(ofType: .bytes), position: setting.position, path: path)
      } else {
        settings.append(setting)
      }
    }
    outputs[index].entry.options = override(
      outputs[index].entry.options, with: settings, format.options, at: path)
  }

  /// Reports the settings that no output took.
  mutating func reportUnusedOutputSettings() {
    // A missing output and one without a format were reported.
    guard !outputs.isEmpty, outputs.allSatisfy({ $0.format != nil }) else { return }
    for unused in outputSettings where !unused.isUsed {
      let option = unused.setting.option
      let output = "output" + (unused.setting.level.map { " of the level '\($0)'" } ?? "")
      if let format = unused.format {
        report("no \(output) has the format '\(format)'", at: unused.setting.position, JSONPath())
      } else {
        let hint = Self.formats(among: environment.formats.writers, with: option).map {
          "; formats that have it: \($0)"
        }
        report(
          "no stage or output has the option '\(option)'" + (hint ?? ""),
          at: unused.setting.position, JSONPath())
      }
    }
  }

  /// Options with settings in the place of what they override.
  mutating func override(
    _ options: [JSONValue.Member], with settings: [Setting],
    _ declarations: [ParameterDeclaration], at path: JSONPath
  ) -> [JSONValue.Member] {
    var members = options
    for setting in settings {
      let declaration = declarations.first { $0.name == setting.option }
      // Variables in replaced options count as used: the file is not at fault.
      for member in members where member.key == setting.option {
        _ = substitute(member.value, at: path[member.key])
      }
      members.removeAll { $0.key == setting.option }
      members.append(
        .init(
          setting.option, setting.value(ofType: declaration?.type), keyPosition: setting.position))
    }
    return members
  }
}
