import MeshpipeBase

extension PipelineDocument {
  /// An entry of `levels`: a variant of the stages and outputs that depend on its values.
  package struct Level: Sendable {
    /// The name in `${level}` and for `--level`.
    package var name: String
    /// Values of variables in this level, instead of their defaults.
    package var values: [JSONValue.Member] = []
    /// A boolean, or a text that refers to a variable; a disabled level runs only if `--level` names it.
    package var enabled: Located<JSONValue>?
    /// A comment for readers.
    package var note: Located<String>?
    /// The position of its name.
    package var position: SourcePosition
    /// The place of the entry.
    package var path: JSONPath
  }

  /// The variable with the name of the level.
  package static var levelVariable: String { "level" }

  mutating func decodeLevels(_ value: JSONValue, at path: JSONPath) {
    guard let members = object(value, at: path, "'levels'", keys: nil) else { return }
    if members.isEmpty { report("'levels' is empty", at: value.position, path) }
    for member in members {
      let path = path[member.key]
      if !member.key.isPlainName || member.key.contains("$") {
        report(
          "'\(member.key)' is not a valid name of a level; use letters, digits, '-' and '_'",
          at: member.keyPosition, path)
        continue
      }
      decodeLevel(member, at: path)
    }
  }

  private mutating func decodeLevel(_ member: JSONValue.Member, at path: JSONPath) {
    var level = Level(name: member.key, position: member.keyPosition, path: path)
    let owner = "level '\(member.key)'"
    for field in object(member.value, at: path, owner, keys: Keys.level) ?? [] {
      let path = path[field.key]
      switch field.key {
      case "with": level.values = object(field.value, at: path, "'with'", keys: nil) ?? []
      case "enabled": level.enabled = flag(field.value, at: path)
      default: level.note = text(field.value, at: path)
      }
    }
    levels.append(level)
  }

  /// Checks the values of levels, which may stand before the variables; removes those at fault.
  mutating func checkLevels() {
    if !levels.isEmpty, let variable = variables.first(where: { $0.name == Self.levelVariable }) {
      report(
        "'level' is the name of the level in a pipeline with levels; choose another name",
        at: variable.position, variable.path)
    }
    for index in levels.indices {
      let level = levels[index]
      levels[index].values = level.values.filter { isValid($0, in: level) }
    }
  }

  private mutating func isValid(_ member: JSONValue.Member, in level: Level) -> Bool {
    let path = level.path["with"][member.key]
    guard let variable = variables.first(where: { $0.name == member.key }) else {
      let names = variables.map(\.name)
      let hint =
        names.isEmpty
        ? "; declare it in 'variables'" : nameHint(member.key, among: names)
      report("unknown variable '\(member.key)'" + hint, at: member.keyPosition, path)
      return false
    }
    if let text = member.value.texts.first(where: { $0.contains("${") }) {
      report(
        "'\(member.key)' of level '\(level.name)' is '\(text)', but a value of a level can't refer to "
          + "variables", at: member.value.position, path)
      return false
    }
    do throws(ParameterFault) {
      try variable.type.check(member.value)
      try variable.bounds.check(member.value, as: variable.type)
      return true
    } catch {
      report(
        "'\(member.key)' of level '\(level.name)': \(error.message)",
        at: error.position ?? member.value.position, path)
      return false
    }
  }
}
