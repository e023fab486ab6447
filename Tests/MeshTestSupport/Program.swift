import Foundation

/// Another program, run to its end.
package struct Program: Sendable {
  /// The exit code, or 128 and the signal's number when a signal ended it.
  package var status: Int32
  /// Standard output as UTF-8; damage is replaced.
  package var output: String
  /// Standard error as UTF-8; damage is replaced.
  package var errors: String

  /// Runs a program and waits for it.
  ///
  /// - Parameters:
  ///   - path: The executable.
  ///   - folder: The working folder; that of the tests when nil.
  ///   - environment: Variables to set besides those of the tests.
  ///   - input: What standard input brings; nothing when nil.
  package static func run(
    _ path: String, _ arguments: [String], in folder: String? = nil,
    environment: [String: String] = [:], input: Data? = nil
  ) throws -> Program {
    // Output goes to files: no pipe can fill up, and none outlives the program in a child of its own.
    let streams = try TemporaryFolder()
    func file(_ name: String, _ contents: Data = Data()) throws -> URL {
      let url = URL(filePath: streams.path).appending(path: name)
      try contents.write(to: url)
      return url
    }
    let output = try file("output")
    let errors = try file("errors")
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    if let folder { process.currentDirectoryURL = URL(filePath: folder) }
    // Programs that call meshpipe find no results of other tests.
    let usual = ["MESHPIPE_CACHE": "none"].merging(ProcessInfo.processInfo.environment) { $1 }
    process.environment = usual.merging(environment) { $1 }
    process.standardInput = try FileHandle(forReadingFrom: try file("input", input ?? Data()))
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    let signalled = process.terminationReason == .uncaughtSignal
    return Program(
      status: process.terminationStatus + (signalled ? 128 : 0),
      output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
  }

  /// The built command, beside the bundle of the tests.
  package static let meshpipe: String = {
    let products =
      Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
      .deletingLastPathComponent()
      ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    return products.appending(path: "meshpipe").path(percentEncoded: false)
  }()
}

/// A program that should have succeeded and did not.
package struct ProgramFailure: Error, CustomStringConvertible {
  let program: Program
  package init(_ program: Program) { self.program = program }

  package var description: String {
    "exit code \(program.status)\n\(program.output.suffix(2000))\n\(program.errors.suffix(4000))"
  }
}
