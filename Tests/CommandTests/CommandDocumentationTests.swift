import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import MeshpipeCommand

@Suite struct CommandDocumentationTests {
  @Test func `the page of the command is current`() throws {
    try expectGeneratedPage("docs/command.md", holds: CommandPage.markdown)
  }

  @Test func `the manual page is current`() throws {
    try expectGeneratedPage("docs/meshpipe.1", holds: ManualPage.text)
  }

  @Test func `every exit code is explained`() {
    #expect(CommandTable.exitCodes.map(\.code) == ExitCode.allCases)
  }

  private static let man = CommandProcess.program("man") ?? CommandProcess.program("groff")

  @Test(.enabled(if: man != nil, "needs man or groff"))
  func `man shows the manual page without complaint`() throws {
    let man = try #require(Self.man)
    let path = CommandProcess.packageRoot.appendingPathComponent("docs/meshpipe.1").path
    let arguments =
      man.lastPathComponent == "man"
      ? ["--warnings", "-l", path] : ["-man", "-Tutf8", "-ww", path]
    let outcome = try CommandProcess.run(man, arguments)
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    #expect(outcome.text.contains("EXIT STATUS"))
  }
}
