import Captures
import MeshPipeline

/// A frame of a bundle.
struct BundleEntry {
  /// Its line with the names of its files; a depth map without an image has an image that is not used.
  var line: FramesBundleLine
  var hasImage: Bool

  var frame: Capture.Frame { line.frame }

  /// The name that files of the frame have in a bundle.
  var stem: String { FramesBundleRecord.name(ofFrame: line.number) }

  /// All frames of a capture in one order: with and without an image as their source had them.
  static func all(of capture: Capture) -> [BundleEntry] {
    var frames = capture.frames[...]
    var depths = capture.depthFrames[...]
    var merged: [(frame: Capture.Frame, hasImage: Bool)] = []
    while let frame = frames.first ?? depths.first.map(Capture.Frame.init) {
      if let depth = depths.first, frames.isEmpty || Self.isBefore(depth, frame) {
        merged.append((Capture.Frame(depth), false))
        depths.removeFirst()
      } else {
        merged.append((frame, true))
        frames.removeFirst()
      }
    }
    let isOfBundle = capture.origin?.isBundle == true
    let records = merged.enumerated().map { place, entry in
      isOfBundle ? entry.frame.record.flatMap { FramesBundleRecord(line: $0, place: place) } : nil
    }
    let numbers = Self.numbers(of: merged.map(\.frame), records)
    return merged.indices.map { index in
      BundleEntry(
        line: FramesBundleLine(
          merged[index].frame, number: numbers[index], record: records[index]),
        hasImage: merged[index].hasImage)
    }
  }

  private static func isBefore(_ depth: Capture.DepthFrame, _ frame: Capture.Frame) -> Bool {
    guard depth.session == frame.session else { return depth.session < frame.session }
    guard let one = depth.timestamp?.ifFinite, let other = frame.timestamp?.ifFinite else {
      return depth.name < frame.name
    }
    return (one, depth.name) < (other, frame.name)
  }

  /// The numbers that the source gives the frames; their positions if two have the same.
  private static func numbers(
    of frames: [Capture.Frame], _ records: [FramesBundleRecord?]
  ) -> [Int] {
    let numbers = zip(frames, records).compactMap { frame, record -> Int? in
      if let record { return record.number }
      let digits = frame.name.utf8.reversed().prefix { (0x30...0x39).contains($0) }
      return digits.count > 9 ? nil : Int(String(decoding: digits.reversed(), as: UTF8.self))
    }
    return Set(numbers).count == frames.count ? numbers : Array(frames.indices)
  }
}

extension Capture.Origin {
  /// Whether the frames' records are lines of a bundle with the manifest's conventions.
  var isBundle: Bool { layout == FramesBundle.id }
}

extension Capture.Frame {
  /// A depth map without an image as a frame.
  fileprivate init(_ depth: Capture.DepthFrame) {
    self.init(
      name: depth.name, image: .file(""), imageSize: depth.imageSize,
      intrinsics: depth.intrinsics, distortion: depth.distortion, pose: depth.pose,
      depth: depth.depth, timestamp: depth.timestamp, tracking: depth.tracking)
    session = depth.session
    record = depth.record
  }
}
