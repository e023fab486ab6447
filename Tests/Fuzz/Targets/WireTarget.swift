import MeshPipeline

extension FuzzTarget {
  /// Messages between meshpipe and a plugin: what was read is written and read again as the same.
  static let wire = FuzzTarget(name: "wire") {
    let messages: [WireMessage] = [
      .hello(WireHello(protocolVersion: 1, name: "a", version: "1.0")), .progress(0.25),
      .warning("hm"), .failure(exitCode: .temporary, message: "no"),
      .report(key: "error", value: ["max": 0.5, "names": ["a"]]), .done,
    ]
    return try messages.map(bytes) + FuzzScenes.all.map { try bytes(of: .scene(WireScene($0))) }
  } read: { input in
    var source = ByteSource(bytes: input)
    let message = try WireDecoder(maximumPayloadLength: 1 << 20).read(from: &source)
    if case .scene(let sent) = message { sent.scene.requireValid() }
    var again = ByteSource(bytes: try bytes(of: message))
    // Numbers that are none are not equal to themselves.
    let second = try WireDecoder(maximumPayloadLength: 1 << 21).read(from: &again)
    guard try bytes(of: second) == again.bytes else { fatalError("a message changes on the way") }
  }

  private static func bytes(of message: WireMessage) throws -> [UInt8] {
    var sink = ByteSink()
    try WireEncoder.write(message, to: &sink)
    return sink.bytes
  }
}

private struct ByteSource: WireInput {
  let bytes: [UInt8]
  var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func read(into buffer: inout MutableRawSpan) throws {
    let count = buffer.byteCount
    guard count <= bytes.count - position else { throw WireError.truncated }
    buffer.withUnsafeMutableBytes { $0.copyBytes(from: bytes[position..<position + count]) }
    position += count
  }
}

private struct ByteSink: WireOutput {
  var bytes: [UInt8] = []

  mutating func write(_ span: RawSpan) throws {
    span.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }
}
