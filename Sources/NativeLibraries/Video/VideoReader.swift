internal import CVideo
public import MeshPipeline
internal import Synchronization

/// The pictures of a video file (MP4, QuickTime, Matroska, AVI), through FFmpeg's libraries.
///
/// They are opened when the first video is, and needed for nothing else. Turns that the file asks of a
/// player are not applied: cameras refer to the sensor. Colours are converted as the stream says (BT.601,
/// BT.709 or BT.2020; full or limited range); a stream that says nothing is taken for BT.601 of limited
/// range, as FFmpeg writes it.
///
/// Threads may share a reader. Pictures asked for in order are decoded once, as are those of
/// ``expect(_:)``; any other further back, or beyond a later key picture, costs decoding from the key picture
/// before it.
public final class VideoReader: Sendable {
  public let path: String
  /// Width and height of the pictures.
  public let size: SIMD2<Int>
  /// When each picture is shown, in seconds on the clock of the file, rising.
  public let times: [Double]
  /// The decoder, for one thread at a time.
  private let decoder: Mutex<Decoder>

  @safe private struct Decoder: ~Copyable, @unchecked Sendable {
    let handle: OpaquePointer
    deinit { unsafe meshpipe_video_close(handle) }
  }

  /// Opens a video and reads it through once, without decoding, to find its pictures.
  ///
  /// - Throws: ``ImageError`` when the file is no video or has no whole picture; ``NativeLibraryError``
  ///   when FFmpeg's libraries are not installed.
  public init(_ path: String) throws {
    guard let status = try FileSystem.status(of: path) else {
      throw ImageError(path, "there is no such video")
    }
    // A pipe in its place may never end.
    guard status.isRegularFile else { throw ImageError(path, "is no regular file") }
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

  /// Decodes a picture, counted from 0 in the order in which they are shown.
  ///
  /// - Parameter reduction: The picture comes at that part of its size, rounded up.
  /// - Throws: ``ImageError`` when there is no such picture, or it is damaged or cut off.
  public func picture(_ index: Int, reducedBy reduction: Int = 1) throws -> Image {
    guard times.indices.contains(index) else {
      throw ImageError(path, "has \(times.count) pictures, and picture \(index) is asked for")
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

  /// How many pictures were decoded so far, those on the way to others included: that is what costs.
  public var decodedCount: Int {
    decoder.withLock { decoder in unsafe Int(meshpipe_video_decoded(decoder.handle)) }
  }

  /// Says which pictures will be asked for, by several stages perhaps.
  ///
  /// Each is decoded once, in passing where it lies on the way to another, and kept in a temporary file
  /// without a name: at most 1 GiB, and 1 GiB of the disk stays free. Without this call, and beyond that,
  /// pictures are decoded each time.
  public func expect(_ indices: some Sequence<Int>) {
    let indices = indices.map(Int64.init)
    decoder.withLock { decoder in
      unsafe indices.withUnsafeBufferPointer { buffer in
        unsafe meshpipe_video_expect(decoder.handle, buffer.baseAddress, buffer.count)
      }
    }
  }

  /// Calls a function of the shim and throws the words that it leaves when it fails.
  private static func check(
    _ path: String, picture: Int? = nil,
    _ body: (UnsafeMutablePointer<CChar>?, Int) -> meshpipe_video_result
  ) throws {
    var result = meshpipe_video_ok
    let words = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
      unsafe buffer.initialize(repeating: 0)
      result = unsafe body(buffer.baseAddress, buffer.count)
      guard result != meshpipe_video_ok, let start = buffer.baseAddress else { return "" }
      return unsafe String(cString: start)
    }
    switch result {
    case meshpipe_video_ok: return
    case meshpipe_video_unavailable: throw NativeLibraryError("video \(path)", words)
    default: throw ImageError(path, picture.map { "picture \($0) \(words)" } ?? words)
    }
  }
}
