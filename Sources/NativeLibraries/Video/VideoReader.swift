internal import CVideo
package import MeshPipeline
internal import Synchronization

/// The frames of a video file (MP4, QuickTime, Matroska, AVI), decoded with FFmpeg's libraries.
///
/// They are loaded with the first video. The rotation for players is ignored: cameras refer to the
/// sensor. Colours are converted as the stream specifies (BT.601, BT.709 or BT.2020; full or
/// limited range); the default is BT.601 with limited range, as FFmpeg writes it.
///
/// Threads may share a reader. Frames requested in order are decoded once, and so are those of
/// ``expect(_:)``; seeking back, or beyond a later key frame, costs decoding from the preceding key
/// frame.
package final class VideoReader: Sendable {
  package let path: String
  /// Width and height of the frames.
  package let size: SIMD2<Int>
  /// The presentation time of each frame, in seconds on the clock of the file, ascending.
  package let times: [Double]
  /// The decoder, used by one thread at a time.
  private let decoder: Mutex<Decoder>

  @safe private struct Decoder: ~Copyable, @unchecked Sendable {
    let handle: OpaquePointer
    deinit { unsafe meshpipe_video_close(handle) }
  }

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
    var opened: OpaquePointer?
    try unsafe Self.check(path) { error, size in
      unsafe meshpipe_video_open(path.systemPath, &opened, error, size)
    }
    guard let handle = unsafe opened else { throw ImageError(path, "can't be opened as a video") }
    self.path = path
    size = unsafe SIMD2(
      Int(meshpipe_video_width(handle)), Int(meshpipe_video_height(handle)))
    times = unsafe (0..<meshpipe_video_count(handle)).map { index in
      unsafe meshpipe_video_time(handle, index)
    }
    decoder = unsafe Mutex(Decoder(handle: handle))
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
    var pixels = [UInt8](repeating: 0, count: 3 * target.x * target.y)
    try decoder.withLock { decoder in
      try unsafe Self.check(path, picture: index) { error, size in
        unsafe pixels.withUnsafeMutableBufferPointer { buffer in
          unsafe meshpipe_video_read(
            decoder.handle, Int64(index), Int32(target.x), Int32(target.y), buffer.baseAddress,
            error, size)
        }
      }
    }
    return Image(width: target.x, height: target.y, pixels: pixels)
  }

  /// The number of frames decoded so far, including intermediate ones, which is the cost.
  package var decodedCount: Int {
    decoder.withLock { decoder in unsafe Int(meshpipe_video_decoded(decoder.handle)) }
  }

  /// Announces which frames will be requested, possibly by several stages.
  ///
  /// Each is decoded once, possibly while decoding another, and kept in a temporary file without a
  /// name: at most 1 GiB, as long as 1 GiB of the disk stays free. Without this call, and beyond
  /// that, frames are decoded each time.
  package func expect(_ indices: some Sequence<Int>) {
    let indices = indices.map(Int64.init)
    decoder.withLock { decoder in
      unsafe indices.withUnsafeBufferPointer { buffer in
        unsafe meshpipe_video_expect(decoder.handle, buffer.baseAddress, buffer.count)
      }
    }
  }

  /// Calls a function of the shim and throws its message if it fails.
  private static func check(
    _ path: String, picture: Int? = nil,
    _ body: (UnsafeMutablePointer<CChar>?, Int) -> meshpipe_video_result
  ) throws {
    var result = meshpipe_video_ok
    let words = unsafe nativeMessage { error, size in result = unsafe body(error, size) }
    switch result {
    case meshpipe_video_ok: return
    case meshpipe_video_unavailable: throw NativeLibraryError("video \(path)", words)
    default: throw ImageError(path, picture.map { "frame \($0) \(words)" } ?? words)
    }
  }
}
