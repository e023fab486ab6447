import MeshpipeBase

/// A message between this process and a cell of a decoder: a few numbers, a text, and bytes.
///
/// Bytes are in memory shared by both, if there is some, and otherwise in the stream. Both sides copy them, so that
/// neither sees what the other changes later.
struct CellMessage: Sendable, Equatable {
  /// Of a request a ``DecoderTask``, of an answer an ``Outcome``.
  var kind: Int
  var numbers: [Int] = []
  var text = ""
  var bytes: [UInt8] = []
  /// The bytes of an answer that was asked for as pixels, instead of `bytes`: copies of large pictures take much memory.
  var pixels: [SIMD4<UInt8>] = []
  /// The number of bytes that a decoder wrote to the shared memory, instead of `bytes`.
  private var storedCount: Int?

  /// What came of a request.
  enum Outcome: Int {
    case done
    /// The file is damaged or of an unsupported kind, as the text says.
    case damaged
    /// The library, or a decoder of it, is not installed.
    case missing
  }

  init(_ task: DecoderTask, _ numbers: [Int] = [], text: String = "", bytes: [UInt8] = []) {
    self.init(kind: task.rawValue, numbers: numbers, text: text, bytes: bytes)
  }

  init(_ outcome: Outcome, _ numbers: [Int] = [], text: String = "", bytes: [UInt8] = []) {
    self.init(kind: outcome.rawValue, numbers: numbers, text: text, bytes: bytes)
  }

  init(_ task: DecoderTask, values: [some BitwiseCopyable]) {
    self.init(task, bytes: Self.bytes(of: values))
  }

  init(_ outcome: Outcome, _ numbers: [Int], values: [some BitwiseCopyable]) {
    self.init(outcome, numbers, bytes: Self.bytes(of: values))
  }

  /// - Parameter storedCount: The number of bytes at the beginning of the shared memory.
  init(_ outcome: Outcome, _ numbers: [Int], storedCount: Int) {
    self.init(outcome, numbers)
    self.storedCount = storedCount
  }

  private init(kind: Int, numbers: [Int], text: String, bytes: [UInt8]) {
    (self.kind, self.numbers, self.text, self.bytes) = (kind, numbers, text, bytes)
  }

  var outcome: Outcome? { Outcome(rawValue: kind) }

  /// The message with pixels in place of its bytes, if they are wanted.
  func asPixels(_ isWanted: Bool) -> CellMessage {
    guard isWanted else { return self }
    var message = self
    message.pixels = unsafe bytes.withUnsafeBytes {
      unsafe Array($0.bindMemory(to: SIMD4<UInt8>.self))
    }
    message.bytes = []
    return message
  }

  /// The bytes as whole values; those left over are dropped.
  func values<Value: BitwiseCopyable>(as type: Value.Type) -> [Value] {
    unsafe bytes.withUnsafeBytes { bytes in
      (0..<bytes.count / MemoryLayout<Value>.stride).map {
        unsafe bytes.loadUnaligned(fromByteOffset: MemoryLayout<Value>.stride * $0, as: type)
      }
    }
  }

  private static func bytes(of values: [some BitwiseCopyable]) -> [UInt8] {
    unsafe values.withUnsafeBytes { unsafe [UInt8]($0) }
  }
}

extension CellMessage {
  /// What comes first.
  struct Header {
    /// The most bytes of memory that the task may take.
    var memory: Int
    /// The number of descriptors that follow.
    var files: Int
    fileprivate var message: CellMessage
    fileprivate var textLength: Int
    fileprivate var byteLength: Int
    /// The offset in shared memory; negative if the bytes are in the stream.
    fileprivate var place: Int
  }

  /// The number that each message begins with.
  static let mark = 0x6D65_7368_6365_6C6C
  private static let mostNumbers = 8
  private static let mostText = 1 << 16
  /// Fewer bytes are sent in the stream.
  private static let fewBytes = 1 << 12

  /// Sends the message.
  ///
  /// - Parameters:
  ///   - memory: Shared memory, whose former contents are lost.
  ///   - allowance: The bytes of memory that the task may take.
  ///   - files: The number of descriptors that will follow.
  func write(
    to output: inout some WireOutput, through memory: SharedMemory?, allowance: Int = 0,
    files: Int = 0
  ) throws {
    let text = Array(self.text.utf8.prefix(Self.mostText))
    var place = storedCount == nil ? -1 : 0
    if storedCount == nil {
      memory?.rewind()
      if bytes.count > Self.fewBytes { place = try unsafe memory?.store(bytes.span.bytes) ?? -1 }
    }
    var words = [
      Self.mark, kind, allowance, files, numbers.count, text.count, storedCount ?? bytes.count,
      place,
    ]
    precondition(numbers.count <= Self.mostNumbers)
    words += numbers + [Int](repeating: 0, count: Self.mostNumbers - numbers.count)
    unsafe try output.write(words.span.bytes)
    if !text.isEmpty { unsafe try output.write(text.span.bytes) }
    if place < 0, !bytes.isEmpty { unsafe try output.write(bytes.span.bytes) }
  }

  /// Reads what comes first.
  ///
  /// - Parameter mostBytes: More are refused before there is memory for them.
  static func header(
    from input: inout some WireInput, mostBytes: Int
  ) throws -> Header {
    var words = [Int](repeating: 0, count: 8 + mostNumbers)
    try fill(&words, from: &input)
    let (count, textLength, byteLength, place) = (words[4], words[5], words[6], words[7])
    guard words[0] == mark else { throw WireError.notAMessage }
    guard (0...mostNumbers).contains(count), (0...mostText).contains(textLength),
      (0...max(0, mostBytes)).contains(byteLength), words[3] >= 0, place >= -1
    else { throw WireError.content("a length is out of range") }
    let message = CellMessage(
      kind: words[1], numbers: Array(words[8..<8 + count]), text: "", bytes: [])
    return Header(
      memory: words[2], files: words[3], message: message, textLength: textLength,
      byteLength: byteLength, place: place)
  }

  /// Reads the rest.
  ///
  /// - Parameter isOfPixels: Whether the bytes are pixels.
  init(
    _ header: Header, from input: inout some WireInput, through memory: SharedMemory?,
    isOfPixels: Bool = false
  ) throws {
    self = header.message
    var letters = [UInt8](repeating: 0, count: header.textLength)
    try Self.fill(&letters, from: &input)
    text = String(decoding: letters, as: UTF8.self)
    if isOfPixels {
      pixels = try Self.load(header, .zero, from: &input, through: memory)
    } else {
      bytes = try Self.load(header, 0, from: &input, through: memory)
    }
  }

  private static func load<Value: BitwiseCopyable>(
    _ header: Header, _ zero: Value, from input: inout some WireInput, through memory: SharedMemory?
  ) throws -> [Value] {
    let (count, rest) = header.byteLength.quotientAndRemainder(
      dividingBy: MemoryLayout<Value>.stride)
    guard rest == 0 else { throw WireError.content("a length is out of range") }
    guard header.place >= 0 else {
      var values = [Value](repeating: zero, count: count)
      try fill(&values, from: &input)
      return values
    }
    guard let memory else { throw WireError.content("there is no shared memory") }
    // Zeros would be written to each page first.
    return try unsafe [Value](unsafeUninitializedCapacity: count) { buffer, filled in
      var raw = unsafe UnsafeMutableRawBufferPointer(buffer).mutableBytes
      try memory.take(from: header.place, into: &raw)
      filled = count
    }
  }

  private static func fill<Element: BitwiseCopyable>(
    _ array: inout [Element], from input: inout some WireInput
  ) throws {
    guard !array.isEmpty else { return }
    var span = array.mutableSpan
    var raw = unsafe span.mutableBytes
    try input.read(into: &raw)
  }
}
