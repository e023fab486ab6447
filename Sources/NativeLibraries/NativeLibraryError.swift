package import MeshpipeBase

/// A failure of a library unrelated to the scan: out of memory, or not installed.
package struct NativeLibraryError: UserError, Equatable {
  package var library: String
  package var reason: String
  package var exitCode: ExitCode

  package init(_ library: String, _ reason: String, exitCode: ExitCode = .unavailable) {
    self.library = library
    self.reason = reason
    self.exitCode = exitCode
  }

  package var message: String { "\(library) \(reason)" }
}

/// The message that a C function writes into a buffer; empty if it writes none.
///
/// - Parameter body: Calls the function with the buffer, which is all zeros, and its size in bytes.
func nativeMessage(_ body: (UnsafeMutablePointer<CChar>?, Int) -> Void) -> String {
  unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1000) { buffer in
    unsafe buffer.initialize(repeating: 0)
    unsafe body(buffer.baseAddress, buffer.count)
    guard let start = buffer.baseAddress else { return "" }
    return unsafe String(cString: start)
  }
}
