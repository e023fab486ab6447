package import MeshpipeBase

/// A completed run of a program that the user trusts, with the user's rights.
package struct CompletedProgram {
  /// As a shell tells it: that of a signal is 128 and more.
  package var exitStatus: Int32
  package var succeeded: Bool { exitStatus == 0 }
  /// The lines of its standard output.
  package var lines: [String]
  /// The last line of its standard error.
  package var lastErrorLine: String

  /// Runs a program.
  ///
  /// - Parameters:
  ///   - path: The program's.
  ///   - seconds: After which it is killed, which counts as a failure; nil for never.
  /// - Throws: ``WorkerError``, if it can't be started, and ``Cancelled``.
  package init(
    _ path: String, _ arguments: [String], seconds: Double? = nil,
    cancellation: (any Cancellable)? = nil
  ) throws {
    let process = try LineProcess(executable: path, arguments: arguments)
    process.closeInput()
    let clock = ContinuousClock()
    let start = clock.now
    func checkTime() throws {
      try cancellation?.checkCancellation()
      if let seconds, start.duration(to: clock.now) > .seconds(seconds) { process.kill() }
    }
    lines = []
    while !process.hasClosedOutput {
      try checkTime()
      LineProcess.wait(for: [process], or: [], seconds: 0.2)
      lines += process.receive()
    }
    lastErrorLine = process.lastErrorLine
    var ending = process.pollEnd()
    while ending == nil {
      try checkTime()
      Self.pause(0.005)
      ending = process.pollEnd()
    }
    exitStatus = ending?.exitStatus ?? 128 + (ending?.signal ?? 0)
  }

  package static func pause(_ seconds: Double) {
    LineProcess.wait(for: [], or: [], seconds: seconds)
  }
}
