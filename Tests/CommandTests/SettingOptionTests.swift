import MeshPipeline
import MeshTestSupport
import Testing

@testable import MeshpipeCommand

/// Every setting is an option, with no more than its declaration.
struct SettingOptionTests {
  @Test(arguments: [CommandTable.run, CommandTable.batch].map(\.name))
  func `runs and batches have the option of every setting`(verb: String) throws {
    let names = try CommandTable.verb(named: verb).options.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(Set(RunSettings.declarations.map(\.option.name)).isSubset(of: names))
  }

  @Test func `a command line gives settings`() throws {
    let invocation = try Invocation(
      CommandTable.run,
      ["p.json", "s.obj", "-f", "--input-unit", "mm", "--masks=ignore", "--plugins", "p"],
      stages: [])
    #expect(invocation.settings.replacesReadOnly)
    #expect(invocation.settings.inputReading.metersPerUnit == 0.001)
    #expect(invocation.settings.framesReading.ignoresMasks)
    #expect(invocation.settings.pluginFolders == ["p"])
  }

  @Test func `help is shown even if an option is at fault`() throws {
    let words = ["p.json", "--var-file", "no/such.json"]
    #expect(throws: FileError.self) {
      try Invocation(CommandTable.run, words, stages: [])
    }
    _ = try Invocation(CommandTable.run, words + ["--help"], stages: [])
  }
}
