import MeshPipeline
import MeshTestSupport
import Workers

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
