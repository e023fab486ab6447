import Foundation
import Testing

/// Independent programs that check our results: a Python with trimesh, jsonschema, Blender's `bpy`.
///
/// `make test` sets them up in `.build/checkers`; the environment variable `MESHPIPE_CHECKERS` names
/// another Python. Tests that need one are skipped where it is missing, unless
/// `MESHPIPE_REQUIRE_CHECKERS=1` says that it has to be there (as in CI): then they fail.
package enum Checkers {
  package static let python: String =
    ProcessInfo.processInfo.environment["MESHPIPE_CHECKERS"]
    ?? Checkout.path(".build/checkers/bin/python")

  /// Whether a skip counts as a failure.
  package static let areRequired =
    ProcessInfo.processInfo.environment["MESHPIPE_REQUIRE_CHECKERS"] == "1"

  /// Whether all of the modules are installed; looked up without importing them.
  package static func has(_ modules: String...) -> Bool { has(modules) }

  static func has(_ modules: [String]) -> Bool {
    guard FileManager.default.isExecutableFile(atPath: python) else { return false }
    let question = """
      import importlib.util, sys
      sys.exit(any(importlib.util.find_spec(name) is None for name in sys.argv[1:]))
      """
    return (try? Program.run(python, ["-c", question] + modules).status) == 0
  }

  /// The path of a program that a test, or one of its cases, runs.
  ///
  /// Where it is missing, the case is listed as skipped with the reason, or fails where checkers are
  /// required.
  public static func program(_ name: String) throws -> String {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let path = folders.lazy.map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    if let path { return path }
    if areRequired { throw MissingProgram(name: name) }
    try Test.cancel("needs \(name)")
  }

  /// Runs a Python script of the project, such as `Tools/checks/blender.py`.
  ///
  /// - Returns: Its standard output.
  /// - Throws: ``ProgramFailure`` with what it said when its exit code is not 0.
  package static func run(_ script: String, _ arguments: [String]) throws -> String {
    let program = try Program.run(python, [Checkout.path(script)] + arguments)
    guard program.status == 0 else { throw ProgramFailure(program) }
    return program.output
  }
}

/// A program that tests need is not installed.
struct MissingProgram: Error {
  var name: String
}

extension Trait where Self == ConditionTrait {
  /// The test needs Python modules: `@Test(.needs("bpy"))`.
  package static func needs(_ modules: String...) -> Self {
    // Blender's module is made for this Python alone.
    let place = modules.contains("bpy") ? " where there is Python 3.11" : ""
    return .enabled(
      if: Checkers.areRequired || Checkers.has(modules),
      "needs Python with \(modules.joined(separator: ", ")): `make checkers` installs it\(place)")
  }

  /// The test needs a real scan from beside the checkout: `@Test(.needsShared("captures"))`.
  package static func needsShared(_ relative: String) -> Self {
    .enabled(
      if: Checkers.areRequired || Checkout.shared(relative) != nil,
      "needs ../shared/\(relative) beside the checkout")
  }
}
