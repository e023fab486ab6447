internal import CMemory

/// What happens when the system has no more memory for this process.
public enum MemoryEnd {
  /// Ends the process with a code that means "try again", and a line that says why, instead of a crash.
  ///
  /// Files that were being written stay in their private folders, which the next run beside them removes.
  public static func exit(with code: ExitCode) { meshpipe_end_when_out_of_memory(code.rawValue) }
}
