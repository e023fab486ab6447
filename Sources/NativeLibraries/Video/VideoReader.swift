import MeshpipeBase
package import MeshpipeScene
import POSIX
internal import Synchronization

/// The frames of a video file (MP4, QuickTime, Matroska, AVI), decoded with FFmpeg's libraries in a cell.
///
/// The rotation for players is ignored: cameras refer to the
/// sensor. Colours are converted as the stream specifies (BT.601, BT.709 or BT.2020; full or
/// limited range); the default is BT.601 with limited range, as FFmpeg writes it.
///
/// Threads may share a reader. Frames requested in order are decoded once, and so are those of
/// ``expect(_:)``; seeking back, or beyond a later key frame, costs decoding from the preceding key
/// frame. A frame at which the decoder crashes costs the frame; after a few of them the others are given up, too.
package final class VideoReader: Sendable {
  package let path: String
  /// Width and height of the frames.
  package let size: SIMD2<Int>
  /// The presentation time of each frame, in seconds on the clock of the file, ascending.
  package let times: [Double]
  /// The decoder, used by one thread at a time.
  private let session: Mutex<VideoSession>

  /// Opens a video and reads it once, without decoding, to find its frames.
  ///
  /// - Throws: ``ImageError`` if the file is not a video or has no complete frame;
  ///   ``NativeLibraryError`` if FFmpeg's libraries are not installed.
  package init(_ path: String) throws {
    guard let status = try FileSystem.status(of: path) else {
      throw ImageError(path, "there is no such video")
    }
    // A pipe in its place may never end.
    guard status.isRegularFile else { throw ImageError(path, "is not a regular file") }
    let file = unsafe open(path.systemPath, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw FileError(.read, path) }
    var session = VideoSession(path: path, file: file, fileSize: status.size)
    let contents = try session.contents()
    self.path = path
    (size, times) = (contents.size, contents.times)
    self.session = Mutex(session)
  }

  /// Decodes a frame, counted from 0 in presentation order.
  ///
  /// - Parameter reduction: The image is returned at this fraction of its size, rounded up.
  /// - Throws: ``ImageError`` if the frame does not exist, or is damaged or truncated.
  package func picture(_ index: Int, reducedBy reduction: Int = 1) throws -> Image {
    guard times.indices.contains(index) else {
      throw ImageError(path, "has \(times.count) frames, but frame \(index) was requested")
    }
    let target = (size &+ (max(reduction, 1) - 1)) / max(reduction, 1)
    let pixels = try session.withLock { try $0.frame(index, target) }
    return Image(width: target.x, height: target.y, pixels: pixels)
  }

  /// The number of frames decoded so far, including intermediate ones, which is the cost.
  package var decodedCount: Int { session.withLock { $0.decodedCount } }

  /// Announces which frames will be requested, possibly by several stages.
  ///
  /// Each is decoded once, possibly while decoding another, and kept in a temporary file without a
  /// name: at most 1 GiB, as long as 1 GiB of the disk stays free. Without this call, and beyond
  /// that, frames are decoded each time.
  package func expect(_ indices: some Sequence<Int>) {
    let indices = Array(indices)
    session.withLock { $0.expect(indices) }
  }
}

extension VideoReader {
  /// A shared reader that stays open for further frames, which know only the path of their video.
  ///
  /// A file that has changed is opened again.
  package static func shared(_ path: String) throws -> VideoReader {
    let status = try FileSystem.status(of: path)
    return try kept.withLock { kept in
      if let index = kept.firstIndex(where: { $0.reader.path == path && $0.status == status }) {
        let found = kept.remove(at: index)
        kept.append(found)
        return found.reader
      }
      let reader = try VideoReader(path)
      kept.removeAll { $0.reader.path == path }
      kept.append(KeptReader(reader: reader, status: status))
      // A decoder holds some 50 MB of frames; a scan has one video.
      if kept.count > 2 { kept.removeFirst() }
      return reader
    }
  }

  private struct KeptReader: Sendable {
    var reader: VideoReader
    var status: FileStatus?
  }

  private static let kept = Mutex<[KeptReader]>([])
}
