internal import CArguments

/// The command line, even if `/proc` is not mounted, which `CommandLine` needs.
package enum ProgramArguments {
  /// All words, the program's own name first; invalid UTF-8 is represented as in file names.
  package static let all: [String] = {
    let count = meshpipe_argument_count()
    guard count > 0 else { return CommandLine.arguments }
    return (0..<count).compactMap { index in
      unsafe meshpipe_argument(index).map { unsafe String(systemPath: $0) }
    }
  }()
}
