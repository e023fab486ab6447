import Foundation
import MeshPipeline
import Testing

@testable import MeshpipeCommand

@Test func `the version is one line`() throws {
  let outcome = try CommandProcess.run(["--version"])
  #expect(outcome.status == 0)
  #expect(outcome.text == "meshpipe \(meshpipeVersion)\n")
  #expect(outcome.errors.isEmpty)
}

@Test(arguments: CommandTable.verbs.map(\.name))
func `the help page of a verb says all of its options`(name: String) throws {
  let words = name.split(separator: " ").map(String.init)
  let asked = try CommandProcess.run(words + ["--help"])
  #expect(asked.status == 0)
  let verb = try CommandTable.verb(named: name)
  for option in verb.options { #expect(asked.text.contains("  \(option.usage)")) }
  for example in verb.examples { #expect(asked.text.contains(example.line)) }
  #expect(try CommandProcess.run(["help"] + words).output == asked.output)
}

@Test func `the help page of the command lists the verbs`() throws {
  let outcome = try CommandProcess.run(["--help"])
  #expect(outcome.status == 0)
  for verb in CommandTable.verbs { #expect(outcome.text.contains("  \(verb.name) ")) }
}

@Test func `without arguments the help page goes to standard error`() throws {
  let outcome = try CommandProcess.run([])
  #expect(outcome.status == 64)
  #expect(outcome.text.isEmpty)
  #expect(outcome.errors.contains("Usage:"))
}

@Test func `help pages fit into 80 columns but for examples`() {
  for verb in CommandTable.verbs {
    let examples = Set(verb.examples.map { "  " + $0.line })
    for line in HelpPage.verb(verb).split(separator: "\n") where !examples.contains(String(line)) {
      #expect(line.count <= 80, "\(line)")
    }
  }
}

/// What bash would offer when Tab is pressed behind the words.
private func bashOffers(_ words: [String], in folder: TemporaryFolder) throws -> Set<String> {
  let bash = try #require(CommandProcess.program("bash"))
  let quoted = words.map { "'\($0)'" }.joined(separator: " ")
  let script = """
    complete() { :; }
    source <(meshpipe completions bash)
    COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1); _meshpipe
    printf '%s\\n' "${COMPREPLY[@]}"
    """
  let outcome = try CommandProcess.run(bash, ["-c", script], in: folder)
  #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
  return Set(outcome.text.split(separator: "\n").map(String.init))
}

@Test func `bash completes verbs, options, choices and files`() throws {
  let folder = try TemporaryFolder()
  try folder.write("", to: "my scan.obj")
  #expect(try bashOffers(["meshpipe", "st"], in: folder) == ["stages"])
  #expect(try bashOffers(["meshpipe", "run", "--fo"], in: folder) == ["--force", "--force-poses"])
  #expect(try bashOffers(["meshpipe", "run", "--progress", "j"], in: folder) == ["json"])
  #expect(try bashOffers(["meshpipe", "run", "my"], in: folder) == ["my scan.obj"])
  #expect(try bashOffers(["meshpipe", "completions", ""], in: folder) == ["bash", "zsh", "fish"])
  #expect(try bashOffers(["meshpipe", "stages", "cen"], in: folder) == ["center"])
}

@Test(arguments: ["zsh", "fish"])
func `scripts for other shells parse`(name: String) throws {
  let script = try CommandProcess.run(["completions", name])
  #expect(script.status == 0 && script.text.contains("meshpipe"))
  guard let shell = CommandProcess.program(name) else { return }
  let folder = try TemporaryFolder()
  let path = try folder.write(script.text, to: "script")
  #expect(try CommandProcess.run(shell, ["-n", path]).status == 0)
}
