import Foundation
import MeshPipeline
import MeshTestSupport

/// Small scans and pipelines that tests write into a folder.
extension TemporaryFolder {
  /// A unit square in the XZ plane of `cells` times `cells` cells, as OBJ; each row is a class.
  func writeScan(_ name: String = "scan.obj", cells: Int = 4, materials: String? = nil) throws {
    var text = materials.map { "mtllib \($0)\n" } ?? ""
    for z in 0...cells {
      for x in 0...cells {
        text += "v \(Double(x) / Double(cells)) 0 \(Double(z) / Double(cells))\n"
      }
    }
    text += "vt 0 0\nvt 1 0\nvt 0 1\n"
    for z in 0..<cells {
      text += "g \(z % 2 == 0 ? "floor" : "wall")\n" + (materials == nil ? "" : "usemtl paint\n")
      for x in 0..<cells {
        let a = z * (cells + 1) + x + 1
        let b = a + cells + 1
        text += "f \(a)/1 \(b)/2 \(a + 1)/3\nf \(a + 1)/1 \(b)/2 \(b + 1)/3\n"
      }
    }
    try write(text, to: name)
  }

  /// A pipeline of one stage for each text of `stages`, with outputs at the paths.
  func writePipeline(
    _ name: String = "pipeline.json", stages: [String] = [#"{ "use": "weld" }"#],
    outputs: [String] = ["${stem}.glb"]
  ) throws {
    let outputs = outputs.map { "{ \"path\": \"\($0)\" }" }.joined(separator: ", ")
    try write(
      """
      {
        "meshpipe": 1,
        "stages": [
          \(stages.joined(separator: ",\n    "))
        ],
        "outputs": [\(outputs)]
      }

      """, to: name)
  }

  /// A folder with a frames bundle `room/` that has depth maps only.
  static func withMeshlessBundle() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let capture = try SyntheticCapture { options in
      options.frameCount = 6
      options.size = SIMD2(16, 12)
      options.samples = 1
    }
    try folder.writeBundle(of: capture, hasPictures: false)
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("room/mesh.obj"))
    return folder
  }

  /// A frames bundle `room/` of a made capture: `frames.jsonl`, depth maps and `mesh.obj`.
  ///
  /// - Parameters:
  ///   - hasPictures: Whether each frame has its picture, `images/INDEX.png`.
  ///   - posing: The pose that is written for a frame, from its index and its own pose.
  func writeBundle(
    of capture: SyntheticCapture, hasPictures: Bool, moving mesh: Transform = .identity,
    posing: (Int, Transform) -> Transform = { $1 }
  ) throws {
    var lines = ""
    for (index, frame) in capture.frames.enumerated() {
      let (focal, center) = (frame.intrinsics.focalLength, frame.intrinsics.principalPoint - 0.5)
      let pose = posing(index, frame.pose)
      let rows = (0..<3).map { row in
        "[\(pose.x[row]), \(pose.y[row]), \(pose.z[row]), \(pose.translation[row])]"
      }
      var depth = ""
      if let source = frame.depth {
        try copy(source.path, to: "room/depth/\(index).png")
        depth = #", "depth_path": "depth/\#(index).png""#
      }
      if hasPictures { try copy(frame.image.path, to: "room/images/\(index).png") }
      let picture = hasPictures ? #", "rgb_path": "images/\#(index).png""# : ""
      lines += """
        {"frame_idx": \(index), "timestamp": \(index).0, \
        "resolution": [\(frame.imageSize.x), \(frame.imageSize.y)], \
        "intrinsics": [[\(focal.x), 0, \(center.x)], [0, \(focal.y), \(center.y)], [0, 0, 1]], \
        "camera_in_world_4x4": [\(rows.joined(separator: ", ")), [0, 0, 0, 1]]\
        \(picture)\(depth)}

        """
    }
    try write(lines, to: "room/frames.jsonl")
    var moved = capture.scene
    moved.capture = nil
    moved.apply(mesh)
    let mesh = moved.meshes[0]
    var text = ""
    for place in mesh.positions { text += "v \(place.x) \(place.y) \(place.z)\n" }
    for face in 0..<mesh.faceCount {
      let (a, b, c) = mesh.vertices(ofFace: face)
      text += "f \(a + 1) \(b + 1) \(c + 1)\n"
    }
    try write(text, to: "room/mesh.obj")
  }

  /// A frames bundle `room/` of two frames with images of one pixel, and `mesh.obj`.
  func writeSmallBundle() throws {
    let lines = (0..<2).map { index in
      #"{"frame_idx": \#(index), "resolution": [1, 1], "intrinsics": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "#
        + #""camera_in_world_4x4": [1, 0, 0, 0, 0, 1, 0, 2, 0, 0, 1, 0, 0, 0, 0, 1], "mine": 1.0}"#
        + "\n"
    }
    try write(lines.joined(), to: "room/frames.jsonl")
    try FileManager.default.createDirectory(
      atPath: path + "/room/images", withIntermediateDirectories: true)
    for index in 0..<2 { try writePicture("room/images/frame_00000\(index).png") }
    try writeScan("room/mesh.obj")
  }

  /// A picture of one pixel.
  func writePicture(_ name: String, white: Bool = true) throws {
    let base64 =
      white
      ? "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mP4DwABAQEAHLCMmQAAAABJRU5ErkJggg=="
      : "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNgAAAAAgAB5Sfe/AAAAABJRU5ErkJggg=="
    try (Data(base64Encoded: base64) ?? Data()).write(to: url.appendingPathComponent(name))
  }
}

extension URL {
  /// Writes the plugin that behaves in one of many ways, with one stage, into this folder.
  func writeBadPlugin(
    _ way: String, stage: String = "go-wrong", program: String = "bad.py", limits: String? = nil
  ) throws {
    try FileManager.default.copyItem(
      atPath: Checkout.path("Tests/BadPlugins/bad.py"),
      toPath: appendingPathComponent(program).path)
    try Data(
      """
      { "meshpipePlugin": 1, "name": "bad", "version": "1", "protocol": 1,
        "interpreter": ["python3"], "executable": "\(program)", "arguments": ["\(way)"],
        \(limits.map { "\"limits\": \($0)," } ?? "")
        "stages": [ { "name": "\(stage)", "summary": "Goes its own way." } ] }
      """.utf8
    ).write(to: appendingPathComponent("bad.meshpipe-plugin.json"))
  }
}
