import MeshPipeline

/// The options that are settings of a run, where verbs and messages name them.
extension Option {
  /// The option of a setting: `.setting(\.$inputFormat)`.
  static func setting(_ path: KeyPath<RunSettings, SettingDeclaration>) -> Option {
    defaults[keyPath: path].option
  }

  private static let defaults = RunSettings()

  /// The options of all settings in some groups, in the order of their declarations.
  static func settings(in groups: OptionGroup...) -> [Option] {
    RunSettings.declarations.map(\.option).filter { groups.contains($0.group) }
  }

  /// The options of a verb, each once, where it comes first.
  static func ordered(_ parts: [Option]...) -> [Option] {
    var known: Set<String> = []
    return parts.flatMap(\.self).filter { known.insert($0.name).inserted }
  }

  /// The options of some settings.
  static func settings(_ paths: KeyPath<RunSettings, SettingDeclaration>...) -> [Option] {
    paths.map(setting)
  }
}

extension Invocation {
  /// Whether the option of a setting is given.
  func has(_ path: KeyPath<RunSettings, SettingDeclaration>) -> Bool { has(.setting(path)) }

  /// Refuses two contradictory options.
  func exclude(
    _ one: KeyPath<RunSettings, SettingDeclaration>,
    _ other: KeyPath<RunSettings, SettingDeclaration>
  ) throws(UsageError) {
    try exclude(.setting(one), .setting(other))
  }
}
