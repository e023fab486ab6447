import Foundation
import MeshPipeline
import Testing

/// A call in a folder that holds `scan.obj` and `pipeline.json`, and what must come of it.
struct ExitCase: Sendable, CustomTestStringConvertible {
  var name: String
  var arguments: [String]
  var code: ExitCode
  /// The lines of standard error.
  var errors: [String]?
  /// Files to write before.
  var files: [String: String] = [:]

  init(
    _ name: String, _ arguments: [String], _ code: ExitCode, _ errors: [String]? = [],
    files: [String: String] = [:]
  ) {
    self.name = name
    self.arguments = arguments
    self.code = code
    self.errors = errors
    self.files = files
  }

  var testDescription: String { name }
}

private let hint = "meshpipe: try 'meshpipe run --help'"

private let cases: [ExitCase] = [
  ExitCase("success", ["run", "pipeline.json", "scan.obj"], .success),
  ExitCase(
    "unknown option", ["run", "--forse", "pipeline.json", "scan.obj"], .usage,
    ["meshpipe: error: unknown option '--forse' of 'run'; did you mean '--force'?", hint]),
  ExitCase(
    "unknown verb", ["runn"], .usage,
    [
      "meshpipe: error: unknown verb 'runn'; did you mean 'run'?",
      "meshpipe: try 'meshpipe --help'",
    ]),
  ExitCase(
    "a scan for a verb", ["scan.obj"], .usage,
    [
      "meshpipe: error: 'scan.obj' is not a verb; say what to do with it, for example: 'meshpipe run "
        + "PIPELINE scan.obj'",
      "meshpipe: try 'meshpipe --help'",
    ]),
  ExitCase(
    "options that exclude each other",
    ["run", "pipeline.json", "scan.obj", "--force", "--no-overwrite"], .usage,
    ["meshpipe: error: '--force' and '--no-overwrite' exclude each other", hint]),
  ExitCase(
    "two scans for one output", ["run", "pipeline.json", "scan.obj", "a/scan.obj"], .usage,
    [
      "meshpipe: error: 'scan.obj' and 'a/scan.obj' would both be written to 'scan.glb'; run them "
        + "one by one, each with its own '-o', or give their folders to 'meshpipe batch', which keeps "
        + "their results apart; --join merges them into one model",
      hint,
    ], files: ["a/scan.obj": "v 0 0 0\n"]),
  ExitCase(
    "a scan that is only converted", ["run", "scan.obj", "-o", "scan.ply", "-q"], .success, nil),
  ExitCase(
    "scan before pipeline", ["run", "scan.obj", "pipeline.json"], .usage,
    ["meshpipe: error: the pipeline must precede the scans: give 'pipeline.json' first", hint]),
  ExitCase(
    "pipeline and stages", ["run", "pipeline.json", "scan.obj", "-s", "weld"], .usage,
    [
      "meshpipe: error: stages with -s replace a pipeline file; omit either "
        + "'pipeline.json' or -s", hint,
    ]),
  ExitCase(
    "folder as input", ["run", "pipeline.json", "."], .noInput,
    [
      "meshpipe: error: .: the folder is not a known capture layout ('meshpipe formats' lists them); "
        + "to run all scans in a folder, use 'meshpipe batch'"
    ], files: ["other.obj": "v 0 0 0\n"]),
  ExitCase(
    "one of several files of info", ["info", "none.obj", "none.ply"], .noInput,
    [
      "meshpipe: error: none.obj: can't read: no such file or directory",
      "meshpipe: error: none.ply: can't read: no such file or directory",
    ]),
  ExitCase(
    "standard output without a format", ["run", "scan.obj", "-o", "-"], .unavailable,
    [
      "meshpipe: -o -: error: standard output has no extension; give the format with --output-format"
    ]),
  ExitCase(
    "stages without an output", ["run", "scan.obj", "-s", "weld"], .usage,
    ["meshpipe: error: the pipeline has no outputs; give one with -o FILE"]),
  ExitCase(
    "missing input", ["run", "pipeline.json", "none.obj"], .noInput,
    ["meshpipe: error: none.obj: can't read: no such file or directory"]),
  ExitCase(
    "missing pipeline", ["run", "none.json", "scan.obj"], .noInput,
    ["meshpipe: error: none.json: can't read: no such file or directory"]),
  ExitCase(
    "missing input of check", ["check", "pipeline.json", "none.obj"], .noInput,
    ["meshpipe: error: none.obj: can't read: no such file or directory"]),
  ExitCase(
    "missing file of info", ["info", "none.obj"], .noInput,
    ["meshpipe: error: none.obj: can't read: no such file or directory"]),
  ExitCase(
    "damaged pipeline", ["run", "broken.json", "scan.obj"], .configuration,
    ["broken.json:1:2: error: expected a key in double quotes, found the end of the file"],
    files: ["broken.json": "{"]),
  ExitCase(
    "unknown stage option", ["run", "scan.obj", "-s", "weld tolerence=1mm", "-o", "a.glb"], .usage,
    [
      "meshpipe: -s 'weld tolerence=1mm': error: unknown option 'tolerence' of stage 'weld'; "
        + "did you mean 'tolerance'?"
    ]),
  ExitCase(
    "unknown stage", ["stages", "wled"], .unavailable,
    [
      "meshpipe: error: unknown stage 'wled'; did you mean 'weld'? ('meshpipe stages' lists them)"
    ]),
  ExitCase(
    "unknown format of an input", ["run", "pipeline.json", "scan.abc"], .unavailable, nil,
    files: ["scan.abc": "what is this\n"]),
  ExitCase(
    "unknown format of an output", ["run", "scan.obj", "-s", "weld", "-o", "a.abc"], .unavailable,
    nil),
  ExitCase(
    "damaged scan", ["run", "pipeline.json", "bad.obj"], .data, nil,
    files: ["bad.obj": "v 0 0 0\nf 1 2 3\n"]),
  ExitCase(
    "unmet expectation", ["run", "scan.obj", "-s", "weld expect='faces > 1000'", "-o", "a.glb"],
    .data, nil),
  ExitCase(
    "output in a file", ["run", "pipeline.json", "scan.obj", "-o", "scan.obj/x.glb"],
    .cannotCreate, nil),
  ExitCase(
    "existing output and --no-overwrite",
    ["run", "scan.obj", "-s", "weld", "-o", "old.glb", "--no-overwrite"], .cannotCreate, nil,
    files: ["old.glb": "old"]),
  ExitCase(
    "output over the input", ["run", "scan.obj", "-s", "weld", "-o", "scan.obj"], .cannotCreate, nil
  ),
  ExitCase(
    "report over the input",
    ["run", "scan.obj", "-s", "weld", "-o", "a.glb", "--report", "./scan.obj"], .cannotCreate,
    [
      "meshpipe: error: ./scan.obj: would overwrite the input 'scan.obj'; choose another name or "
        + "folder"
    ]),
  ExitCase(
    "dependency file over the pipeline",
    ["run", "pipeline.json", "scan.obj", "-MD", "-MF", "pipeline.json"], .cannotCreate, nil),
  ExitCase(
    "report over an output",
    ["run", "scan.obj", "-s", "weld", "-o", "a.glb", "--report", "a.glb"], .cannotCreate, nil),
  ExitCase(
    "warnings and --strict",
    ["run", "textured.obj", "-s", "weld", "-o", "a.glb", "--strict"], .data, nil,
    files: ["textured.obj": "mtllib none.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"]),
]

@Suite struct ExitCodeTests {
  @Test(arguments: cases)
  func `each kind of failure has its exit code`(_ test: ExitCase) throws {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    try folder.writePipeline()
    for (name, text) in test.files { try folder.write(text, to: name) }
    let before = folder.names
    let outcome = try CommandProcess.run(test.arguments, in: folder)
    #expect(outcome.status == test.code.rawValue, "\(outcome.errors)")
    #expect(outcome.text.isEmpty)
    let lines = outcome.errors.split(separator: "\n").map(String.init)
    if let errors = test.errors { #expect(lines == errors) }
    if test.code != .success {
      #expect(!lines.isEmpty, "an error is told")
      #expect(folder.names == before, "nothing is left behind")
    }
  }
}
