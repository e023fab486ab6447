internal import CMemory

/// Handles running out of memory.
package enum MemoryEnd {
  /// Ends the process with a code that means "try again", and a line that says why, instead of a
  /// crash.
  ///
  /// Files being written stay in their private folders, which the next run there removes.
  package static func exit(with code: ExitCode) { meshpipe_end_when_out_of_memory(code.rawValue) }
}
