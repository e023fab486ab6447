import Foundation
import MeshTestSupport
import Testing

/// The commands of README and documentation run, as they stand there.
struct DocumentedCommandsTests {
  private static let blocks = Result {
    try CommandBlock.pages().flatMap { try CommandBlock.all(of: "sh", in: $0) }
      .filter(\.callsMeshpipe)
  }
  /// Those that can be run, each once however many pages show it.
  private static let runnable = ((try? blocks.get()) ?? []).reduce(into: [CommandBlock]()) {
    kept, block in
    let isKnown = kept.contains { $0.script == block.script }
    if !isKnown, block.marks["not run"] == nil { kept.append(block) }
  }
  private static let scripts = (try? CommandBlock.all(of: "python", in: "docs/python.md")) ?? []
  private static let programs = ["bash", "python3", "tar"]

  @Test func `most pages have commands, and few can't be run`() throws {
    let blocks = try Self.blocks.get()
    #expect(Set(blocks.map(\.page)).count > 10)
    #expect(blocks.count > 60)
    #expect(blocks.count { $0.marks["not run"] != nil } < blocks.count / 10)
    #expect(Self.scripts.count > 5)
  }

  @Test(
    .enabled(
      if: programs.allSatisfy { CommandProcess.program($0) != nil },
      "needs \(programs.joined(separator: ", "))"),
    arguments: runnable)
  func `a block of commands ends as the page says`(block: CommandBlock) throws {
    for program in (block.marks["needs"] ?? "").split(separator: " ") {
      _ = try Checkers.program(String(program))
    }
    try expectSuccess(of: block)
  }

  @Test(.needs("numpy"), arguments: scripts)
  func `a block of Python runs`(block: CommandBlock) throws {
    try expectSuccess(of: block)
  }

  private func expectSuccess(of block: CommandBlock) throws {
    let outcome = try StandIns.shared.get().run(block)
    let expected = block.marks["exit"].flatMap { Int32($0) } ?? 0
    #expect(
      outcome.status == expected,
      "\(block.testDescription)\n\(block.script)\n\(outcome.text.suffix(1000))\(outcome.errors)")
  }
}
