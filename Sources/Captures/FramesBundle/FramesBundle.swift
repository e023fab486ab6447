package import MeshPipeline

/// A bundle with one line of JSON per frame, with a video or images, depth maps and the mesh.
package enum FramesBundle: CaptureLayout {
  package static let id = "frames-bundle"
  package static let summary =
    "A folder with `frames.jsonl`, one line of JSON per frame; images are in `images/` or in "
    + "`video.mov`, depth maps in `depth/`."
  package static let indexNames = ["frames.jsonl", "manifest.json"]

  package static let index = "frames.jsonl"

  package static func isPresent(in folder: CaptureFolder) -> Bool { folder.has(index) }

  package static func missingName(in folder: CaptureFolder) -> String? {
    // A manifest alone could belong to anything.
    let isLikely =
      folder.has(FramesBundleChecksums.name)
      || (folder.has("video.mov") || folder.has("manifest.json")) && folder.has("depth")
    return !folder.has(index) && isLikely ? index : nil
  }

  package static func read(
    _ folder: CaptureFolder, in context: CaptureReadingContext
  ) throws -> CapturedScan {
    let manifest = try FramesBundleManifest(folder, context)
    let hashed = try FramesBundleChecksums.verify(folder, in: context)
    let path = folder.path(of: index)
    let lines = try context.contents(of: path)
      .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    var records: [FramesBundleRecord] = []
    var names: Set<String> = []
    var lineCount = 0
    for (number, line) in lines.enumerated() {
      try context.checkCancellation()
      if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { continue }
      lineCount += 1
      do throws(CaptureError) {
        let json = try JSONReader.captureValue(of: Array(line), file: index, line: number + 1)
        let record = FramesBundleRecord(
          json: json, text: String(decoding: line, as: UTF8.self), place: lineCount - 1)
        if names.insert(record.name).inserted {
          records.append(record)
        } else {
          context.leaveOut(record.name, because: "an earlier line has the same frame_idx")
        }
      } catch {
        context.leaveOut(
          "\(index):\(error.position.line):\(error.position.column)",
          because: "the line is not valid JSON: \(error.reason)")
      }
    }
    let pictures = try FramesBundlePictures(
      folder, manifest: manifest, records: records, lineCount: lineCount, in: context)
    var scan = CapturedScan(
      capture: Capture(), coordinateSystem: manifest.coordinateSystem,
      convention: PoseConvention(axes: manifest.cameraAxes))
    scan.videoSizes = pictures.videoSizes
    for record in records {
      do throws(FrameFault) {
        let image = try pictures.source(of: record)
        let frame = try record.frame(
          manifest: manifest, image: image, usualSize: pictures.videoSizes.first?.value,
          folder: folder, in: context)
        if image != nil {
          scan.capture.frames.append(frame)
        } else if let depthFrame = frame.depthFrame {
          scan.capture.depthFrames.append(depthFrame)
        } else {
          throw FrameFault("it has no rgb_path, and there is no '\(manifest.videoName)'")
        }
        if record.isByColumns { scan.framesByColumns.insert(record.name) }
      } catch {
        context.leaveOut(record.name, because: error.reason, at: error.path)
      }
    }
    try pictures.announce(scan.capture.frames)
    scan.capture.origin = FramesBundleFiles(folder, manifest, records, hashed: hashed).origin
    scan.capture.origin?.recipe =
      FramesBundleRecipe(
        manifest.json, path: folder.path(of: FramesBundleManifest.name), records)?.recipe
    return scan
  }
}
