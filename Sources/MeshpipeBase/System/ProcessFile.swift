import POSIX

#if os(Linux)
  /// The kernel's files about this process.
  package enum ProcessFile {
    /// Writes a text to a file of `/proc/self`, if the kernel has it.
    package static func write(_ text: String, to name: String) {
      let descriptor = unsafe open("/proc/self/\(name)", O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return }
      _ = unsafe POSIX.write(descriptor, text, text.utf8.count)
      close(descriptor)
    }
  }
#endif
