import POSIX

/// Does the tasks of cells with the libraries: in a cell, or in a program that has none to start.
final class DecoderService: @unchecked Sendable {
  var video: OpenVideo?
  var draco: OpenDraco?
  var archive: OpenArchive?
  /// What was sent without waiting for the answer, in a program that has no cell.
  var request: CellMessage?

  /// Does a task.
  ///
  /// - Parameter files: Open files for it, which it closes.
  func answer(to request: CellMessage, files: [Int32]) -> CellMessage {
    switch DecoderTask(rawValue: request.kind) {
    case .webp?, .heif?, .tiff?, .still?: Self.picture(request)
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

  private func close() -> CellMessage {
    video = nil
    draco = nil
    archive = nil
    return CellMessage(.done)
  }
}
