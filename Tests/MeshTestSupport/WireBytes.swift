import MeshPipeline

/// Bytes in memory as the end of a wire.
public struct ByteSink: WireOutput {
  public private(set) var bytes: [UInt8] = []

  public init() {}

  public mutating func write(_ span: RawSpan) throws {
    span.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }
}

/// Bytes in memory as the beginning of a wire.
public struct ByteSource: WireInput {
  public let bytes: [UInt8]
  public private(set) var position = 0

  public init(bytes: [UInt8]) { self.bytes = bytes }

  public mutating func read(into buffer: inout MutableRawSpan) throws {
    let count = buffer.byteCount
    guard count <= bytes.count - position else { throw WireError.truncated }
    buffer.withUnsafeMutableBytes { $0.copyBytes(from: bytes[position..<position + count]) }
    position += count
  }
}
