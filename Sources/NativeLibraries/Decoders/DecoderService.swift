import POSIX

/// Does the tasks of cells with the libraries: in a cell, or in a program that has none to start.
final class DecoderService: @unchecked Sendable {
  var video: OpenVideo?
  var draco: OpenDraco?
  var archive: OpenArchive?
  /// What was sent without waiting for the answer, in a program that has no cell.
  var request: CellMessage?
  /// Where the bytes of answers go, in a cell.
  private let memory: SharedMemory?

  init(_ memory: SharedMemory? = nil) { self.memory = memory }

  /// Does a task.
  ///
  /// - Parameter files: Open files for it, which it closes.
  func answer(to request: CellMessage, files: [Int32]) -> CellMessage {
    switch DecoderTask(rawValue: request.kind) {
    case .jpeg?: jpeg(request)
    case .png?: png(request)
    case .webp?, .heif?, .tiff?, .still?: picture(request)
    case .openVideo?: openVideo(files)
    case .videoFrame?: videoFrame(request)
    case .expectFrames?: expectFrames(request, files)
    case .openDraco?: openDraco(request)
    case .dracoAttributes?: dracoAttributes()
    case .dracoWidth?: dracoWidth(request)
    case .dracoValues?: dracoValues(request)
    case .meshopt?: Self.meshopt(request)
    case .openArchive?: openArchive(files)
    case .archiveEntry?: archiveEntry(request)
    case .archiveBytes?: archiveBytes(request)
    case .archiveSkip?: archiveSkip(request)
    case .close?: close()
    case .misbehave?, nil: CellMessage(.damaged, text: "the task is unknown")
    }
  }

  /// Does what was sent.
  func answerRequest() -> CellMessage {
    guard let request = request.take() else { return CellMessage(.damaged) }
    return answer(to: request, files: [])
  }

  /// An answer whose bytes a decoder writes where they are sent from.
  ///
  /// - Parameter write: Writes all of them.
  @unsafe
  func answer(
    _ numbers: [Int], count: Int, _ write: (UnsafeMutableRawBufferPointer) throws -> Void
  ) rethrows -> CellMessage {
    if let room = unsafe memory?.room(for: count) {
      try unsafe write(room)
      return CellMessage(.done, numbers, storedCount: count)
    }
    let bytes = try unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      try unsafe write(UnsafeMutableRawBufferPointer(buffer))
      filled = count
    }
    return CellMessage(.done, numbers, bytes: bytes)
  }

  private func close() -> CellMessage {
    video = nil
    draco = nil
    archive = nil
    return CellMessage(.done)
  }
}
