package import MeshPipeline

/// The frames of a capture as a bundle: one line of JSON per frame.
package enum FramesJSONL: Format {
  package static let id = "frames-jsonl"
  package static let name = "Frames bundle"
  package static let extensions = ["jsonl"]
}

extension FramesJSONL: WritableFormat {
  package struct Options: StageParameters {
    @Parameter(
      "Refer to images in place, copy all next to the file, or copy those from other folders."
    )
    package var images = FramePictures.Choice.auto

    package init() {}
  }

  package static let keeps: Set<SceneFeature> = [.frames]
  package static let axes = AxisConvention.declared
  package static let remark = """
    Only cameras, in the mesh's axes and unit, which are given in manifest.json next to it. Name the file \
    frames.jsonl. Images from a video or an archive are \
    written next to it.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let options = try context.options(of: Self.self)
    let export = try FrameExport(
      of: scene, to: output, as: Self.self, copying: options.images,
      depths: .init(keepsConfidences: true), in: context)
    if export.entries.contains(where: { $0.frame.distortion != .none }) {
      context.stage.warn(
        "\(name) can't hold lens distortion, which is lost; write transforms or colmap"
      )
    }
    let unit = units.first { $0.meters == scene.coordinateSystem.metersPerUnit }?.name
    if unit == nil {
      context.stage.warn(
        "\(name) requires metres, but the scene's unit is \(scene.coordinateSystem.metersPerUnit) m: "
          + "put 'convert-axes' with unit=m before it")
    }
    let manifest: JSONValue = [
      "pixel_origin": "the centre of the first pixel is (0, 0)",
      "camera_axes": "+X right, +Y up, looks along -Z",
      "world": [
        "up": JSONValue(.string(scene.coordinateSystem.up.rawValue)),
        "handedness": "right", "unit": JSONValue(.string(unit ?? "metre")),
      ],
      "depth": ["unit": "millimetre"],
    ]
    let side = try FileWriter(creating: output.sidePath("manifest.json"), in: context.stage)
    try side.write(manifest.prettyText)
    try side.finish()
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    for (index, entry) in export.entries.enumerated() {
      try writer.write(json(of: entry, index: index).compactText + "\n")
    }
    try writer.finish()
  }

  private static let units = [("metre", 1), ("centimetre", 0.01), ("millimetre", 0.001)].map {
    (name: $0.0, meters: $0.1)
  }

  private static func json(of entry: FrameExport.Entry, index: Int) -> JSONValue {
    func number(_ value: Double) -> JSONValue { JSONValue(.number(value)) }
    let frame = entry.frame
    let focal = frame.intrinsics.focalLength
    let center = frame.intrinsics.principalPoint - 0.5
    var members: [JSONValue.Member] = [
      .init("frame_idx", number(Double(index))),
      .init("name", JSONValue(.string(frame.name))),
      .init("resolution", .numbers([Double(frame.imageSize.x), Double(frame.imageSize.y)])),
      .init("intrinsics", .rows([[focal.x, 0, center.x], [0, focal.y, center.y], [0, 0, 1]])),
      .init("intrinsics_convention", "ARKit_pixels"),
      .init("camera_in_world_4x4", .numbers(frame.poseRows.flatMap(\.self))),
      .init("rgb_path", JSONValue(.string(entry.imageName))),
    ]
    if let time = frame.timestamp, time.isFinite {
      members.append(.init("timestamp", number(time)))
    }
    if let state = frame.tracking {
      members.append(.init("tracking_state", JSONValue(.string(state.rawValue))))
    }
    var exposure: [JSONValue.Member] = []
    if let duration = frame.exposure?.duration {
      exposure.append(.init("duration", number(duration)))
    }
    if let iso = frame.exposure?.iso { exposure.append(.init("iso", number(iso))) }
    if !exposure.isEmpty { members.append(.init("exposure", JSONValue(.object(exposure)))) }
    if let name = entry.depthName { members.append(.init("depth_path", JSONValue(.string(name)))) }
    if let name = entry.confidenceName {
      members.append(.init("confidence_path", JSONValue(.string(name))))
    }
    return JSONValue(.object(members))
  }
}
