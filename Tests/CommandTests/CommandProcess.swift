import Foundation

/// What a finished process left behind.
struct Outcome {
  var status: Int32
  var output: Data
  var errors: String

  var text: String { String(decoding: output, as: UTF8.self) }
}

/// The command, run as a user runs it: as a process of its own.
enum CommandProcess {
  /// The executable beside the test bundle.
  static let executable: URL = {
    let own = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    let besideTests = own.deletingLastPathComponent().appendingPathComponent("meshpipe")
    if FileManager.default.isExecutableFile(atPath: besideTests.path) { return besideTests }
    #if DEBUG
      let configuration = "debug"
    #else
      let configuration = "release"
    #endif
    let scratch = ProcessInfo.processInfo.environment["MESHPIPE_SCRATCH_PATH"] ?? ".build"
    return packageRoot.appendingPathComponent("\(scratch)/\(configuration)/meshpipe")
  }()

  static let packageRoot = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Runs the command to its end.
  static func run(
    _ arguments: [String], in folder: TemporaryFolder? = nil, input: Data? = nil
  ) throws -> Outcome {
    try run(executable, arguments, in: folder, input: input)
  }

  /// The environment of the tests with a folder in which the loader looks for libraries first.
  static func environment(findingLibrariesIn folder: String) -> [String: String] {
    var environment = environment
    environment["LD_LIBRARY_PATH"] =
      folder + (environment["LD_LIBRARY_PATH"].map { ":\($0)" } ?? "")
    return environment
  }

  /// What `doctor` says with the libraries of a folder, its words separated by single blanks.
  static func doctorWords(findingLibrariesIn folder: String) throws -> String {
    let outcome = try run(
      executable, ["doctor"], environment: environment(findingLibrariesIn: folder))
    return outcome.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Runs another program to its end, with the command's folder first in its PATH.
  static func run(
    _ program: URL, _ arguments: [String], in folder: TemporaryFolder? = nil, input: Data? = nil,
    environment: [String: String] = CommandProcess.environment
  ) throws -> Outcome {
    let files = try TemporaryFolder()
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = environment
    if let folder { process.currentDirectoryURL = folder.url }
    process.standardOutput = try files.fileHandle(forWriting: "output")
    process.standardError = try files.fileHandle(forWriting: "errors")
    process.standardInput = FileHandle.nullDevice
    if let input {
      try input.write(to: files.url.appendingPathComponent("input"))
      process.standardInput = try FileHandle(
        forReadingFrom: files.url.appendingPathComponent("input"))
    }
    try process.run()
    process.waitUntilExit()
    let status = process.terminationStatus
    return Outcome(
      status: process.terminationReason == .uncaughtSignal ? -status : status,
      output: try Data(contentsOf: files.url.appendingPathComponent("output")),
      errors: try files.text(of: "errors"))
  }

  static var environment: [String: String] {
    var environment = ProcessInfo.processInfo.environment
    let folder = executable.deletingLastPathComponent().path
    environment["PATH"] = folder + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
    environment["LC_ALL"] = "C"
    // No test finds the results of another one.
    environment["MESHPIPE_CACHE"] = "none"
    return environment
  }

  /// A program of the machine, or nil when it isn't installed.
  static func program(_ name: String) -> URL? {
    let folders = (environment["PATH"] ?? "").split(separator: ":")
    return folders.lazy.map { URL(fileURLWithPath: "\($0)/\(name)") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// The program `script`, which runs another on a terminal; nil where it can't make one, as in a root
  /// without /dev/pts.
  static let terminal: URL? = {
    guard let script = program("script") else { return nil }
    let outcome = try? run(script, ["-qec", "true", "/dev/null"])
    return outcome?.status == 0 ? script : nil
  }()
}

/// A folder that lives as long as the value.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("meshpipe tests \(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var path: String { url.path }

  /// Writes a file and returns its path.
  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    let file = url.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return file.path
  }

  func text(of name: String) throws -> String {
    String(decoding: try Data(contentsOf: url.appendingPathComponent(name)), as: UTF8.self)
  }

  func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: url.appendingPathComponent(name).path)
  }

  /// The names in the folder, hidden ones too, sorted.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  func fileHandle(forWriting name: String) throws -> FileHandle {
    try write("", to: name)
    return try FileHandle(forWritingTo: url.appendingPathComponent(name))
  }
}
