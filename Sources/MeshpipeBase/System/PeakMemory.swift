import POSIX

/// The peak memory of the process, in bytes of resident pages.
package enum PeakMemory {
  /// Resets the peak, if the system supports it (Linux); the next ``bytes`` measures from now on.
  ///
  /// Programs that later ask the system for the peak of this process see only the new one.
  package static func reset() {
    #if os(Linux)
      ProcessFile.write("5", to: "clear_refs")
    #endif
  }

  /// The peak; 0 if the system does not report it.
  package static var bytes: Int {
    #if os(Linux)
      guard let status = try? FileSystem.contents(of: "/proc/self/status", limit: 1 << 16) else {
        return 0
      }
      let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
      guard let line = lines.first(where: { $0.hasPrefix("VmHWM:") }) else { return 0 }
      return (Int(line.filter(\.isNumber)) ?? 0) * 1024
    #else
      var usage = rusage()
      guard unsafe getrusage(RUSAGE_SELF, &usage) == 0 else { return 0 }
      return usage.ru_maxrss
    #endif
  }
}
