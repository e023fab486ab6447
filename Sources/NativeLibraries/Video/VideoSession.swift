import MeshpipeBase
import POSIX

/// A video that is open in a cell, and opened again in another if that one fails.
struct VideoSession: ~Copyable {
  /// What a file holds, as its headers tell.
  struct Contents: Equatable {
    var size: SIMD2<Int>
    var times: [Double]
  }

  let path: String
  private let file: Int32
  private let fileSize: Int
  /// Where frames are kept; negative if there is no file for them.
  private var store: Int32 = -1
  private var expected: [Int] = []
  private var seat: DecoderPool.Seat?
  private var known: Contents?
  private var failures: [CellFailure] = []
  private(set) var decodedCount = 0

  /// - Parameter file: The open file, which is closed with the session.
  init(path: String, file: Int32, fileSize: Int) {
    (self.path, self.file, self.fileSize) = (path, file, fileSize)
  }

  deinit {
    if let seat, (try? seat.answer(to: CellMessage(.close), limits)) != nil {
      DecoderPool.giveBack(seat)
    }
    close(file)
    if store >= 0 { close(store) }
  }

  /// After this many failures of the decoder the rest of the video is given up.
  private static let mostFailures = 3

  /// Frames take what those before them do that they refer to: in the worst case all of the file.
  private var limits: DecoderCell.Limits {
    DecoderCell.Limits(
      seconds: 60 + Double(fileSize) / 5e5, memory: 4 << 30, answer: 1 << 30)
  }

  /// What the file holds.
  mutating func contents() throws -> Contents {
    if let known, seat != nil { return known }
    if failures.count >= Self.mostFailures, let last = failures.last {
      throw ImageError(path, last.reason(.ffmpeg), last.exitCode)
    }
    let opened: CellMessage
    do throws(CellFailure) {
      (seat, opened) = try DecoderPool.begin(
        CellMessage(.openVideo), files: [file], .ffmpeg, limits)
    } catch {
      failures.append(error)
      throw ImageError(path, error.reason(.ffmpeg), error.exitCode)
    }
    let contents = try contents(of: checked(opened))
    guard known == nil || known == contents else {
      seat = nil
      throw ImageError(path, "has other frames than before: it was changed while it was read")
    }
    known = contents
    try announce(expected)
    return contents
  }

  private mutating func contents(of answer: CellMessage) throws -> Contents {
    let times = answer.values(as: Double.self)
    let sides = answer.numbers
    guard sides.count == 2, sides.allSatisfy({ (1...1 << 14).contains($0) }), !times.isEmpty,
      times.allSatisfy(\.isFinite), zip(times, times.dropFirst()).allSatisfy({ $0 <= $1 })
    else {
      seat = nil
      throw ImageError(path, CellFailure.nonsense("its frames have no order").reason(.ffmpeg))
    }
    return Contents(size: SIMD2(sides[0], sides[1]), times: times)
  }

  /// The pixels of a frame in a size.
  mutating func frame(_ index: Int, _ size: SIMD2<Int>) throws -> [UInt8] {
    _ = try contents()
    let request = CellMessage(.videoFrame, [index, size.x, size.y])
    let answer = try ask(request, frame: index)
    guard answer.bytes.count == 3 * size.x * size.y else {
      seat = nil
      throw ImageError(path, CellFailure.nonsense("pixels are missing").reason(.ffmpeg))
    }
    return answer.bytes
  }

  /// Announces frames that will be requested.
  mutating func expect(_ indices: [Int]) {
    expected += indices
    if store < 0 { store = FileSystem.openUnnamedFile() ?? -1 }
    try? announce(indices)
  }

  private mutating func announce(_ indices: [Int]) throws {
    guard !indices.isEmpty, seat != nil else { return }
    _ = try ask(
      CellMessage(.expectFrames, values: indices.map(Int64.init)),
      files: store >= 0 ? [store] : [])
  }

  /// Makes the decoder fail, for tests of error handling.
  mutating func misbehave(_ way: DecoderServer.Misbehaviour) throws {
    _ = try contents()
    _ = try ask(CellMessage(.misbehave, text: way.rawValue))
  }

  private mutating func ask(
    _ request: CellMessage, files: [Int32] = [], frame: Int? = nil
  ) throws -> CellMessage {
    guard let seat else { throw ImageError(path, "can't be opened as a video") }
    let index = frame.map { "frame \($0) " } ?? ""
    let answer: CellMessage
    do throws(CellFailure) {
      answer = try seat.answer(to: request, files: files, limits)
    } catch {
      self.seat = nil
      failures.append(error)
      throw ImageError(path, index + error.reason(.ffmpeg), error.exitCode)
    }
    if let decoded = frame.flatMap({ _ in answer.numbers.first }) { decodedCount = decoded }
    return try checked(answer, index)
  }

  private func checked(_ answer: CellMessage, _ place: String = "") throws -> CellMessage {
    switch answer.outcome {
    case .done: return answer
    case .missing: throw NativeLibraryError("video \(path)", answer.text)
    default: throw ImageError(path, place + answer.text)
    }
  }
}

extension FileSystem {
  /// Opens a temporary file without a name, which disappears with the last process that has it open; nil if there is no
  /// place for it.
  fileprivate static func openUnnamedFile() -> Int32? {
    var template = "\(temporaryFolder)/meshpipe-video-XXXXXX".systemPath
    let file = unsafe template.withUnsafeMutableBufferPointer { buffer in
      guard let path = buffer.baseAddress else { return Int32(-1) }
      let file = unsafe mkstemp(path)
      if file >= 0 { unsafe unlink(path) }
      return file
    }
    guard file >= 0 else { return nil }
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    return file
  }
}
