public import MeshPipeline

/// An image that can't be read.
public struct ImageError: UserError, Equatable {
  public var path: String
  public var reason: String

  public init(_ path: String, _ reason: String) {
    self.path = path
    self.reason = reason
  }

  public var exitCode: ExitCode { .data }
  public var message: String { "\(path): \(reason)" }
}
