import Captures
import MeshPipeline

/// A frame of a bundle with its number and the names of its files.
struct BundleEntry {
  /// A depth map without an image has an image that is not used.
  var frame: Capture.Frame
  var hasImage: Bool
  var number: Int
  var imageName: String?
  var depthName: String?
  var confidenceName: String?

  /// The frame's line.
  var line: FramesBundleLine {
    FramesBundleLine(
      frame, number: number, imageName: imageName, depthName: depthName,
      confidenceName: confidenceName)
  }

  /// The name that files of the frame have in a bundle.
  var stem: String {
    let digits = String(number)
    return "frame_" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }

  /// All frames of a capture in one order: with and without an image as their source had them.
  ///
  /// - Parameter isOfBundle: Whether records are lines of a bundle.
  static func all(of capture: Capture, isOfBundle: Bool) -> [BundleEntry] {
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
    let numbers = Self.numbers(of: merged.map(\.frame), isOfBundle: isOfBundle)
    return zip(merged, numbers).map {
      BundleEntry(frame: $0.frame, hasImage: $0.hasImage, number: $1)
    }
  }

  private static func isBefore(_ depth: Capture.DepthFrame, _ frame: Capture.Frame) -> Bool {
    guard let one = depth.timestamp?.ifFinite, let other = frame.timestamp?.ifFinite else {
      return depth.name < frame.name
    }
    return (one, depth.name) < (other, frame.name)
  }

  /// The numbers that the source gives the frames; their positions if two have the same.
  private static func numbers(of frames: [Capture.Frame], isOfBundle: Bool) -> [Int] {
    let numbers = frames.enumerated().compactMap { place, frame -> Int? in
      if isOfBundle, let text = frame.record,
        let json = JSONReader.read(Array(text.utf8), takesNonFiniteNumbers: true).value
      {
        return FramesBundleRecord(json: json, text: text, place: place).number
      }
      let digits = frame.name.utf8.reversed().prefix { (0x30...0x39).contains($0) }
      return digits.count > 9 ? nil : Int(String(decoding: digits.reversed(), as: UTF8.self))
    }
    return Set(numbers).count == frames.count ? numbers : Array(frames.indices)
  }
}

extension Capture.Frame {
  /// A depth map without an image as a frame.
  fileprivate init(_ depth: Capture.DepthFrame) {
    self.init(
      name: depth.name, image: .file(""), imageSize: depth.imageSize,
      intrinsics: depth.intrinsics, distortion: depth.distortion, pose: depth.pose,
      depth: depth.depth, timestamp: depth.timestamp, tracking: depth.tracking)
    record = depth.record
  }
}
