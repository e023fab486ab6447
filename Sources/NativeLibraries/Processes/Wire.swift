/// A source of a message's bytes.
package protocol WireInput {
  /// Fills `buffer` completely, or throws.
  mutating func read(into buffer: inout MutableRawSpan) throws
}

/// A destination of a message's bytes.
package protocol WireOutput {
  /// Writes all of `bytes`, or throws.
  mutating func write(_ bytes: RawSpan) throws
}

/// Shared memory of both sides of a wire, for arrays outside of the stream.
package protocol WireMemory {
  /// Stores an array, and returns its offset; nil if there is not enough room.
  mutating func store(_ bytes: RawSpan) throws -> Int?
  /// Fills `buffer` with the bytes from `offset` on, or throws.
  func load(from offset: Int, into buffer: inout MutableRawSpan) throws
}

/// Why bytes are not a valid message.
package enum WireError: Error, Sendable, Equatable {
  /// The bytes end before the message does.
  case truncated
  case notAMessage
  case version(UInt32, known: UInt32)
  case headerTooLong(UInt32)
  /// The header is not JSON, or a value in it is invalid.
  case header(String)
  /// The arrays are longer than the receiver allows.
  case tooLong(UInt64)
  /// The total length of the arrays in the header differs from the frame's.
  case lengthMismatch(named: Int, framed: UInt64)
  /// An array contains an out-of-range value.
  case content(String)

  package var message: String {
    switch self {
    case .truncated: "the message is truncated"
    case .notAMessage: "the bytes are not a meshpipe message"
    case .version(let version, let known): "the message has version \(version), not \(known)"
    case .headerTooLong(let length): "a header of \(length) bytes is too long"
    case .header(let reason): "the header is invalid: \(reason)"
    case .tooLong(let length): "arrays of \(length) bytes are more than allowed"
    case .lengthMismatch(let named, let framed):
      "the header names \(named) bytes of arrays, the frame \(framed)"
    case .content(let reason): reason
    }
  }
}
