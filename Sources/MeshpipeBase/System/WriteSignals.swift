import POSIX

/// The signals by which the system ends a process that writes to a closed pipe or beyond a file
/// size limit.
package enum WriteSignals {
  /// Turns these into errors of the write call.
  package static func ignore() {
    for number in [SIGPIPE, SIGXFSZ] { _ = signal(number, SIG_IGN) }
  }
}
