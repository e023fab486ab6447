package import MeshPipeline

/// The cameras of a capture as a COLMAP text model, with points of the mesh.
///
/// https://colmap.github.io/format.html
package enum COLMAPModel: Format {
  package static let id = "colmap"
  package static let name = "COLMAP model"
  package static let extensions = ["txt"]
}

extension COLMAPModel: WritableFormat {
  package struct Options: StageParameters {
    @Parameter(
      "Treatment of images: refer to them in place, copy all next to the file, or copy those from other folders."
    )
    package var images = FramePictures.Choice.refer

    @Parameter(
      "Maximum number of vertices to write as points, to initialise splats.", in: 0...10_000_000)
    package var points = 100_000

    package init() {}
  }

  package static let keeps: Set<SceneFeature> = [.frames]
  package static let axes = AxisConvention.declared
  package static let remark = """
    Cameras in the mesh's axes and unit, and vertices of the mesh as points. Name the file images.txt; \
    cameras.txt and points3D.txt are written next to it. Its folder is the image_path.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let options = try context.options(of: Self.self)
    let export = try FrameExport(
      of: scene, to: output, as: Self.self, copying: options.images, depths: nil,
      in: context)
    if output.mainFileName != "images.txt" {
      context.stage.warn("COLMAP finds the model only if the file is named images.txt")
    }
    var cameras: [String] = []
    var numbers: [String: Int] = [:]
    var images =
      "# IMAGE_ID, QW, QX, QY, QZ, TX, TY, TZ, CAMERA_ID, NAME; a line of points follows\n"
    for (index, entry) in export.entries.enumerated() {
      let camera = line(of: entry.frame)
      if numbers[camera] == nil {
        cameras.append(camera)
        numbers[camera] = cameras.count
      }
      let (rotation, place) = entry.frame.worldToCamera
      let pose = (rotation + [place.x, place.y, place.z]).map { JSONValue.text(of: $0) }
      images += "\(index + 1) \(pose.joined(separator: " ")) \(numbers[camera] ?? 1) "
      images += "\(entry.imageName)\n\n"
    }
    var list = "# CAMERA_ID, MODEL, WIDTH, HEIGHT, PARAMS[]\n"
    for (index, camera) in cameras.enumerated() { list += "\(index + 1) \(camera)\n" }
    try write(list, to: output.sidePath("cameras.txt"), context)
    try write(
      points(of: scene, atMost: options.points), to: output.sidePath("points3D.txt"), context)
    try write(images, to: output.mainPath, context)
  }

  private static func write(_ text: String, to path: String, _ context: WritingContext) throws {
    let writer = try FileWriter(creating: path, in: context.stage)
    try writer.write(text)
    try writer.finish()
  }

  /// Model, size and parameters.
  private static func line(of frame: Capture.Frame) -> String {
    let (focal, center) = (frame.intrinsics.focalLength, frame.intrinsics.principalPoint)
    var parameters = [focal.x, focal.y, center.x, center.y]
    let model: String
    switch frame.distortion {
    case .none: model = "PINHOLE"
    case .fisheye(let k):
      model = "OPENCV_FISHEYE"
      parameters += [k.x, k.y, k.z, k.w]
    case .radialTangential(let k, let d, let t):
      let isShort = k.z == 0 && d == .zero
      model = isShort ? "OPENCV" : "FULL_OPENCV"
      parameters += [k.x, k.y, t.x, t.y] + (isShort ? [] : [k.z, d.x, d.y, d.z])
    }
    let numbers = parameters.map { JSONValue.text(of: $0) }.joined(separator: " ")
    return "\(model) \(frame.imageSize.x) \(frame.imageSize.y) \(numbers)"
  }

  /// Every n-th vertex and point, with its colour.
  private static func points(of scene: Scene, atMost limit: Int) -> String {
    let sources =
      scene.meshes.map { ($0.positions, $0.vertexColors) }
      + scene.pointClouds.map { ($0.positions, $0.colors) }
    let count = sources.reduce(0) { $0 + $1.0.count }
    var text = "# POINT3D_ID, X, Y, Z, R, G, B, ERROR, TRACK[]\n"
    guard limit > 0, count > 0 else { return text }
    let step = (count + limit - 1) / limit
    var (next, number) = (0, 1)
    for (positions, colors) in sources {
      while next < positions.count {
        let p = positions[next]
        let color = colors?[next] ?? Color(red: 128, green: 128, blue: 128)
        if p.isFinite {
          text += "\(number) \(p.x) \(p.y) \(p.z) \(color.red) \(color.green) \(color.blue) 0\n"
          number += 1
        }
        next += step
      }
      next -= positions.count
    }
    return text
  }
}
