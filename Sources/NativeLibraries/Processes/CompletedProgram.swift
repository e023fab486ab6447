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
  /// Whether it was killed since it used too much memory.
  package var ranOutOfMemory = false

  /// Runs a program.
  ///
  /// - Parameters:
  ///   - path: The program's.
  ///   - variables: Added to the environment, as `NAME=VALUE`.
  ///   - seconds: After which it is killed, which counts as a failure; nil for never.
  ///   - memory: Resident bytes of it and its descendants beyond which it is killed; nil for any.
  ///   - onLine: Called with each line of its standard output as it comes.
  /// - Throws: ``WorkerError``, if it can't be started, ``Cancelled``, and what `onLine` throws, which ends it.
  package init(
    _ path: String, _ arguments: [String], variables: [String] = [], seconds: Double? = nil,
    memory: Int? = nil, cancellation: (any Cancellable)? = nil,
    onLine: (String) throws -> Void = { _ in }
  ) throws {
    let process = try LineProcess(executable: path, arguments: arguments, variables: variables)
    process.closeInput()
    let clock = ContinuousClock()
    let start = clock.now
    var isTooLarge = false
    func checkLimits() throws {
      try cancellation?.checkCancellation()
      if let seconds, start.duration(to: clock.now) > .seconds(seconds) { process.kill() }
      if let memory, process.residentMemory > memory {
        isTooLarge = true
        process.kill()
      }
    }
    lines = []
    while !process.hasClosedOutput {
      try checkLimits()
      LineProcess.wait(for: [process], or: [], seconds: 0.2)
      for line in process.receive() {
        try onLine(line)
        lines.append(line)
      }
    }
    lastErrorLine = process.lastErrorLine
    var ending = process.pollEnd()
    while ending == nil {
      try checkLimits()
      Self.pause(0.005)
      ending = process.pollEnd()
    }
    exitStatus = ending?.exitStatus ?? 128 + (ending?.signal ?? 0)
    ranOutOfMemory = isTooLarge
  }

  package static func pause(_ seconds: Double) {
    LineProcess.wait(for: [], or: [], seconds: seconds)
  }
}
