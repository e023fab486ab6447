import Synchronization

/// Decoded, reduced images of a capture's frames, for the stages of a run that ask for the same ones.
///
/// Only time depends on it: an image that isn't there is decoded again. Stages ask for all frames in order,
/// so the images that were used longest ago are the next to be needed: what does not fit is not stored,
/// instead of replacing what is.
package final class FrameStore: Sendable {
  /// In bytes: a dozen frames at 960 × 720 pixels.
  ///
  /// All 60 frames of a room would take 119 MiB, a fifth of a run's peak, and save one percent of its time.
  package static let usualCapacity = 32 << 20

  /// In bytes.
  private let capacity: Int
  private let state = Mutex(State())

  private struct Key: Hashable {
    var picture: Picture
    var reduction: Int
  }

  /// An image and what is hidden of it: two frames may hide different parts of one image.
  private struct Picture: Hashable {
    var source: Capture.ImageSource
    var masks: [Capture.MaskSource]

    init(_ frame: Capture.Frame) { (source, masks) = (frame.image, frame.masks) }
  }

  private struct State {
    var images: [Key: Image] = [:]
    var bytes = 0
    var isNeededLater = false

    mutating func remove(_ key: Key) -> Image? {
      let image = images.removeValue(forKey: key)
      bytes -= image.map(Self.bytes) ?? 0
      return image
    }

    static func bytes(of image: Image) -> Int {
      image.pixels.count + (image.mask?.hidden.count ?? 0)
    }
  }

  /// - Parameter capacity: In bytes; with 0 nothing is stored.
  package init(capacity: Int) { self.capacity = capacity }

  /// Prepares for the next stage: images of other frames than those of its scene are released.
  ///
  /// - Parameter isNeededLater: Whether stages after it use frames, too: otherwise it takes images out as
  ///   it asks for them.
  package func begin(_ frames: [Capture.Frame], isNeededLater: Bool) {
    let pictures = Set(frames.map(Picture.init))
    state.withLock { state in
      state.isNeededLater = isNeededLater
      for key in state.images.keys where !pictures.contains(key.picture) { _ = state.remove(key) }
    }
  }

  /// Releases all images: before work that needs the memory.
  package func clear() {
    state.withLock { state in
      state.images = [:]
      state.bytes = 0
    }
  }

  /// The number of bytes stored.
  package var bytes: Int { state.withLock { $0.bytes } }

  /// The image of a frame with its mask, stored or decoded.
  ///
  /// Threads may ask at the same time.
  package func image(
    of frame: Capture.Frame, reducedBy reduction: Int, decode: () throws -> Image
  ) rethrows -> Image {
    let key = Key(picture: Picture(frame), reduction: reduction)
    // A whole image is as large as four that are reduced the least, and is hardly asked for twice.
    guard capacity > 0, reduction > 1 else { return try decode() }
    let stored = state.withLock { state in
      state.isNeededLater ? state.images[key] : state.remove(key)
    }
    if let stored { return stored }
    let image = try decode()
    let bytes = State.bytes(of: image)
    state.withLock { state in
      guard state.isNeededLater, state.images[key] == nil, state.bytes + bytes <= capacity else {
        return
      }
      state.images[key] = image
      state.bytes += bytes
    }
    return image
  }
}
