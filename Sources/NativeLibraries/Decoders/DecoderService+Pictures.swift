internal import CPictures
internal import CVideo
import MeshpipeBase
import MeshpipeScene
import POSIX

/// Pictures: the numbers of a request are the channels, 1 for values instead of light, the most pixels, and the pixels along a
/// side of which one is made, which is 1 except for JPEG and PNG; those of an answer are width and height.
extension DecoderService {
  /// The samples of a picture, row by row.
  func picture(_ request: CellMessage) -> CellMessage {
    let bytes = request.bytes
    guard request.numbers.count == 4, request.numbers[3] == 1 else {
      return CellMessage(.damaged, text: "is not asked for")
    }
    let (channels, isData) = (request.numbers[0], request.numbers[1] == 1)
    let mostPixels = Int64(request.numbers[2])
    var (width, height): (Int32, Int32) = (0, 0)
    var pixels: UnsafeMutablePointer<UInt8>?
    var outcome = CellMessage.Outcome.damaged
    let words = unsafe nativeMessage { error, size in
      outcome = unsafe bytes.withUnsafeBufferPointer { source in
        let (start, count) = (source.baseAddress, source.count)
        func outcome(_ result: meshpipe_picture_result) -> CellMessage.Outcome {
          switch result {
          case meshpipe_picture_ok: .done
          case meshpipe_picture_unavailable: .missing
          default: .damaged
          }
        }
        switch DecoderTask(rawValue: request.kind) {
        case .webp?:
          return outcome(
            unsafe meshpipe_webp_read(
              start, count, Int32(channels), &width, &height, &pixels, error, size))
        case .heif?:
          return outcome(
            unsafe meshpipe_heif_read(
              start, count, Int32(channels), &width, &height, &pixels, error, size))
        case .tiff?:
          return outcome(
            unsafe meshpipe_tiff_read(start, count, &width, &height, &pixels, error, size))
        default:
          return Self.outcome(
            unsafe meshpipe_still_read(
              start, count, request.text, mostPixels, isData ? 1 : 0, &width, &height, &pixels,
              error, size))
        }
      }
    }
    defer { unsafe free(pixels) }
    guard outcome == .done, let pixels = unsafe pixels else {
      return CellMessage(outcome == .done ? .damaged : outcome, text: words)
    }
    let count = channels * Int(width) * Int(height)
    return unsafe answer([Int(width), Int(height)], count: count) { target in
      unsafe target.copyMemory(from: UnsafeRawBufferPointer(start: pixels, count: count))
    }
  }

  static func outcome(_ result: meshpipe_video_result) -> CellMessage.Outcome {
    switch result {
    case meshpipe_video_ok: .done
    case meshpipe_video_unavailable: .missing
    default: .damaged
    }
  }
}
