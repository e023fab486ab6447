import MeshPipeline
import POSIX
import Synchronization

/// How the command ends on a signal: cleanly if it can, and otherwise at once.
///
/// The signals are blocked before any other thread exists, so that no thread is interrupted, and
/// one thread waits for them. A run stops at its next check of ``cancellation``; calls of C
/// libraries don't check, so after ``gracePeriod`` the process removes partial files and ends
/// anyway.
enum Signals {
  /// Cancels everything that the command runs.
  static let cancellation = Cancellation()

  private static let received = Atomic<Int32>(0)
  private static let microseconds = Atomic<UInt32>(250_000)

  /// Microseconds between cancellation and the end of the process.
  static var gracePeriod: UInt32 {
    get { microseconds.load(ordering: .relaxed) }
    set { microseconds.store(newValue, ordering: .relaxed) }
  }

  /// The exit code after a signal, such as 130 after Ctrl-C; nil if none was received.
  static var exitStatus: Int32? {
    let signal = received.load(ordering: .relaxed)
    return signal == 0 ? nil : 128 + signal
  }

  /// Handles the signals that end a process; call it before any other thread exists.
  static func takeOver() {
    WriteSignals.ignore()
    var set = endingSignals
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    // Without a thread that waits for them, they end the process directly.
    if SystemThread({ Signals.wait() }) == nil { unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil) }
  }

  private static let endingSignals: sigset_t = {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in [SIGINT, SIGTERM] { unsafe sigaddset(&set, signal) }
    if !isIgnored(SIGHUP) { unsafe sigaddset(&set, SIGHUP) }
    return set
  }()

  private static func wait() {
    var set = endingSignals
    var signal: Int32 = 0
    guard unsafe sigwait(&set, &signal) == 0 else { return }
    received.store(signal, ordering: .relaxed)
    cancellation.request()
    usleep(gracePeriod)
    OutputTransaction.abandonAll()
    ExitHandlers.run()
    Messages.say("interrupted")
    _exit(128 + signal)
  }

  /// Whether the process was started with a signal ignored, as `nohup` does with SIGHUP.
  private static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(signal, nil, &action) == 0 else { return false }
    #if canImport(Glibc)
      let handler = unsafe action.__sigaction_handler.sa_handler
    #else
      let handler = unsafe action.__sigaction_u.__sa_handler
    #endif
    return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
