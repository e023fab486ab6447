import Captures
import MeshPipeline

/// The README of a bundle: what is in it, and by which conventions.
struct BundleNotes {
  private let entries: [BundleEntry]
  private let contents: FramesBundleContents
  private let manifest: FramesBundleManifest
  private let attachments: [String]

  init(
    _ entries: [BundleEntry], _ contents: FramesBundleContents, _ manifest: FramesBundleManifest,
    attachments: [String]
  ) {
    self.entries = entries
    self.contents = contents
    self.manifest = manifest
    self.attachments = attachments
  }

  /// The text, in Markdown.
  var text: String {
    """
    # Frames bundle

    \(counts)

    ## Files

    \(files.map { "- \($0)" }.joined(separator: "\n"))

    ## Conventions

    \(conventions.map { "- \($0)" }.joined(separator: "\n"))

    `meshpipe info .` shows what the bundle contains, and `meshpipe verify .` compares all files with their hashes.

    """
  }

  private var counts: String {
    let images = entries.count - contents.depthMapsAlone
    var parts = ["\(images) frame\(images == 1 ? "" : "s") with an image"]
    if contents.depthMapsAlone > 0 {
      parts.append(
        "\(contents.depthMapsAlone) depth map\(contents.depthMapsAlone == 1 ? "" : "s") without one"
      )
    }
    return parts.joined(separator: " and ") + "."
  }

  private var files: [String] {
    var lines = [
      "`frames.jsonl`: one line of JSON per frame, with its camera and the names of its files."
    ]
    if entries.contains(where: { $0.line.imageName != nil }) {
      lines.append(
        "Images: the file `rgb_path` of a line; without one, `images/frame_NNNNNN` with the number `frame_idx`."
      )
    }
    if let video = contents.video {
      lines.append(
        "`\(video.name)`: the images, \(video.size.x) x \(video.size.y); "
          + (video.isByNumber
            ? "`frame_idx` counts its frames from 0." : "`timestamp` finds a line's frame."))
    }
    if contents.hasDepth { lines.append("Depth maps: the file `depth_path` of a line.") }
    if contents.hasConfidence {
      lines.append(
        "Confidences: the file `confidence_path` of a line; without one, that in `confidence/` named like its depth map."
      )
    }
    if let name = contents.meshName {
      lines.append("`\(name)`: the mesh, Y-up in metres.")
    }
    if !attachments.isEmpty {
      let names = attachments.prefix(8).map { "`\($0)`" }.joined(separator: ", ")
      lines.append("As the source had them: \(names)\(attachments.count > 8 ? ", …" : "").")
    }
    lines.append(
      "`manifest.json`: the conventions for programs; `manifest.sha256.json`: the SHA-256 of every file."
    )
    return lines
  }

  private var conventions: [String] {
    let unit = manifest.coordinateSystem.metersPerUnit
    var lines = [
      "`camera_in_world_4x4` maps the camera to the world, row by row; the world has "
        + "\(manifest.coordinateSystem.up.rawValue) up, is right-handed, and its unit is \(JSONValue.text(of: unit)) m.",
      manifest.cameraAxes == .openGL
        ? "The camera has +X right, +Y up, and looks along -Z."
        : "The camera has +X right, +Y down, and looks along +Z.",
      "`intrinsics` are in pixels of an image of `resolution`, row by row, with the origin at the top left; "
        + (manifest.pixelOrigin == .corner
          ? "the centre of the first pixel is (0.5, 0.5)."
          : "the centre of the first pixel is (0, 0)."),
      "Images are stored as the sensor took them, usually landscape.",
    ]
    if entries.contains(where: { $0.frame.distortion != .none }) {
      lines.append("`distortion` has the coefficients of OpenCV's models.")
    }
    if contents.hasDepth {
      lines.append(
        "A depth map is a grey PNG of 16 bits with the distance from the camera's plane; 1 is "
          + "\(JSONValue.text(of: manifest.metersPerDepthUnit)) m, 0 nothing measured. It shows what the image shows."
      )
    }
    if contents.hasConfidence {
      lines.append("A confidence is 0 (low), 1 (medium) or 2 (high), in a grey PNG of 8 bits.")
    }
    lines.append("Times are in seconds on the clock of the capture.")
    return lines
  }
}
