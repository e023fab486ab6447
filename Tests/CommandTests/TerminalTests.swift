import Foundation
import MeshPipeline
import Testing

@testable import MeshpipeCommand

@Suite struct TerminalTests {
  @Test func `the caret stands below the place`() {
    let lines = SourceExcerpt.excerpt(
      of: #"    { "use": "decimte" },"#, number: 14, column: 14, width: 80)
    #expect(lines[0] == #" 14 |     { "use": "decimte" },"#)
    #expect(lines[1] == "    |              ^")
  }

  @Test(arguments: [1, 60, 399])
  func `a long line is cut around the place`(column: Int) throws {
    let text = (0..<40).map { "word\($0 % 10)....." }.joined().prefix(400)
    let lines = SourceExcerpt.excerpt(of: String(text), number: 3, column: column, width: 60)
    #expect(lines.allSatisfy { $0.count <= 60 })
    let caret = try #require(lines[1].firstIndex(of: "^"))
    let offset = lines[1].distance(from: lines[1].startIndex, to: caret)
    #expect(Array(lines[0])[offset] == Array(text)[column - 1])
  }

  @Test func `control characters of the file do not reach the terminal`() {
    let lines = SourceExcerpt.excerpt(of: "a\t\u{1B}[2Jb", number: 1, column: 2, width: 80)
    #expect(!lines[0].contains("\u{1B}") && !lines[0].contains("\t"))
  }

  @Test func `a place that the file does not have gives no excerpt`() {
    let diagnostic = Diagnostic(
      file: "/nonexistent.json", position: SourcePosition(line: 1, column: 1), message: "wrong")
    #expect(SourceExcerpt.lines(of: diagnostic).isEmpty)
  }

  @Test func `colours are left out where the user or the terminal does not want them`() {
    #expect(TerminalColor.isWanted(noColor: nil, terminal: "xterm-256color"))
    #expect(TerminalColor.isWanted(noColor: "", terminal: "xterm"))
    #expect(!TerminalColor.isWanted(noColor: "1", terminal: "xterm"))
    #expect(!TerminalColor.isWanted(noColor: nil, terminal: "dumb"))
    #expect(!TerminalColor.isWanted(noColor: nil, terminal: nil))
    let text = TerminalColor.marking("error:", in: "a.json:1:2: error: wrong", isOn: true)
    #expect(text == "a.json:1:2: \u{1B}[1;31merror:\u{1B}[0m wrong")
    #expect(TerminalColor.marking("error:", in: "error: x", isOn: false) == "error: x")
  }

  @Test(.enabled(if: CommandProcess.terminal != nil, "needs script and a terminal from /dev/pts"))
  func `check shows the line of each mistake on a terminal, and no colour with NO_COLOR`() throws {
    let script = try #require(CommandProcess.terminal)
    let folder = try TemporaryFolder()
    try folder.writePipeline(stages: [#"{ "use": "simplify" }"#])
    let command = "\(CommandProcess.executable.path) check pipeline.json"
    var environment = CommandProcess.environment
    (environment["TERM"], environment["NO_COLOR"]) = ("xterm", nil)
    let colored = try CommandProcess.run(
      script, ["-qec", command, "/dev/null"], in: folder, environment: environment)
    #expect(colored.text.contains("did you mean 'decimate'?"), "\(colored.text)")
    #expect(colored.text.contains(#"{ "use": "simplify" }"#) && colored.text.contains("^"))
    #expect(colored.text.contains("\u{1B}[1;31m"))
    environment["NO_COLOR"] = "1"
    let plain = try CommandProcess.run(
      script, ["-qec", command, "/dev/null"], in: folder, environment: environment)
    #expect(!plain.text.contains("\u{1B}["))
  }
}
