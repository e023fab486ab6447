import MeshPipeline

/// What is in a bundle that is written.
package struct FramesBundleContents: Sendable {
  /// Frames with an image, and depth maps without one.
  package var frameCount = 0
  package var depthMapsAlone = 0
  /// The video of the images; nil if they are files.
  package var video: (name: String, size: SIMD2<Int>, isByNumber: Bool)?
  package var hasDepth = false
  package var hasConfidence = false
  /// The mesh that was written; nil if there is none, or the source's own.
  package var meshName: String?
  /// Whether the mesh's files are those of the source.
  package var keepsMesh = false

  package init() {}
}

extension FramesBundleManifest {
  /// The conventions of a bundle that is written.
  ///
  /// - Parameter text: The manifest that the capture was read with; nil if there is none.
  package init(writing text: String?) {
    self.init(text.flatMap(JSONObjectText.init)?.value ?? [:]) { _, _ in }
    self.text = text
  }

  /// The manifest with what is in the bundle, changed in as few places as possible.
  package func text(of contents: FramesBundleContents) -> String {
    guard let text, var object = JSONObjectText(text) else { return json(of: contents).prettyText }
    for key in ["frame_count", "frameCount", "num_frames"] {
      if let number = json[key]?.number, number != Double(contents.frameCount) {
        object.set(key, to: JSONValue(.number(Double(contents.frameCount))))
      }
    }
    // A video that stays is under the name that the manifest has for it.
    if contents.video == nil { object.remove("video") }
    if !contents.keepsMesh {
      object.remove("mesh")
      if let name = contents.meshName { object.set("mesh", to: Self.mesh(name)) }
    }
    return object.text
  }

  private static func json(of video: (name: String, size: SIMD2<Int>, isByNumber: Bool))
    -> JSONValue
  {
    [
      "path": JSONValue(.string(video.name)), "width": JSONValue(.number(Double(video.size.x))),
      "height": JSONValue(.number(Double(video.size.y))),
      "frame_index": JSONValue(.string(video.isByNumber ? "frame_idx" : "timestamp")),
    ]
  }

  private static func mesh(_ name: String) -> JSONValue {
    [
      "path": JSONValue(.string(name)), "unit": "metre",
      "classification": "ARMeshClassification raw value",
    ]
  }

  private func json(of contents: FramesBundleContents) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("schema_version", 1), .init("frames", JSONValue(.string(FramesBundle.index))),
      .init("frame_count", JSONValue(.number(Double(contents.frameCount)))),
      .init("pixel_origin", "the centre of the first pixel is (0, 0)"),
      .init("camera_axes", "+X right, +Y up, looks along -Z"),
      .init("world", ["up": "y", "handedness": "right", "unit": "metre"]),
    ]
    if let video = contents.video { members.append(.init("video", Self.json(of: video))) }
    if contents.hasDepth {
      members.append(
        .init(
          "depth",
          ["dir": "depth", "format": "png16", "unit": "millimetre", "zero": "no reading"]))
    }
    if contents.hasConfidence {
      members.append(
        .init(
          "confidence",
          ["dir": "confidence", "values": ["0": "low", "1": "medium", "2": "high"]]))
    }
    if let name = contents.meshName { members.append(.init("mesh", Self.mesh(name))) }
    return JSONValue(.object(members))
  }
}
