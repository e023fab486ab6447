internal import CVideo
import MeshpipeBase
import MeshpipeScene
import POSIX

/// The video that is open.
@safe final class OpenVideo {
  fileprivate let handle: OpaquePointer
  fileprivate init(_ handle: OpaquePointer) { unsafe self.handle = handle }
  deinit { unsafe meshpipe_video_close(handle) }
}

extension DecoderService {
  /// Opens a video: answers width, height and, as floats of 8 bytes, the times of its frames.
  func openVideo(_ files: [Int32]) -> CellMessage {
    video = nil
    guard let file = files.first else { return CellMessage(.damaged, text: "no file came") }
    var opened: OpaquePointer?
    var outcome = CellMessage.Outcome.damaged
    let words = unsafe nativeMessage { error, size in
      outcome = Self.outcome(unsafe meshpipe_video_open(file, &opened, error, size))
    }
    guard outcome == .done, let handle = unsafe opened else {
      return CellMessage(
        outcome == .done ? .damaged : outcome,
        text: words.isEmpty ? "can't be opened as a video" : words)
    }
    video = unsafe OpenVideo(handle)
    let times = unsafe (0..<meshpipe_video_count(handle)).map { index in
      unsafe meshpipe_video_time(handle, index)
    }
    return unsafe CellMessage(
      .done, [Int(meshpipe_video_width(handle)), Int(meshpipe_video_height(handle))],
      values: times)
  }

  /// A frame by its number, in a width and height: answers its pixels and the number of frames decoded so far.
  func videoFrame(_ request: CellMessage) -> CellMessage {
    guard let video, request.numbers.count == 3 else {
      return CellMessage(.damaged, text: "no video is open")
    }
    let (width, height) = (request.numbers[1], request.numbers[2])
    var pixels = [UInt8](repeating: 0, count: 3 * width * height)
    var outcome = CellMessage.Outcome.damaged
    let words = unsafe nativeMessage { error, size in
      unsafe pixels.withUnsafeMutableBufferPointer { buffer in
        outcome = Self.outcome(
          unsafe meshpipe_video_read(
            video.handle, Int64(request.numbers[0]), Int32(width), Int32(height),
            buffer.baseAddress, error, size))
      }
    }
    let decoded = unsafe Int(meshpipe_video_decoded(video.handle))
    return CellMessage(outcome, [decoded], text: words, bytes: outcome == .done ? pixels : [])
  }

  /// Announces frames, whose numbers have 8 bytes each, and a file for them.
  func expectFrames(_ request: CellMessage, _ files: [Int32]) -> CellMessage {
    guard let video else {
      for file in files { close(file) }
      return CellMessage(.damaged, text: "no video is open")
    }
    let indices = request.values(as: Int64.self)
    unsafe meshpipe_video_expect(video.handle, indices, indices.count, files.first ?? -1)
    return CellMessage(.done)
  }
}
