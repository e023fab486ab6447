public import MeshPipeline

/// A failure of a library unrelated to the scan: out of memory, or not installed.
public struct NativeLibraryError: UserError, Equatable {
  public var library: String
  public var reason: String

  public init(_ library: String, _ reason: String) {
    self.library = library
    self.reason = reason
  }

  public var exitCode: ExitCode { .unavailable }
  public var message: String { "\(library) \(reason)" }
}
