import MeshPipeline
import NativeLibraries

/// Bytes in memory as the end of a wire.
package struct ByteSink: WireOutput {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func write(_ span: RawSpan) throws {
    span.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }
}

/// Bytes in memory as the beginning of a wire.
package struct ByteSource: WireInput {
  package let bytes: [UInt8]
  package private(set) var position = 0

  package init(bytes: [UInt8]) { self.bytes = bytes }

  package mutating func read(into buffer: inout MutableRawSpan) throws {
    let count = buffer.byteCount
    guard count <= bytes.count - position else { throw WireError.truncated }
    buffer.withUnsafeMutableBytes { $0.copyBytes(from: bytes[position..<position + count]) }
    position += count
  }
}
