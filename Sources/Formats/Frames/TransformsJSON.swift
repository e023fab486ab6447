import Captures
package import MeshPipeline

/// The cameras of a capture for nerfstudio, instant-ngp and splat trainers: `transforms.json`.
package enum TransformsJSON: Format {
  package static let id = "transforms"
  package static let name = "Camera transforms (nerfstudio)"
  package static let extensions = ["json"]
}

extension TransformsJSON: WritableFormat {
  package struct Options: StageParameters {
    @Parameter(
      "Treatment of images: refer to them in place, copy all next to the file, or copy those from other folders."
    )
    package var images = FramePictures.Choice.refer

    package init() {}
  }

  package static let keeps: Set<SceneFeature> = [.frames]
  package static let axes = AxisConvention.declared
  package static let remark = """
    Only cameras, in the mesh's axes and unit. Name the file transforms.json. Images from a video \
    or an archive are written next to it.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let options = try context.options(of: Self.self)
    let scale = depthScale(of: scene)
    let export = try FrameExport(
      of: scene, to: output, as: Self.self, copying: options.images,
      depths: scale.map { .init(metersPerUnit: $0) }, in: context)
    // nerfstudio reads the model from the root, and coefficients per frame.
    let models = Set(export.entries.map { model(of: $0.frame.distortion) })
    guard models.isSubset(of: ["OPENCV_FISHEYE"]) || !models.contains("OPENCV_FISHEYE") else {
      throw UnwritableScene.nothingToWrite(
        format: name, holds: "frames of which either all or none have fisheye lenses")
    }
    let shared = models.count == 1 ? models.first : "FULL_OPENCV"
    var members: [JSONValue.Member] = [
      .init("camera_model", JSONValue(.string(shared ?? "OPENCV")))
    ]
    if let scale { members.append(.init("depth_unit_scale_factor", number(scale))) }
    let frames = export.entries.map { json(of: $0) }
    members.append(.init("frames", JSONValue(.array(frames))))
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try writer.write(JSONValue(.object(members)).prettyText)
    try writer.finish()
  }

  private static func number(_ value: Double) -> JSONValue { JSONValue(.number(value)) }

  private static func model(of distortion: Capture.Distortion) -> String {
    switch distortion {
    case .fisheye: "OPENCV_FISHEYE"
    case .radialTangential(_, let denominator, _) where denominator != .zero: "FULL_OPENCV"
    case .none, .radialTangential: "OPENCV"
    }
  }

  /// Metres per unit in depth maps, as in the first PNG: the file has one value for all.
  private static func depthScale(of scene: Scene) -> Double? {
    let encodings = scene.capture?.frames.compactMap { $0.depth?.encoding } ?? []
    let scales = encodings.lazy.compactMap { encoding in
      if case .png16(let scale) = encoding { scale } else { nil }
    }
    return encodings.isEmpty ? nil : scales.first ?? 0.001
  }

  private static func json(of entry: FrameExport.Entry) -> JSONValue {
    let frame = entry.frame
    let (focal, center) = (frame.intrinsics.focalLength, frame.intrinsics.principalPoint)
    var members: [JSONValue.Member] = [
      .init("file_path", JSONValue(.string(entry.imageName))),
      .init("fl_x", number(focal.x)), .init("fl_y", number(focal.y)),
      // The centre of the first pixel is (0.5, 0.5) in both.
      .init("cx", number(center.x)), .init("cy", number(center.y)),
      .init("w", number(Double(frame.imageSize.x))), .init("h", number(Double(frame.imageSize.y))),
    ]
    members += coefficients(of: frame.distortion)
    members.append(.init("transform_matrix", frame.pose.cameraToWorldRows().json))
    if let name = entry.depthName {
      members.append(.init("depth_file_path", JSONValue(.string(name))))
    }
    if let name = entry.maskName { members.append(.init("mask_path", JSONValue(.string(name)))) }
    if let time = frame.timestamp, time.isFinite {
      members.append(.init("timestamp", number(time)))
    }
    return JSONValue(.object(members))
  }

  private static func coefficients(of distortion: Capture.Distortion) -> [JSONValue.Member] {
    switch distortion {
    case .none: []
    case .fisheye(let k): (0..<4).map { .init("k\($0 + 1)", number(k[$0])) }
    case .radialTangential(let k, let d, let t):
      (0..<3).map { .init("k\($0 + 1)", number(k[$0])) }
        + (d == .zero ? [] : (0..<3).map { .init("k\($0 + 4)", number(d[$0])) })
        + [.init("p1", number(t.x)), .init("p2", number(t.y))]
    }
  }
}
