import MeshPipeline
import NativeLibraries

/// Finds the image of each frame of a bundle: the file named in its line, a file with its number in
/// `images/`, or a frame of the video.
package struct FramesBundlePictures {
  private let folder: CaptureFolder
  private let context: CaptureReadingContext
  private let images: CaptureFolder?
  private let videoPath: String?
  /// Why the video can't be used; nil if it can or is not needed.
  private var videoFault: String?
  private var timeline: VideoTimeline?
  /// The size of the video's frames, by its path.
  private(set) var videoSizes: [String: SIMD2<Int>] = [:]

  init(
    _ folder: CaptureFolder, manifest: FramesBundleManifest, records: [FramesBundleRecord],
    lineCount: Int, in context: CaptureReadingContext
  ) throws {
    self.folder = folder
    self.context = context
    images = folder.has("images") ? try? CaptureFolder(folder.path(of: "images")) : nil
    videoPath = try? folder.path(ofNamed: manifest.videoName, in: context)
    guard let videoPath, records.contains(where: { (try? file(of: $0)) == nil }) else { return }
    do {
      let video = try VideoReader.shared(videoPath)
      videoSizes[videoPath] = video.size
      timeline = VideoTimeline(
        times: video.times, records: records, lineCount: lineCount,
        isByNumber: manifest.isVideoByNumber)
    } catch let error as ImageError {
      videoFault = "its video can't be used: \(error.message)"
    }
  }

  /// The file of a frame's image; nil if it is in the video.
  private func file(of record: FramesBundleRecord) throws(FrameFault) -> String? {
    if let name = record.imageName {
      if let path = try folder.path(ofNamed: name, in: context) { return path }
      context.didMiss(folder.path(of: name))
      guard videoPath != nil else { throw FrameFault("its image is missing", at: name) }
    }
    for ending in pictureExtensions {
      let name = "\(record.name).\(ending)"
      if let images, images.has(name) { return images.path(of: name) }
    }
    return nil
  }

  /// Selects the video's frames for the lines.
  func announce(_ frames: [Capture.Frame]) throws {
    guard timeline != nil, let videoPath else { return }
    try VideoReader.shared(videoPath).expect(frames.compactMap(\.image.videoIndex))
  }

  /// The image of a frame; nil if it has none.
  func source(of record: FramesBundleRecord) throws(FrameFault) -> Capture.ImageSource? {
    if let path = try file(of: record) { return .file(path) }
    guard let videoPath else { return nil }
    if let videoFault { throw FrameFault(videoFault) }
    guard let timeline else { throw FrameFault("its image is missing") }
    let (index, isOff): (Int, Bool)
    do throws(FrameFault) {
      (index, isOff) = try timeline.picture(of: record)
    } catch {
      guard record.imageName == nil, record.namesDepth else { throw error }
      context.note(record.name, "\(error.reason); only its depth map is used")
      return nil
    }
    if isOff {
      context.note(
        record.name,
        "its timestamp is more than half a frame's duration off its frame in the video")
    }
    return .video(videoPath, index: index)
  }

  /// Whether each of some lines will be found its image in a video.
  ///
  /// - Parameters:
  ///   - lines: All lines of a bundle, with the index of the video's frame; nil for a line whose image is not there.
  ///   - times: Those of the video's frames.
  ///   - isByNumber: Whether numbers are indices of video frames, if the bundle says so.
  package static func finds(
    _ lines: [(text: String, index: Int?)], inVideoAt times: [Double], isByNumber: Bool?
  ) -> Bool {
    let records = lines.enumerated().compactMap { place, line in
      FramesBundleRecord(line: line.text, place: place)
    }
    guard records.count == lines.count else { return false }
    let timeline = VideoTimeline(
      times: times, records: records, lineCount: lines.count, isByNumber: isByNumber)
    return zip(lines, records).allSatisfy { line, record in
      record.imageName != nil || (try? timeline.picture(of: record))?.index == line.index
    }
  }
}
