import Synchronization

/// What a layout's reader may ask of, and tell to, the run that it is part of.
public final class CaptureReadingContext: Sendable {
  private let reading: ReadingContext
  private let tell: @Sendable (String) -> Void
  private let faults = Mutex<[Fault]>([])

  /// Why a frame was left out, or what is odd about it.
  struct Fault: Sendable {
    var frame: String
    var reason: String
    /// The file that it is about.
    var path: String?
    var isLeftOut: Bool
  }

  /// Creates a context within the reading of a scan.
  public init(_ reading: ReadingContext) {
    self.reading = reading
    tell = { reading.stage.warn($0) }
  }

  /// Creates a context that is part of nothing.
  public init(warn: @escaping @Sendable (String) -> Void) {
    reading = ReadingContext()
    tell = warn
  }

  /// Tells the user of something suspicious that did not stop the reading.
  public func warn(_ message: String) { tell(message) }

  /// Leaves out a frame that is no use.
  ///
  /// Frames with the same reason are told of in one warning.
  /// - Parameters:
  ///   - frame: The frame's name.
  ///   - reason: The field and what is wrong with it: `its focal length is zero`.
  ///   - path: The file that it is about; of frames with the same reason the first one's is named.
  public func leaveOut(_ frame: String, because reason: String, at path: String? = nil) {
    let fault = Fault(frame: frame, reason: reason, path: path, isLeftOut: true)
    faults.withLock { $0.append(fault) }
  }

  /// Tells of something odd about a frame that is used all the same.
  ///
  /// Frames with the same oddity are told of in one warning.
  public func note(_ frame: String, _ oddity: String) {
    let fault = Fault(frame: frame, reason: oddity, path: nil, isLeftOut: false)
    faults.withLock { $0.append(fault) }
  }

  /// What was found about single frames so far, in a sentence for each kind.
  var faultSentences: [String] {
    let faults = faults.withLock(\.self)
    var kinds: [(fault: Fault, frames: [String])] = []
    var places: [String: Int] = [:]
    for fault in faults {
      let key = "\(fault.isLeftOut)\(fault.reason)"
      if let place = places[key] {
        kinds[place].frames.append(fault.frame)
      } else {
        places[key] = kinds.count
        kinds.append((fault, [fault.frame]))
      }
    }
    return kinds.map { Self.sentence($0.fault, $0.frames) }
  }

  private static func sentence(_ fault: Fault, _ frames: [String]) -> String {
    let (subject, names) = subject(of: frames)
    let first = frames.count == 1 ? "" : "the first: "
    let reason = fault.reason + (fault.path.map { " (\(first)'\($0)')" } ?? "")
    guard fault.isLeftOut else { return "\(subject)\(names): \(reason)" }
    return frames.count == 1
      ? "\(subject)\(names) is left out: \(reason)"
      : "\(subject) are left out\(names): \(reason)"
  }

  /// Frames as a message names them: `3 frames` and ` ('a', 'b', 'c')`.
  private static func subject(of frames: [String]) -> (count: String, names: String) {
    let names = frames.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
    guard frames.count > 1 else { return ("frame", " \(names)") }
    let more = frames.count > 3 ? " and \(frames.count - 3) more" : ""
    return ("\(frames.count) frames", " (\(names)\(more))")
  }

  /// Frames as a message names them: `frame 'a'`, or `5 frames ('a', 'b', 'c' and 2 more)`.
  public static func names(of frames: [String]) -> String {
    let (subject, names) = subject(of: frames)
    return subject + names
  }

  /// Puts a figure into the report of the run.
  public func report(_ key: String, _ value: JSONValue) { reading.stage.note(key, value) }

  /// Records a file that the result depends on.
  public func didOpen(_ path: String) { reading.didOpen(path) }

  /// Records a path at which a file was looked for in vain, and which would change the result.
  public func didMiss(_ path: String) { reading.didMiss(path) }

  public func checkCancellation() throws(Cancelled) { try reading.stage.checkCancellation() }

  /// Whether files outside the capture's folder may be opened.
  public var allowsExternalFiles: Bool { reading.allowsExternalFiles }

  /// The bytes of one of the layout's own files, which are small: at most 1 GiB.
  ///
  /// - Throws: A ``CaptureError`` for anything but a regular file: a pipe may never end.
  public func contents(of path: String) throws -> [UInt8] {
    didOpen(path)
    try Self.checkRegular(path)
    return try FileSystem.contents(of: path, limit: 1 << 30)
  }

  private static func checkRegular(_ path: String) throws {
    guard let status = try FileSystem.status(of: path), !status.isRegularFile else { return }
    throw CaptureError(path, "is \(status.isFolder ? "a folder" : "no regular file")")
  }

  /// A JSON file, in which NaN and Infinity are taken for numbers, as Python writes them.
  ///
  /// - Throws: A ``CaptureError`` with line and column for what is no JSON.
  public func json(at path: String) throws -> JSONValue {
    try JSONReader.captureValue(of: contents(of: path), file: path)
  }
}

extension JSONReader {
  /// Reads JSON as capture apps write it, with NaN and Infinity.
  ///
  /// - Parameter line: The line of `file` that the bytes begin in.
  public static func captureValue(
    of bytes: [UInt8], file: String, line: Int = 1
  ) throws(CaptureError) -> JSONValue {
    let result = read(bytes, file: file, takesNonFiniteNumbers: true)
    if let value = result.value { return value }
    let fault = result.diagnostics.last
    var position = fault?.position ?? SourcePosition(line: 1, column: 1)
    position.line += line - 1
    throw CaptureError(file, at: position, fault?.message ?? "is not JSON")
  }
}

/// A capture that can't be used, or a place in one of its files.
public struct CaptureError: UserError, Equatable {
  public var path: String
  public var position: SourcePosition
  public var reason: String
  public var exitCode: ExitCode

  public init(
    _ path: String, at position: SourcePosition = .none, _ reason: String,
    exitCode: ExitCode = .data
  ) {
    self.path = path
    self.position = position
    self.reason = reason
    self.exitCode = exitCode
  }

  public var message: String {
    position == .none
      ? "\(path): \(reason)" : "\(path):\(position.line):\(position.column): \(reason)"
  }
}
