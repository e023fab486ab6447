package import MeshpipeBase

extension RunSettings {
  /// All settings with their values, in the order of declaration.
  private var all: [(declaration: SettingDeclaration, setting: any AnySetting)] {
    Mirror(reflecting: self).children.compactMap { child in
      guard let label = child.label, let setting = child.value as? any AnySetting else {
        return nil
      }
      var declaration = setting.projectedValue
      declaration.key = String(label.drop { $0 == "_" })
      return (declaration, setting)
    }
  }

  /// The declarations, in their order.
  package static let declarations = RunSettings().all.map(\.declaration)

  // MARK: Command line

  /// The settings given by options and by environment variables.
  ///
  /// - Parameter words: The values of an option by its name, none for a flag; nil if it is not given.
  /// - Throws: An ``InvalidSetting``, or the error of a file that an option names.
  package init(
    words: (String) -> [String]? = { _ in nil },
    environment: (String) -> String? = FileSystem.environment
  ) throws {
    self.init()
    for (declaration, setting) in all {
      let inherited = declaration.variable.flatMap(environment) ?? ""
      var given = words(declaration.option.name)
      if !inherited.isEmpty {
        let more = inherited.split(separator: ",").map(String.init)
        given = more + (given ?? []).filter { !more.contains($0) }
      }
      guard let given else { continue }
      do {
        try setting.assign(given)
      } catch let fault as SettingFault {
        throw InvalidSetting(
          message: "'\(declaration.option.name) \(given.last ?? "")'\(fault.message)")
      }
    }
  }

  // MARK: JSON

  /// What differs from the defaults, for another process.
  package var json: JSONValue { json { _ in true } }

  /// What a result depends on: if it changes, a later run makes the result again.
  ///
  /// - Parameter effects: The kinds of settings to include.
  package func recipe(of effects: Set<SettingDeclaration.Effect> = [.results, .outputs])
    -> JSONValue
  {
    json { effects.contains($0.effect) }
  }

  private func json(where isWanted: (SettingDeclaration) -> Bool) -> JSONValue {
    let members = all.filter { isWanted($0.declaration) }.compactMap { declaration, setting in
      setting.savedJSON.map { JSONValue.Member(declaration.key, $0) }
    }
    return JSONValue(.object(members))
  }

  /// - Returns: Nil if it is not the result of ``json``.
  package init?(_ json: JSONValue) {
    guard case .object(let members) = json.content else { return nil }
    self.init()
    let settings = Dictionary(
      all.map { ($0.declaration.key, $0.setting) }, uniquingKeysWith: { first, _ in first })
    for member in members {
      guard let setting = settings[member.key], setting.assign(saved: member.value) else {
        return nil
      }
    }
  }
}

/// An option with a value that it doesn't accept.
package struct InvalidSetting: UserError {
  package let message: String
  package var exitCode: ExitCode { .usage }
}
