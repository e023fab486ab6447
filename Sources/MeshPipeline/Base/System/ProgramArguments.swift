internal import CArguments

/// The command line, also where `/proc` is not mounted, from which `CommandLine` takes it.
public enum ProgramArguments {
  /// All words, the program's own name first; bytes that are not UTF-8 as in names of files.
  public static let all: [String] = {
    let count = meshpipe_argument_count()
    guard count > 0 else { return CommandLine.arguments }
    return (0..<count).compactMap { index in
      unsafe meshpipe_argument(index).map { unsafe String(systemPath: $0) }
    }
  }()
}
