import Captures
import MeshPipeline
import MeshTestSupport
import Synchronization

extension CaptureFixture {
  /// Reads the capture, and what was warned of.
  func read(_ name: String = "") throws -> (scan: CapturedScan, warnings: [String]) {
    try Self.read(name.isEmpty ? path : path + "/" + name)
  }

  /// Reads a capture, and what was warned of.
  static func read(_ path: String) throws -> (scan: CapturedScan, warnings: [String]) {
    let warnings = Mutex<[String]>([])
    let found = try CaptureReader.ofLayouts.find(path)
    let context = CaptureReadingContext { message in warnings.withLock { $0.append(message) } }
    let scan = try found.read(in: context)
    return (scan, warnings.withLock(\.self))
  }
}

extension CaptureReader {
  /// Reads the built-in layouts, without comparing frames with a mesh.
  static let ofLayouts = CaptureReader(builtInLayouts, checking: FrameCheck.self)
}
