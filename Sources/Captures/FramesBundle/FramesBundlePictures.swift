import MeshPipeline

/// Finds the picture of each frame of a bundle: the file that its line names, a file of the same number
/// in `images/`, or a picture of the video.
struct FramesBundlePictures {
  private let folder: CaptureFolder
  private let context: CaptureReadingContext
  private let manifest: FramesBundleManifest
  private let images: CaptureFolder?
  private let video: String?
  /// The time of the video's first picture, when pictures are found by time.
  private let start: Double?

  init(
    _ folder: CaptureFolder, _ manifest: FramesBundleManifest, _ records: [FramesBundleRecord],
    _ context: CaptureReadingContext
  ) {
    self.folder = folder
    self.context = context
    self.manifest = manifest
    images = folder.has("images") ? try? CaptureFolder(folder.path(of: "images")) : nil
    video = try? folder.path(ofNamed: manifest.videoName, in: context)
    start = Self.start(manifest, records)
  }

  /// Numbers that run on from 0 are those of the video's pictures; others, such as those of all frames
  /// that the sensor gave, are matched by time.
  private static func start(
    _ manifest: FramesBundleManifest, _ records: [FramesBundleRecord]
  ) -> Double? {
    if let isByNumber = manifest.isVideoByNumber, isByNumber { return nil }
    guard manifest.framesPerSecond != nil, let first = records.compactMap(\.timestamp).min() else {
      return nil
    }
    let isRunning = records.enumerated().allSatisfy { $0 == $1.number }
    return isRunning && manifest.isVideoByNumber == nil ? nil : first
  }

  func source(of record: FramesBundleRecord) throws(FrameFault) -> Capture.ImageSource {
    if let name = record.json.first(of: "rgb_path", "image_path", "image")?.text {
      if let path = try folder.path(ofNamed: name, in: context) { return .file(path) }
      context.didMiss(folder.path(of: name))
      guard video != nil else { throw FrameFault("its image is missing") }
    }
    for ending in pictureExtensions {
      let name = "\(record.name).\(ending)"
      if let images, images.has(name) { return .file(images.path(of: name)) }
    }
    guard let video else {
      throw FrameFault("it has no rgb_path, and there is no '\(manifest.videoName)'")
    }
    return .video(video, index: try index(of: record))
  }

  private func index(of record: FramesBundleRecord) throws(FrameFault) -> Int {
    guard let start, let rate = manifest.framesPerSecond else {
      guard record.number >= 0 else { throw FrameFault("its frame_idx is negative") }
      return record.number
    }
    guard let time = record.timestamp, time.isFinite,
      let index = Int(exactly: ((time - start) * rate).rounded())
    else { throw FrameFault("it has no timestamp to find it in the video by") }
    return index
  }
}
