import MeshpipeKit
import NativeLibraries
import POSIX

/// Signatures of files, made and checked by a program of the user's choice.
struct Signature {
  /// A command of the shell, in which `"$1"` is the file; without it the file is its last argument.
  let command: String

  /// Signs the files of outputs, also those whose bytes stayed: whether a signature that is there belongs to them is not
  /// known.
  ///
  /// A bundle is signed by the list of its hashes.
  /// - Parameters:
  ///   - outputs: The paths of each one's files.
  ///   - cancellation: Ends a command that runs in a worker; nil for one on the user's terminal.
  func sign(_ outputs: [[String]], unattended cancellation: Cancellation? = nil) throws {
    let files = outputs.flatMap(Self.signedFiles)
    // First all of them: none stands beside other bytes if the program fails. Some programs ask before they replace one.
    try Self.remove(beside: files, keeping: outputs)
    for path in files {
      let ending =
        if let cancellation { try unattended(path, cancellation) } else { onTerminal(path) }
      guard ending.code == 0 else {
        // What a program began is not a signature.
        try? Self.remove(beside: [path], keeping: outputs)
        throw Failure.notSigned(path, command: command, ending)
      }
    }
  }

  /// Signs what has no signature, of outputs that stayed since they were signed.
  func signUnsigned(_ outputs: [[String]], unattended cancellation: Cancellation? = nil) throws {
    let unsigned = outputs.filter {
      Self.signedFiles(of: $0).contains { Self.files(of: $0).isEmpty }
    }
    try sign(unsigned, unattended: cancellation)
  }

  /// What is signed of an output.
  private static func signedFiles(of output: [String]) -> [String] {
    let list = output.filter { FileSystem.name(of: $0) == FramesBundleChecksums.name }
    return (list.isEmpty ? output : list).filter { $0 != "-" }
  }

  /// The signatures that there are of a file.
  static func files(of path: String) -> [String] {
    endings.map { path + $0 }.filter { exists($0) }
  }

  /// Removes the signatures of files that a run replaced.
  static func removeStale(of outputs: [RunReport.OutputReport]) throws {
    let replaced = outputs.flatMap(\.files).filter { !$0.isUnchanged && $0.path != "-" }
    try remove(beside: replaced.map(\.path), keeping: outputs.map(\.filePaths))
  }

  /// Removes the signatures of files that may have been replaced.
  static func removeStale(besideFiles paths: [String]) throws {
    try remove(beside: paths, keeping: [])
  }

  private static func remove(beside paths: [String], keeping outputs: [[String]]) throws {
    let written = Set(outputs.joined())
    for path in paths.flatMap(files) where !written.contains(path) {
      guard try FileSystem.status(of: path)?.isRegularFile == true else { continue }
      try FileSystem.removeFile(path)
    }
  }

  /// Whether the program accepts the signature of a file.
  func isValid(for path: String) throws -> Bool {
    guard Self.exists(path) else { throw FileError(.read, path, code: ENOENT) }
    let ending = onTerminal(path)
    guard ending.code != Self.notFound else { throw Failure.noProgram(command) }
    return ending.code == 0
  }

  /// What minisign, ssh-keygen, signify and GnuPG append to the name.
  static let endings = [".minisig", ".sig", ".asc"]
  private static let notFound: Int32 = 127

  private static func exists(_ path: String) -> Bool {
    (try? FileSystem.status(of: path)) != nil
  }

  /// How the command ended.
  struct Ending {
    /// Its exit code, or 128 and the number of a signal.
    let code: Int32
    /// The last line that it printed to standard error, where that was not shown to the user.
    var words = ""
  }

  /// Runs the command on the user's terminal: it may ask for a password.
  private func onTerminal(_ path: String) -> Ending {
    // Standard output may be that of the run.
    let status = unsafe system("exec 1>&2; \(script(on: path))".systemPath)
    return Ending(code: status & 0x7F == 0 ? status >> 8 & 0xFF : status & 0x7F + 128)
  }

  /// Runs the command without a terminal: it can ask for nothing.
  ///
  /// - Throws: ``Cancelled``, or that no process can be started.
  private func unattended(_ path: String, _ cancellation: Cancellation) throws -> Ending {
    // Asking on the terminal would stop it for good, since it is in the background.
    let program = try CompletedProgram(
      "/bin/sh", ["-c", "trap '' TTIN TTOU; \(script(on: path))"],
      cancellation: cancellation)
    return Ending(code: program.exitStatus, words: program.lastErrorLine)
  }

  private func script(on path: String) -> String {
    let place = path.hasPrefix("-") ? "./" + path : path
    let quoted = "'" + place.replacing("'", with: "'\\''") + "'"
    return "set -- \(quoted)\n\(command)" + (command.contains("$1") ? "" : " \"$1\"")
  }

  enum Failure: UserError {
    case notSigned(String, command: String, Ending)
    case noProgram(String)

    var exitCode: ExitCode {
      switch self {
      case .notSigned(_, _, let ending) where ending.code == Signature.notFound: .unavailable
      case .notSigned: .cannotCreate
      case .noProgram: .unavailable
      }
    }

    var message: String {
      switch self {
      case .notSigned(let path, let command, let ending) where ending.code == Signature.notFound:
        "\(path): is written, but not signed: the program of '\(command)' was not found"
      case .notSigned(let path, let command, let ending):
        "\(path): is written, but not signed: '\(command)' ended with code \(ending.code)"
          + (ending.words.isEmpty ? "" : ": \(ending.words)")
      case .noProgram(let command): "the program of '\(command)' was not found"
      }
    }
  }
}

extension RunReport.OutputReport {
  /// The paths of its files, the main file first.
  var filePaths: [String] { files.map(\.path) }
}

extension RunSettings {
  /// What signs the outputs; nil for nothing.
  var signature: Signature? { signingCommand.map { Signature(command: $0) } }
}
