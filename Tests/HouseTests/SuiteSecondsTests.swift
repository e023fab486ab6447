import Foundation
import MeshTestSupport
import Testing

/// What `make test` says about the seconds of suites.
struct SuiteSecondsTests {
  /// A line of the event stream for a test in a file.
  private static func test(_ id: String, _ file: String) -> String {
    """
    {"kind": "test", "version": 0, "payload": {"kind": "function", "id": "\(id)", "name": "\(id)", \
    "sourceLocation": {"fileID": "\(file)", "line": 1, "column": 1}}}
    """
  }

  private static func event(_ kind: String, _ id: String, at second: Double) -> String {
    """
    {"kind": "event", "version": 0, "payload": {"kind": "\(kind)", "testID": "\(id)", \
    "instant": {"absolute": \(1_000_000 + second), "since1970": 0}, "messages": []}}
    """
  }

  /// Two cases of `a` and one of `b` on two cores, and `c` in the other file of the suite of `b`.
  private static let events = [
    test("a", "StagesTests/SlowTests.swift"), test("b", "KitTests/QuickTests.swift"),
    test("c", "KitTests/QuickTests+More.swift"),
    event("testCaseStarted", "a", at: 0), event("testCaseStarted", "a", at: 1),
    event("testCaseEnded", "a", at: 30), event("testCaseStarted", "b", at: 31),
    event("testCaseEnded", "b", at: 43), event("testCaseStarted", "c", at: 44),
    event("testCaseEnded", "c", at: 45), event("testCaseEnded", "a", at: 61),
  ]

  private func run(_ budgets: String) throws -> (program: Program, record: [String: Any]) {
    let folder = try TemporaryFolder()
    let events = try folder.write("events.jsonl", Self.events.joined(separator: "\n") + "\n")
    let record = folder.path + "/seconds.json"
    let program = try Program.run(
      Checkers.program("python3"),
      [
        Checkout.path("Tools/suite_seconds.py"), events, folder.write("budgets.txt", budgets),
        "--record", record, "--check",
      ])
    let data = try Data(contentsOf: URL(filePath: record))
    let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    return (program, object ?? [:])
  }

  @Test func `cases are added up by suite, slowest first`() throws {
    let (program, record) = try run("others 90\n")
    #expect(program.status == 0, "\(program.errors)")
    let lines = program.output.split(separator: "\n")
    #expect(lines.first?.contains("2 suites") == true && lines[0].contains("(103 in 61 s)"))
    #expect(lines.dropFirst().first?.hasSuffix("90.0 s  87.4 %  StagesTests/SlowTests") == true)
    #expect(
      record["suites"] as? [String: Double] == [
        "StagesTests/SlowTests": 90, "KitTests/QuickTests": 13,
      ])
    #expect(record["total"] as? Double == 103 && record["duration"] as? Double == 61)
  }

  @Test(arguments: [
    ("others 80\n", ["StagesTests/SlowTests took 90.0 s, 87.4 % of all; its budget is 80.0 %"]),
    (
      "others 5\nStagesTests/SlowTests 90 # renders\n",
      ["KitTests/QuickTests took 13.0 s, 12.6 %"]
    ),
    ("others 90\nStagesTests/GoneTests 4\n", ["budgets.txt names StagesTests/GoneTests"]),
    ("others 99\nStagesTests/SlowTests -\n", ["KitTests/QuickTests took 13.0 s, 100.0 %"]),
  ])
  func `a suite over its budget is an error, and so is a name that none has`(
    budgets: String, faults: [String]
  ) throws {
    let program = try run(budgets).program
    #expect(program.status == 1)
    let errors = program.errors.split(separator: "\n")
    #expect(errors.count == faults.count, "\(program.errors)")
    for (error, fault) in zip(errors, faults) {
      #expect(error.hasPrefix("error: " + fault), "\(error)")
    }
  }

  @Test func `budgets are of suites that there are`() throws {
    let files = try Checkout.trackedFiles()
    for name in try Self.budgets().keys {
      let parts = name.split(separator: "/")
      let isThere = files.contains {
        $0.hasPrefix("Tests/\(parts[0])/") && $0.hasSuffix("/\(parts[1]).swift")
      }
      #expect(isThere, "\(name)")
    }
  }

  /// With a limit of time a case begins before its turn, so that its seconds say nothing.
  @Test func `suites that wait with a limit of time are not counted`() throws {
    let budgets = try Self.budgets()
    for file in try Checkout.trackedFiles() where file.hasSuffix("Tests.swift") {
      let text = try Checkout.text(file)
      guard text.contains(/[ (]\.neverHangs/) else { continue }
      let parts = file.split(separator: "/")
      let name = "\(parts[1])/\(parts[parts.count - 1].dropLast(6))"
      #expect(budgets[name] == "-", "\(name)")
    }
  }

  /// The budgets by suite.
  private static func budgets() throws -> [String: String] {
    let lines = try Checkout.text("Tests/budgets.txt").split(separator: "\n").map {
      $0.prefix { $0 != "#" }.split(separator: " ").map(String.init)
    }
    return Dictionary(
      uniqueKeysWithValues: lines.filter { $0.count == 2 && $0[0] != "others" }
        .map { ($0[0], $0[1]) })
  }
}
