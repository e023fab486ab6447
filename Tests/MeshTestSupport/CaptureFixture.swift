import MeshPipeline
import NativeLibraries
import Testing

/// A capture of the box room in a folder of its own, in any layout.
package struct CaptureFixture {
  package let folder: TemporaryFolder
  package var cameras = TestCamera.several

  package init() throws { folder = try TemporaryFolder() }

  package var path: String { folder.path }

  /// Three rows of intrinsics; `origin` is 0 where the first pixel's centre is at whole numbers.
  package static func intrinsics(_ camera: TestCamera, origin: Double) -> [[Double]] {
    let center = camera.principalPoint - (0.5 - origin)
    return [[camera.focalLength.x, 0, center.x], [0, camera.focalLength.y, center.y], [0, 0, 1]]
  }

  package func writeMesh(_ name: String) throws { try folder.write(name, BoxRoom.obj) }

  package func writePicture(_ camera: TestCamera, to name: String) throws {
    try folder.write(
      name,
      name.hasSuffix(".png")
        ? PNG.encode(camera.picture) : JPEG.encode(camera.picture, quality: 100))
  }

  package func writeDepth(_ camera: TestCamera, to name: String) throws {
    try folder.write(name, PNG.encodeGray16(camera.depths(), width: 32, height: 24))
  }

  // MARK: Layouts

  /// A line of `frames.jsonl`.
  package static func record(
    _ index: Int, _ camera: TestCamera, origin: Double = 0, picture: String? = nil
  ) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("frame_idx", JSONValue(.number(Double(index)))),
      .init("timestamp", JSONValue(.number(Double(index) * 0.5))),
      .init("resolution", .array([Double(camera.size.x), Double(camera.size.y)])),
      .init("intrinsics", .rows(intrinsics(camera, origin: origin))),
      .init("camera_in_world_4x4", .array(camera.rows.flatMap(\.self))),
      .init("tracking_state", "normal"),
      .init("depth_path", JSONValue(.string("depth/frame_00000\(index).png"))),
      .init("exposure", ["duration": 0.01, "iso": 200]),
    ]
    if let picture { members.append(.init("rgb_path", JSONValue(.string(picture)))) }
    return JSONValue(.object(members))
  }

  /// A frames bundle with pictures in `images/`.
  package func writeFramesBundle(origin: Double = 0, manifest: String? = nil) throws {
    var lines = ""
    for (index, camera) in cameras.enumerated() {
      lines += Self.record(index, camera, origin: origin).compactText + "\n"
      try writePicture(camera, to: "images/frame_00000\(index).png")
      try writeDepth(camera, to: "depth/frame_00000\(index).png")
    }
    try folder.write("frames.jsonl", lines)
    if let manifest { try folder.write("manifest.json", manifest) }
    try writeMesh("mesh.obj")
  }

  /// The 3D Scanner App's "All data"; every second frame has a picture.
  package func writeScannerApp() throws {
    for (index, camera) in cameras.enumerated() {
      for (number, hasPicture) in [(2 * index, true), (2 * index + 1, false)] {
        let json: JSONValue = [
          "intrinsics": .array(Self.intrinsics(camera, origin: 0).flatMap(\.self)),
          "cameraPoseARFrame": .array(camera.rows.flatMap(\.self)),
          "time": JSONValue(.number(Double(number))), "exposureDuration": 0.02,
        ]
        try folder.write("frame_0000\(number).json", json.compactText)
        try writeDepth(camera, to: "depth_0000\(number).png")
        if hasPicture { try writePicture(camera, to: "frame_0000\(number).jpg") }
      }
    }
    try writeMesh("export.obj")
  }

  /// nerfstudio's file; `extra` goes into its root.
  package func writeTransforms(
    origin: Double = 0.5, ending: String = ".png", extra: [JSONValue.Member] = []
  ) throws {
    var frames: [JSONValue] = []
    for (index, camera) in cameras.enumerated() {
      frames.append([
        "file_path": JSONValue(.string("images/\(index)\(ending)")),
        "transform_matrix": .rows(camera.rows),
        "depth_path": JSONValue(.string("depth/\(index).png")),
      ])
      try writePicture(camera, to: "images/\(index).png")
      try writeDepth(camera, to: "depth/\(index).png")
    }
    let camera = cameras[0]
    let center = camera.principalPoint - (0.5 - origin)
    let root: [JSONValue.Member] = [
      .init("w", JSONValue(.number(Double(camera.size.x)))),
      .init("h", JSONValue(.number(Double(camera.size.y)))),
      .init("fl_x", JSONValue(.number(camera.focalLength.x))),
      .init("fl_y", JSONValue(.number(camera.focalLength.y))),
      .init("cx", JSONValue(.number(center.x))), .init("cy", JSONValue(.number(center.y))),
    ]
    let file = JSONValue(.object(root + extra + [.init("frames", JSONValue(.array(frames)))]))
    try folder.write("transforms.json", file.prettyText)
  }

  /// Replaces all occurrences of some texts in a file.
  package func replace(_ changes: [(old: String, new: String)], in name: String) throws {
    var text = String(decoding: try FileSystem.contents(of: "\(path)/\(name)"), as: UTF8.self)
    for change in changes {
      text = text.split(separator: change.old, omittingEmptySubsequences: false)
        .joined(separator: change.new)
    }
    try folder.write(name, text)
  }
}

extension JSONValue {
  package static func array(_ numbers: [Double]) -> JSONValue {
    JSONValue(.array(numbers.map { JSONValue(.number($0)) }))
  }

  package static func rows(_ rows: [[Double]]) -> JSONValue {
    JSONValue(.array(rows.map { array($0) }))
  }
}

/// Expects that the cameras, as they were read, see in the room what their pictures and depth maps show.
///
/// A shift by half a pixel is more than twice as bad as what is allowed.
package func expectPicturesFit(
  _ scan: CapturedScan, tolerance: Double = 0.6, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  for frame in scan.capture.frames {
    let image = try frame.loadImage()
    #expect(image.size == frame.imageSize, sourceLocation: sourceLocation)
    let camera = Camera(frame)
    var (sum, count) = (0.0, 0.0)
    for y in 0..<image.height {
      for x in 0..<image.width {
        let ray = camera.ray(through: SIMD2(Float(x) + 0.5, Float(y) + 0.5))
        let point = BoxRoom.hit(from: SIMD3(camera.position), along: SIMD3(ray)).point
        let expected = BoxRoom.color(of: point)
        for channel in 0..<3 {
          let color = Double(image.pixels[3 * (y * image.width + x) + channel])
          sum += (color - expected[channel]) * (color - expected[channel])
          count += 1
        }
      }
    }
    let error = (sum / count).squareRoot()
    #expect(error < tolerance, "frame \(frame.name)", sourceLocation: sourceLocation)
  }
  for frame in scan.capture.allDepthFrames { try expectDepthFits(frame, sourceLocation) }
}

private func expectDepthFits(
  _ frame: Capture.DepthFrame, _ sourceLocation: SourceLocation
) throws {
  let depth = try frame.depth.load()
  let camera = Camera(frame, size: depth.size)
  for y in 0..<depth.height {
    for x in 0..<depth.width {
      let ray = camera.ray(through: SIMD2(Float(x) + 0.5, Float(y) + 0.5))
      let distance = BoxRoom.hit(from: SIMD3(camera.position), along: SIMD3(ray)).distance
      let measured = Double(depth.meters[y * depth.width + x])
      guard abs(measured - distance) > 0.002 else { continue }
      Issue.record(
        "frame \(frame.name): depth \(measured) at \(x) \(y) instead of \(distance)",
        sourceLocation: sourceLocation)
      return
    }
  }
}
