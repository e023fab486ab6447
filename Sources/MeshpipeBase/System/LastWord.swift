internal import CMemory

/// What a process says when it crashes.
package enum LastWord {
  /// Makes a crash end the process with a code, and with a line that says what it was doing.
  ///
  /// A crash is a trap of Swift, an invalid access or an abort. Exhausting the stack of another thread than this one ends
  /// the process without the line. Swift's own report replaces it where `SWIFT_BACKTRACE` asks for one.
  package static func arrange(code: ExitCode = .software) {
    let wish = FileSystem.environment("SWIFT_BACKTRACE") ?? ""
    guard !["enable=yes", "enable=tty"].contains(where: wish.contains) else { return }
    unsafe meshpipe_give_last_word(
      code.rawValue,
      "; please report this line, with the scan if it may be shared (meshpipe \(meshpipeBuild))")
  }

  /// Notes what the process is doing, for the line: `in stage 'weld', on room.obj`.
  package static func note(_ activity: String) {
    unsafe meshpipe_note_activity(activity.withoutControlCharacters)
  }
}
