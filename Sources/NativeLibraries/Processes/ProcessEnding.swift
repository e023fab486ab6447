import POSIX

/// How a child process ended: with an exit status, or by a signal.
package struct ProcessEnding: Sendable, Equatable {
  package var exitStatus: Int32?
  package var signal: Int32?
  /// The peak resident memory in bytes; Linux counts what this process had when it started the child, too.
  package var peakMemory: Int

  package init(exitStatus: Int32? = nil, signal: Int32? = nil, peakMemory: Int = 0) {
    self.exitStatus = exitStatus
    self.signal = signal
    self.peakMemory = peakMemory
  }
}

extension ProcessEnding {
  /// The ending of a program reported by a wrapper as shells do: 128 plus the signal number.
  package var asToldByShells: ProcessEnding {
    guard let status = exitStatus, status > 128, status <= 128 + 64 else { return self }
    return ProcessEnding(signal: status - 128, peakMemory: peakMemory)
  }
}

/// Why waiting for a child process was aborted.
package enum ProcessInterruption: Error, Equatable {
  case deadline, memory, cancelled
}

extension ProcessEnding {
  /// The system's report about a child.
  init(status: Int32, usage: rusage) {
    let signal = status & 0x7F
    self.signal = signal == 0 ? nil : signal
    exitStatus = signal == 0 ? status >> 8 & 0xFF : nil
    #if os(Linux)
      peakMemory = usage.ru_maxrss * 1024
    #else
      peakMemory = usage.ru_maxrss
    #endif
  }
}

/// The system's description of an error number.
package func text(ofError number: Int32) -> String {
  unsafe String(cString: strerror(number))
}
