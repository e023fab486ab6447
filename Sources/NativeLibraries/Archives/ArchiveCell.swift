import MeshpipeBase
import POSIX

/// An archive that libarchive reads in a cell, entry by entry.
///
/// What it says is not judged here.
final class ArchiveCell {
  /// What the library says of an entry.
  struct Entry {
    /// The library's code.
    var result = 0
    /// The type of the file, in the bits of its mode.
    var type = 0
    var isLink = false
    var isEncrypted = false
    var size: Int?
    var name: [UInt8] = []
    /// Of the last error.
    var words = ""
  }

  /// Bytes of the entry.
  struct Part {
    var bytes: ArraySlice<UInt8>
    /// 1 if there may be more, 0 at the end, and otherwise the library's code of an error.
    var status: Int
    /// Of the error.
    var words = ""
    /// The bytes of the archive's file that were read for it and all before.
    var position: Int
  }

  private let seat: DecoderPool.Seat
  private let limits: DecoderCell.Limits
  /// For what may pass over an entry, which can be the whole of a packed archive.
  private let longLimits: DecoderCell.Limits
  private var isSound = true
  /// Whether an answer with bytes is on its way.
  private var isAhead = false
  /// The first bytes of the entry, which came with it.
  private var first: Part?
  /// Whether the last entry was read, and so the next may be.
  private var wasRead = true
  /// The bytes of the archive's file read so far.
  private(set) var position = 0
  /// The library's number of the archive's kind; 0 before the first entry.
  private(set) var format = 0
  /// Whether the archive is not packed as a whole.
  private(set) var isPlain = false

  /// Few enough to stay in a processor's cache on their way.
  private static let partSize = 1 << 18
  /// The bytes that are passed over in one task.
  private static let skipSize = 1 << 26
  /// Dictionaries of compressors have up to 2 GB.
  private static let memory = 3 << 30

  /// What came of opening an archive.
  enum Opening {
    case opened(ArchiveCell)
    case unreadable(words: String)
    case missing(words: String)
  }

  /// Opens an archive.
  ///
  /// - Parameters:
  ///   - file: An open file, which stays open.
  ///   - mostBytes: What it may unpack to.
  ///   - run: What ends the cell when it is cancelled.
  static func open(
    _ file: Int32, mostBytes: Int, for run: (any Cancellable)?
  ) throws(CellFailure) -> Opening {
    let limits = DecoderCell.Limits(
      seconds: 300, memory: memory, answer: partSize + 1 << 16, run: run)
    let (seat, answer) = try DecoderPool.begin(
      CellMessage(.openArchive), files: [file], .archive, limits)
    guard answer.outcome == .done else {
      DecoderPool.giveBack(seat)
      return answer.outcome == .missing
        ? .missing(words: answer.text) : .unreadable(words: answer.text)
    }
    return .opened(ArchiveCell(seat, limits, mostBytes: mostBytes))
  }

  private init(_ seat: DecoderPool.Seat, _ limits: DecoderCell.Limits, mostBytes: Int) {
    self.seat = seat
    self.limits = limits
    var long = limits
    // Slower than any compressor on a busy machine.
    long.seconds += Double(mostBytes) / 1e7
    longLimits = long
  }

  deinit {
    // One that failed is not used again, and one that is busy not waited for.
    var short = limits
    short.seconds = 1
    if isSound, isAhead { isSound = (try? seat.receive(short)) != nil }
    guard isSound, (try? seat.answer(to: CellMessage(.close), short)) != nil else { return }
    DecoderPool.giveBack(seat)
  }

  /// Moves to the next entry.
  func next() throws(CellFailure) -> Entry {
    try drain()
    first = nil
    let answer = try ask(
      CellMessage(.archiveEntry, [wasRead ? Self.partSize : 0]), longLimits)
    wasRead = false
    let numbers = answer.numbers
    guard numbers.count >= 7 else {
      guard numbers.count == 5 else { throw nonsense }
      position = numbers[4]
      return Entry(result: numbers[0], words: answer.text)
    }
    let (flags, length) = (numbers[1], numbers[3])
    guard (0...answer.bytes.count).contains(length) else { throw nonsense }
    position = numbers[4]
    (format, isPlain) = (numbers[6] >> 1, numbers[6] & 1 == 1)
    if numbers.count == 8 {
      first = Part(
        bytes: answer.bytes[length...], status: numbers[7], words: answer.text,
        position: numbers[5])
    }
    return Entry(
      result: numbers[0], type: flags >> 2, isLink: flags & 1 != 0, isEncrypted: flags & 2 != 0,
      size: numbers[2] >= 0 ? numbers[2] : nil, name: Array(answer.bytes[..<length]),
      words: answer.text)
  }

  /// The next bytes of the entry; more are asked for meanwhile.
  func part() throws(CellFailure) -> Part {
    wasRead = true
    var part: Part
    if let first {
      part = first
      self.first = nil
    } else {
      if !isAhead { try send() }
      part = try received()
    }
    position = part.position
    if part.status == 1 { try send() }
    return part
  }

  /// Passes over bytes of the entry: returns their number, in a part without them.
  func skip() throws(CellFailure) -> (part: Part, count: Int) {
    try drain()
    if let first {
      self.first = nil
      position = first.position
      return (
        Part(bytes: [], status: first.status, words: first.words, position: position),
        first.bytes.count
      )
    }
    let answer = try ask(CellMessage(.archiveSkip, [Self.skipSize]), limits)
    guard answer.numbers.count == 3, answer.numbers[2] >= 0 else { throw nonsense }
    position = answer.numbers[1]
    return (
      Part(bytes: [], status: answer.numbers[0], words: answer.text, position: position),
      answer.numbers[2]
    )
  }

  // MARK: Messages

  private var nonsense: CellFailure {
    isSound = false
    return .nonsense("an answer is incomplete")
  }

  private func ask(
    _ request: CellMessage, _ limits: DecoderCell.Limits
  ) throws(CellFailure) -> CellMessage {
    try guarded { () throws(CellFailure) in try seat.answer(to: request, limits) }
  }

  private func send() throws(CellFailure) {
    try guarded { () throws(CellFailure) in
      try seat.send(CellMessage(.archiveBytes, [Self.partSize]), limits)
    }
    isAhead = true
  }

  private func received() throws(CellFailure) -> Part {
    isAhead = false
    let answer = try guarded { () throws(CellFailure) in try seat.receive(limits) }
    guard answer.numbers.count == 2 else { throw nonsense }
    return Part(
      bytes: answer.bytes[...], status: answer.numbers[0], words: answer.text,
      position: answer.numbers[1])
  }

  /// Receives an answer that is no longer wanted.
  private func drain() throws(CellFailure) {
    if isAhead { _ = try received() }
  }

  private func guarded<Result>(
    _ body: () throws(CellFailure) -> Result
  ) throws(CellFailure) -> Result {
    guard isSound else { throw .nonsense("the process has ended") }
    do throws(CellFailure) {
      return try body()
    } catch {
      isSound = false
      throw error
    }
  }
}
