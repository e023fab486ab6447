import MeshpipeBase
import Synchronization

/// The context of a layout's reader within a run.
package final class CaptureReadingContext: Sendable {
  private let reading: ReadingContext
  private let tell: @Sendable (String) -> Void
  private let advice: @Sendable (String) -> Void
  private let faults = Mutex<[Fault]>([])
  private let unreadDepths = Mutex<Set<String>>([])

  /// Why a frame was skipped, or what is unusual about it.
  struct Fault: Sendable {
    var frame: String
    var reason: String
    /// The file concerned.
    var path: String?
    var isLeftOut: Bool
  }

  /// Creates a context for the frames of a scan.
  package init(_ reading: ReadingContext) {
    self.reading = reading
    tell = { reading.stage.warn($0) }
    advice = { reading.stage.advise($0) }
  }

  /// Creates a stand-alone context.
  package init(warn: @escaping @Sendable (String) -> Void) {
    reading = ReadingContext()
    tell = warn
    advice = warn
  }

  /// Warns the user of something suspicious that did not stop the reading.
  package func warn(_ message: String) { tell(message) }

  /// Tells the user of a decision that needs no action; `--strict` ignores it.
  package func advise(_ message: String) { advice(message) }

  /// Skips an unusable frame.
  ///
  /// Frames with the same reason are reported in one warning.
  /// - Parameters:
  ///   - frame: The frame's name.
  ///   - reason: The field and the problem: `its focal length is zero`.
  ///   - path: The file concerned; for frames with the same reason the first one's is named.
  package func leaveOut(_ frame: String, because reason: String, at path: String? = nil) {
    let fault = Fault(frame: frame, reason: reason, path: path, isLeftOut: true)
    faults.withLock { $0.append(fault) }
  }

  /// Reports something unusual about a frame that is used anyway.
  ///
  /// Frames with the same problem are reported in one warning.
  /// - Parameter path: The file concerned; for frames with the same problem the first one's is named.
  package func note(_ frame: String, _ oddity: String, at path: String? = nil) {
    let fault = Fault(frame: frame, reason: oddity, path: path, isLeftOut: false)
    faults.withLock { $0.append(fault) }
  }

  /// Reports a frame that is used without its depth map.
  package func note(depthMapOf frame: String, _ reason: String) {
    note(frame, "\(reason); the frame is used without it")
    unreadDepths.withLock { _ = $0.insert(frame) }
  }

  /// The number of frames with a depth map that is not read.
  var unreadDepthCount: Int { unreadDepths.withLock(\.count) }

  /// The problems of individual frames so far, one sentence per kind.
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
    let subject = FrameNames(frames)
    let first = frames.count == 1 ? "" : "the first: "
    let reason = fault.reason + (fault.path.map { " (\(first)'\($0)')" } ?? "")
    guard fault.isLeftOut else { return "\(subject.text): \(reason)" }
    return frames.count == 1
      ? "\(subject.text) is left out: \(reason)"
      : "\(subject.count) are left out\(subject.names): \(reason)"
  }

  /// Adds a figure to the report of the run.
  package func report(_ key: String, _ value: JSONValue) { reading.stage.note(key, value) }

  /// Records a file that the result depends on.
  package func didOpen(_ path: String) { reading.didOpen(path) }

  /// Records the path of a missing file that would change the result.
  package func didMiss(_ path: String) { reading.didMiss(path) }

  package func checkCancellation() throws(Cancelled) { try reading.stage.checkCancellation() }

  /// Whether files outside the capture's folder may be opened.
  package var allowsExternalFiles: Bool { reading.allowsExternalFiles }

  /// The bytes of one of the layout's own files, which are small: at most 1 GiB.
  ///
  /// - Throws: A ``CaptureError`` for anything other than a regular file: a pipe may never end.
  package func contents(of path: String) throws -> [UInt8] {
    didOpen(path)
    try Self.checkRegular(path)
    return try FileSystem.contents(of: path, limit: 1 << 30)
  }

  private static func checkRegular(_ path: String) throws {
    guard let status = try FileSystem.status(of: path), !status.isRegularFile else { return }
    throw CaptureError(path, "is \(status.isFolder ? "a folder" : "not a regular file")")
  }

  /// A JSON file, in which NaN and Infinity are accepted as numbers, as Python writes them.
  ///
  /// - Throws: A ``CaptureError`` with line and column for invalid JSON.
  package func json(at path: String) throws -> JSONValue {
    try JSONReader.captureValue(of: contents(of: path), file: path)
  }
}

extension JSONReader {
  /// Reads JSON as capture apps write it, with NaN and Infinity.
  ///
  /// - Parameter line: The first line of the bytes in `file`.
  package static func captureValue(
    of bytes: [UInt8], file: String, line: Int = 1
  ) throws(CaptureError) -> JSONValue {
    let result = read(bytes, file: file, takesNonFiniteNumbers: true)
    if let value = result.value { return value }
    let fault = result.diagnostics.last
    var position = fault?.position ?? SourcePosition(line: 1, column: 1)
    position.line += line - 1
    throw CaptureError(file, at: position, fault?.message ?? "is not valid JSON")
  }
}

extension CaptureError {
  /// The error for the name of a capture's mesh where the input is not a capture.
  package static func notAFolder(_ path: String) -> CaptureError {
    CaptureError(
      path, "'--mesh' chooses among the meshes of a capture's folder, and this is a file",
      exitCode: .usage)
  }
}
