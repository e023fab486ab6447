import Captures
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
      "Treatment of images: refer to them in place, copy all next to the file, or copy those from other folders."
    )
    package var images = FramePictures.Choice.auto

    package init() {}
  }

  package static let keeps: Set<SceneFeature> = [.frames]
  package static let axes = AxisConvention.declared
  package static let remark = """
    Only cameras, in the mesh's axes and unit, which are given in manifest.json next to it; `frames-bundle` \
    writes all of a capture. Name the file frames.jsonl. Images from a video or an archive are \
    written next to it.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let options = try context.options(of: Self.self)
    let export = try FrameExport(
      of: scene, to: output, as: Self.self, copying: options.images,
      depths: .init(keepsConfidences: true), in: context)
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
    let conventions = FramesBundleManifest(manifest) { _, _ in }
    for (index, entry) in export.entries.enumerated() {
      let line = FramesBundleLine(
        entry.frame, number: index, imageName: entry.imageName, depthName: entry.depthName,
        confidenceName: entry.confidenceName)
      try writer.write(line.text(conventions) + "\n")
    }
    try writer.finish()
  }

  private static let units = [("metre", 1), ("centimetre", 0.01), ("millimetre", 0.001)].map {
    (name: $0.0, meters: $0.1)
  }
}
