public import MeshpipeBase

/// A capture that can't be used, or a location in one of its files.
public struct CaptureError: UserError, Equatable {
  /// The file or folder.
  public var path: String
  /// The position in the file; `.none` if it concerns the file as a whole.
  public var position: SourcePosition
  /// What is wrong, worded to follow the path.
  public var reason: String
  /// ``ExitCode/data``, or ``ExitCode/noInput`` if there is no capture.
  public var exitCode: ExitCode

  package init(
    _ path: String, at position: SourcePosition = .none, _ reason: String,
    exitCode: ExitCode = .data
  ) {
    self.path = path
    self.position = position
    self.reason = reason
    self.exitCode = exitCode
  }

  /// The file, the position and the reason.
  public var message: String {
    position == .none
      ? "\(path): \(reason)" : "\(path):\(position.line):\(position.column): \(reason)"
  }
}

/// Frames in a message.
package struct FrameNames {
  /// The subject of a sentence: `frame`, or `5 frames`.
  package let count: String
  /// What follows it: ` 'a'`, or ` ('a', 'b', 'c' and 2 more)`.
  package let names: String

  /// Both: `frame 'a'`, or `5 frames ('a', 'b', 'c' and 2 more)`.
  package var text: String { count + names }

  package init(_ frames: [String]) {
    let names = frames.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
    let more = frames.count > 3 ? " and \(frames.count - 3) more" : ""
    count = frames.count == 1 ? "frame" : "\(frames.count) frames"
    self.names = frames.count == 1 ? " \(names)" : " (\(names)\(more))"
  }
}
