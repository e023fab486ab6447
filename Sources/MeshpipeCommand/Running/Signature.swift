import MeshpipeKit
import POSIX

/// Signatures of files, made and checked by a program of the user's choice.
struct Signature {
  /// A command of the shell, in which `"$1"` is the file; without it the file is its last argument.
  let command: String

  /// Signs the files of a run, also those whose bytes stayed: whether a signature that is there belongs to them is not
  /// known.
  ///
  /// A bundle is signed by the list of its hashes.
  func sign(_ outputs: [RunReport.OutputReport]) throws {
    let files = outputs.flatMap { output in
      let list = output.files.filter { FileSystem.name(of: $0.path) == FramesBundleChecksums.name }
      return (list.isEmpty ? output.files : list).map(\.path).filter { $0 != "-" }
    }
    // First all of them: none stands beside other bytes if the program fails. Some programs ask before they replace one.
    try Self.remove(beside: files, keeping: outputs)
    for path in files {
      let code = run(on: path)
      guard code == 0 else { throw Failure.notSigned(path, command: command, code: code) }
    }
  }

  /// Removes the signatures of files that a run replaced.
  static func removeStale(of outputs: [RunReport.OutputReport]) throws {
    let replaced = outputs.flatMap(\.files).filter { !$0.isUnchanged && $0.path != "-" }
    try remove(beside: replaced.map(\.path), keeping: outputs)
  }

  private static func remove(
    beside paths: [String], keeping outputs: [RunReport.OutputReport]
  ) throws {
    let written = Set(outputs.flatMap(\.files).map(\.path))
    for path in paths.flatMap({ path in endings.map { path + $0 } }) {
      guard !written.contains(path), try FileSystem.status(of: path)?.isRegularFile == true else {
        continue
      }
      try FileSystem.removeFile(path)
    }
  }

  /// Whether the program accepts the signature of a file.
  func isValid(for path: String) throws -> Bool {
    guard Self.exists(path) else { throw FileError(.read, path, code: ENOENT) }
    let code = run(on: path)
    guard code != Self.notFound else { throw Failure.noProgram(command) }
    return code == 0
  }

  /// What minisign, ssh-keygen, signify and GnuPG append to the name.
  static let endings = [".minisig", ".sig", ".asc"]
  private static let notFound: Int32 = 127

  private static func exists(_ path: String) -> Bool {
    (try? FileSystem.status(of: path)) != nil
  }

  /// Runs the command, on the user's terminal: it may ask for a password.
  ///
  /// - Returns: Its exit code.
  private func run(on path: String) -> Int32 {
    let place = path.hasPrefix("-") ? "./" + path : path
    let quoted = "'" + place.replacing("'", with: "'\\''") + "'"
    // Standard output may be that of the run.
    let line = "exec 1>&2; set -- \(quoted)\n\(command)" + (command.contains("$1") ? "" : " \"$1\"")
    let status = unsafe system(line.systemPath)
    return status & 0x7F == 0 ? status >> 8 & 0xFF : status & 0x7F + 128
  }

  enum Failure: UserError {
    case notSigned(String, command: String, code: Int32)
    case noProgram(String)

    var exitCode: ExitCode {
      switch self {
      case .notSigned(_, _, code: Signature.notFound), .noProgram: .unavailable
      case .notSigned: .cannotCreate
      }
    }

    var message: String {
      switch self {
      case .notSigned(let path, let command, code: Signature.notFound):
        "\(path): is written, but not signed: the program of '\(command)' was not found"
      case .notSigned(let path, let command, let code):
        "\(path): is written, but not signed: '\(command)' ended with code \(code)"
      case .noProgram(let command): "the program of '\(command)' was not found"
      }
    }
  }
}
