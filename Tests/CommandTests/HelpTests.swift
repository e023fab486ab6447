import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import MeshpipeCommand

@Test func `the version is the first line, those of libraries the second`() throws {
  let outcome = try CommandProcess.run(["--version"])
  #expect(outcome.status == 0)
  let lines = outcome.text.split(separator: "\n").map(String.init)
  #expect(lines.first == "meshpipe \(meshpipeBuild)")
  #expect(meshpipeBuild.hasPrefix(meshpipeVersion))
  #expect(lines.count == 2)
  for name in ["Assimp", "Draco", "Embree", "Expat", "libarchive", "liblz4", "libpng", "Nettle"] {
    #expect(lines[1].contains(try Regex("\(name) [0-9]+\\.[0-9]+")), "\(lines[1])")
  }
  #expect(outcome.errors.isEmpty)
}

@Test func `doctor tells what is there and what its absence means`() throws {
  let folder = try TemporaryFolder()
  let outcome = try CommandProcess.run(["doctor"])
  #expect(outcome.status == 0)
  for part in ["FFmpeg", "libwebp", "libheif", "Slurm", "Python"] {
    #expect(outcome.text.contains("  \(part) "), "\(outcome.text)")
  }
  var environment = CommandProcess.environment
  environment["PATH"] = folder.path
  let bare = try CommandProcess.run(
    CommandProcess.executable, ["doctor"], environment: environment)
  #expect(bare.text.contains("missing: 'batch --submit slurm' is unavailable"))
  let json = try CommandProcess.run(["doctor", "--json"])
  let object = try JSONSerialization.jsonObject(with: json.output) as? [String: Any]
  #expect(object?["version"] as? String == meshpipeVersion)
  #expect(object?["commit"] as? String == meshpipeRevision)
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

@Test func `bash asks for stages, options, variables and files that fit`() throws {
  let folder = try TemporaryFolder()
  try folder.write("", to: "scans/room.obj")
  try folder.write("", to: "scans/readme.xyzw")
  try folder.write(
    """
    { "meshpipe": 1, "variables": { "faces": { "type": "amount", "default": 5 },
        "mode": { "type": "fast | slow", "default": "fast" } },
      "stages": [ { "id": "light", "use": "decimate", "with": { "faces": "${faces}" } } ],
      "outputs": [ { "path": "${stem}.glb" } ] }
    """, to: "mine.json")
  func offers(_ words: String...) throws -> Set<String> {
    try bashOffers(["meshpipe", "run"] + words, in: folder)
  }
  #expect(try offers("mi") == ["mine.json"])
  #expect(try offers("mine.json", "scans/r") == ["scans/room.obj"])
  #expect(try offers("mine.json", "s") == ["scans/"])
  #expect(try offers("-s", "fill") == ["fill-holes"])
  #expect(try offers("-s", "decimate fac") == ["decimate faces="])
  #expect(try offers("mine.json", "--var", "") == ["faces=", "mode="])
  #expect(try offers("mine.json", "--var", "mode", "=", "") == ["fast", "slow"])
  #expect(try offers("mine.json", "--set", "light.maximumP") == ["light.maximumPixelError="])
  #expect(try offers("mine.json", "--set", "glb.com") == ["glb.compression="])
  #expect(try offers("mine.json", "--from", "") == ["light"])
  #expect(try offers("a.obj", "-s", "weld", "--set", "weld.tol") == ["weld.tolerance="])
  #expect(try bashOffers(["meshpipe", "preview", "--view", "to"], in: folder) == ["top"])
}

@Test(arguments: ["zsh", "fish"])
func `scripts for other shells parse`(name: String) throws {
  let script = try CommandProcess.run(["completions", name])
  #expect(script.status == 0 && script.text.contains("meshpipe"))
  let shell = URL(fileURLWithPath: try Checkers.program(name))
  let folder = try TemporaryFolder()
  let path = try folder.write(script.text, to: "script")
  #expect(try CommandProcess.run(shell, ["-n", path]).status == 0)
}
