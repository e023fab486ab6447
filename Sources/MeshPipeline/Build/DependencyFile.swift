/// A dependency file for make and ninja: what each output was made from.
///
/// The form that compilers write with `-MD`, and that `include` of make and `depfile` of ninja read.
public struct DependencyFile: Sendable {
  /// The files of one run.
  public struct Rule: Sendable {
    /// What was made, as the build names it.
    public var targets: [String]
    /// What it was made from.
    public var prerequisites: [String]

    public init(targets: [String], prerequisites: [String]) {
      self.targets = targets
      self.prerequisites = prerequisites
    }
  }

  public var rules: [Rule]

  public init(_ rules: [Rule]) {
    self.rules = rules
  }

  /// The text of the file.
  ///
  /// Each prerequisite also has a rule without a recipe, as with a compiler's `-MP`, so that make
  /// doesn't give up when one of them has been removed.
  /// - Throws: When a name can't be written so that make and ninja understand it.
  public func text() throws(UnnamableFile) -> String {
    var text = ""
    for rule in rules {
      text += try names(rule.targets).joined(separator: " ") + ":"
      for name in try names(rule.prerequisites) { text += " \\\n  " + name }
      text += "\n"
    }
    var mentioned: Set<String> = []
    for prerequisite in rules.flatMap(\.prerequisites) where mentioned.insert(prerequisite).inserted
    {
      text += "\n" + (try Self.escaped(prerequisite)) + ":\n"
    }
    return text
  }

  private func names(_ paths: [String]) throws(UnnamableFile) -> [String] {
    var names: [String] = []
    for path in paths { names.append(try Self.escaped(path)) }
    return names
  }

  /// A path as make and ninja read it back.
  public static func escaped(_ path: String) throws(UnnamableFile) -> String {
    var result = ""
    /// Backslashes just before a character that is escaped count double.
    var backslashes = 0
    for scalar in path.unicodeScalars {
      switch scalar {
      case " ", "#", ":":
        result += String(repeating: "\\", count: backslashes + 1)
      case "$": result += "$"
      case "\n", "\r", "\t", "\0", ";": throw UnnamableFile(path: path)
      default: break
      }
      backslashes = scalar == "\\" ? backslashes + 1 : 0
      result.unicodeScalars.append(scalar)
    }
    return result
  }
}

/// A file name that dependency files have no way to write.
public struct UnnamableFile: UserError, Equatable {
  public var path: String

  public var exitCode: ExitCode { .cannotCreate }
  public var message: String {
    "the name '\(path)' can't be written in a dependency file, for it holds a line break, a tab or a semicolon; "
      + "rename the file"
  }
}
