import MeshpipeBase

/// A dependency file for make and ninja: the prerequisites of each output.
///
/// The format that compilers write with `-MD`, for `include` in make and `depfile` in ninja.
package struct DependencyFile: Sendable {
  /// The files of one run.
  package struct Rule: Sendable {
    /// The targets, as the build names them.
    package var targets: [String]
    /// The prerequisites.
    package var prerequisites: [String]

    package init(targets: [String], prerequisites: [String]) {
      self.targets = targets
      self.prerequisites = prerequisites
    }
  }

  package var rules: [Rule]

  package init(_ rules: [Rule]) {
    self.rules = rules
  }

  /// The text of the file.
  ///
  /// Each prerequisite also has a rule without a recipe, as with a compiler's `-MP`, so that make
  /// doesn't fail when one of them has been removed.
  /// - Throws: When a name can't be expressed in a way that make and ninja understand.
  package func text() throws(UnnamableFile) -> String {
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

  /// A path, escaped for make and ninja.
  package static func escaped(_ path: String) throws(UnnamableFile) -> String {
    var result = ""
    /// Backslashes directly before an escaped character are doubled.
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

/// A file name that dependency files can't express.
package struct UnnamableFile: UserError, Equatable {
  package var path: String

  package var exitCode: ExitCode { .cannotCreate }
  package var message: String {
    "the name '\(path)' can't be written in a dependency file, because it contains a line break, a tab or a semicolon; "
      + "rename the file"
  }
}
