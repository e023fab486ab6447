import MeshPipeline
import Testing

@testable import MeshpipeCommand

private func parse(_ arguments: String...) throws -> Invocation {
  try Invocation(CommandTable.run, arguments, stages: [])
}

@Test func `options and operands may be mixed`() throws {
  let invocation = try parse("p.json", "--force", "-o", "out.glb", "scan.obj", "--var", "a=1")
  #expect(invocation.operands == ["p.json", "scan.obj"])
  #expect(invocation.settings.replacesReadOnly)
  #expect(invocation.value(of: .output) == "out.glb")
  #expect(invocation.settings.variables == ["a=1"])
}

@Test(arguments: [["--jobs", "4"], ["--jobs=4"], ["-j", "4"], ["-j4"]])
func `a value follows, or is attached`(spelling: [String]) throws {
  let invocation = try Invocation(
    CommandTable.run, spelling + ["p.json", "scan.obj"], stages: [])
  #expect(invocation.integer(of: .jobs) == 4)
}

@Test func `values may look like options and hold equals signs`() throws {
  let invocation = try parse(
    "p", "s", "--set", "a.b=c=d", "--input-up", "-y", "--var=x=-1", "-s", "decimate faces=20%")
  #expect(invocation.settings.settings == ["a.b=c=d"])
  #expect(invocation.settings.inputUp == .negativeY)
  #expect(invocation.settings.variables == ["x=-1"])
  #expect(invocation.value(of: .stage) == "decimate faces=20%")
}

@Test func `two hyphens end the options and one is an operand`() throws {
  #expect(try parse("p.json", "-").operands == ["p.json", "-"])
  #expect(try parse("p.json", "--", "--force", "-j4").operands == ["p.json", "--force", "-j4"])
}

@Test func `dependency options are written as for a compiler`() throws {
  let invocation = try parse("p", "s", "-MD", "-MF", "out.d")
  #expect(invocation.has(.dependencies))
  #expect(invocation.value(of: .dependencyFile) == "out.d")
}

@Test(arguments: [
  (["--forse", "p", "s"], "unknown option '--forse' of 'run'; did you mean '--force'?"),
  (["--qqqqqq", "p", "s"], "unknown option '--qqqqqq' of 'run'"),
  (["-x"], "unknown option '-x' of 'run'"),
  (["p", "s", "--force=yes"], "option '--force' of 'run' takes no value"),
  (["p", "s", "--report"], "option '--report' of 'run' needs a value: --report FILE"),
  (["p", "s", "-j0"], "option '--jobs': '0' is not a whole number from 1 to 4096"),
  (["p", "s", "-j", "two"], "option '--jobs': 'two' is not a whole number from 1 to 4096"),
  (
    ["p", "s", "--progress", "loud"],
    "option '--progress': 'loud' is not one of 'auto', 'bar', 'json', 'none'"
  ),
  (["p", "s", "--report", "a", "--report", "b"], "option '--report' of 'run' is given twice"),
  (["p", "s", "-o", ""], "option '--output': the value is empty"),
])
func `mistakes are told with the way out`(arguments: [String], message: String) {
  let error = #expect(throws: UsageError.self) {
    try Invocation(CommandTable.run, arguments, stages: [])
  }
  #expect(error?.message == message)
  #expect(error?.hint == "try 'meshpipe run --help'")
}

@Test func `missing and superfluous operands are told`() {
  let missing = #expect(throws: UsageError.self) {
    try Invocation(CommandTable.info, [], stages: [])
  }
  #expect(missing?.message == "'info' needs FILE: meshpipe info FILE... [OPTIONS]")
  let extra = #expect(throws: UsageError.self) {
    try Invocation(CommandTable.check, ["a", "b", "c"], stages: [])
  }
  #expect(extra?.message == "unexpected argument 'c' of 'check'")
}

@Test func `a verb's name may be of two words`() throws {
  func verb(_ name: String) -> Verb {
    Verb(name: name, summary: "", options: [.help]) { _ in .success }
  }
  let verbs = CommandTable.verbs + [verb("run away")]
  func name(_ words: String...) throws -> [String] {
    let (verb, rest) = try CommandTable.call(words[...], among: verbs)
    return [verb.name] + rest
  }
  #expect(try name("run", "away", "x") == ["run away", "x"])
  #expect(try name("run", "x", "away") == ["run", "x", "away"])
  #expect(try name("run") == ["run"])
}

@Test func `every option of the table is spelled once per verb`() {
  for verb in CommandTable.verbs {
    let spellings = verb.options.flatMap(\.spellings)
    #expect(Set(spellings).count == spellings.count, "\(verb.name)")
    #expect(verb.options.contains { $0.name == "--help" }, "\(verb.name)")
    #expect(!verb.examples.isEmpty, "\(verb.name)")
  }
}
