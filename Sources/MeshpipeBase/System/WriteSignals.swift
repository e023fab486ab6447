import POSIX

/// The signals by which the system ends a process that writes to a closed pipe or beyond a file
/// size limit.
public enum WriteSignals {
  /// Turns these into errors of the write call.
  public static func ignore() {
    for number in [SIGPIPE, SIGXFSZ] { _ = signal(number, SIG_IGN) }
  }
}
