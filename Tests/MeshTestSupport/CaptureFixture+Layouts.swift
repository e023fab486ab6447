import Foundation
import MeshPipeline
import NativeLibraries

extension TestCamera {
  /// Camera to world as rows of a rotation, for a camera that looks along +Z with Y down.
  package var openCVRotation: [[Double]] {
    (0..<3).map { [pose.x[$0], -pose.y[$0], -pose.z[$0]] }
  }

  /// World to camera, for a camera that looks along +Z with Y down.
  package var worldToCamera: (rotation: [[Double]], translation: [Double]) {
    let rows = openCVRotation
    let turned = (0..<3).map { column in rows.map { $0[column] } }
    let place = pose.translation
    return (turned, turned.map { -($0[0] * place.x + $0[1] * place.y + $0[2] * place.z) })
  }

  /// The quaternion w, x, y, z of a rotation: the eigenvector of Bar-Itzhack's matrix, by its largest
  /// component.
  package static func quaternion(_ m: [[Double]]) -> [Double] {
    let squares = [
      1 + m[0][0] + m[1][1] + m[2][2], 1 + m[0][0] - m[1][1] - m[2][2],
      1 - m[0][0] + m[1][1] - m[2][2], 1 - m[0][0] - m[1][1] + m[2][2],
    ]
    let largest = squares.indices.max { squares[$0] < squares[$1] } ?? 0
    let sums = [
      [squares[0], m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]],
      [m[2][1] - m[1][2], squares[1], m[1][0] + m[0][1], m[0][2] + m[2][0]],
      [m[0][2] - m[2][0], m[1][0] + m[0][1], squares[2], m[2][1] + m[1][2]],
      [m[1][0] - m[0][1], m[0][2] + m[2][0], m[2][1] + m[1][2], squares[3]],
    ][largest]
    return sums.map { $0 / (2 * squares[largest].squareRoot()) }
  }
}

extension CaptureFixture {
  package static func words(_ numbers: [Double]) -> String {
    numbers.map { String($0) }.joined(separator: " ")
  }

  /// A COLMAP model in text, in `sparse/0`.
  package func writeCOLMAP(
    model: String = "PINHOLE", parameters: [Double]? = nil, images: String = "images",
    pointLines: Bool = true
  ) throws {
    var (cameraText, imageText) = ("# Camera list\n", "# Image list\n\n")
    for (index, camera) in cameras.enumerated() {
      let (f, c) = (camera.focalLength, camera.principalPoint)
      cameraText +=
        "\(index + 1) \(model) 64 48 " + Self.words(parameters ?? [f.x, f.y, c.x, c.y]) + "\n"
      let (rotation, translation) = camera.worldToCamera
      imageText +=
        "\(index + 7) \(Self.words(TestCamera.quaternion(rotation) + translation)) \(index + 1) "
        + "room/frame \(index).png\n"
      // A line of points is empty for an image that saw none.
      if pointLines { imageText += index == 1 ? "\n" : "1.5 2.5 -1 30.1 4 17 5 6 7 8 9.5 1e2\n" }
      try writePicture(camera, to: "\(images)/room/frame \(index).png")
    }
    try folder.write("sparse/0/cameras.txt", cameraText)
    try folder.write("sparse/0/images.txt", imageText)
    try folder.write("sparse/0/rigs.txt", "# Rig list\n1 1 CAMERA 1\n")
  }

  /// The same in binary.
  package func writeBinaryCOLMAP() throws {
    func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }
    func bytes(_ values: [Double]) -> [UInt8] { values.flatMap { bytes($0.bitPattern, 8) } }
    var cameraData = bytes(UInt64(cameras.count), 8)
    var imageData = cameraData
    for (index, camera) in cameras.enumerated() {
      let (f, c) = (camera.focalLength, camera.principalPoint)
      cameraData += bytes(UInt64(index + 1), 4) + bytes(1, 4) + bytes(64, 8) + bytes(48, 8)
      cameraData += bytes([f.x, f.y, c.x, c.y])
      let (rotation, translation) = camera.worldToCamera
      imageData += bytes(UInt64(index + 7), 4)
      imageData += bytes(TestCamera.quaternion(rotation) + translation)
      imageData += bytes(UInt64(index + 1), 4) + Array("\(index).png".utf8) + [0]
      imageData += bytes(2, 8) + bytes([1.5, 2.5]) + bytes(.max, 8) + bytes([3, 4]) + bytes(5, 8)
      try writePicture(camera, to: "images/\(index).png")
    }
    try folder.write("sparse/0/cameras.bin", cameraData)
    try folder.write("sparse/0/images.bin", imageData)
  }

  /// A recording of Stray Scanner.
  package func writeStrayScanner(rowIntrinsics: Bool = false) throws {
    var rows =
      "timestamp, frame, x, y, z, qx, qy, qz, qw" + (rowIntrinsics ? ", fx, fy, cx, cy" : "")
    rows += "\n"
    for (index, camera) in cameras.enumerated() {
      let q = TestCamera.quaternion(camera.openCVRotation)
      let place = camera.pose.translation
      var numbers = [Double(index) / 2, Double(index), place.x, place.y, place.z]
      numbers += [q[1], q[2], q[3], q[0]]
      if rowIntrinsics {
        let center = camera.principalPoint - 0.5
        numbers += [camera.focalLength.x, camera.focalLength.y, center.x, center.y]
      }
      rows += numbers.map { String($0) }.joined(separator: ", ") + "\n"
      try writeDepth(camera, to: "depth/00000\(index).png")
    }
    try folder.write("odometry.csv", rows)
    let matrix = Self.intrinsics(cameras[0], origin: 0)
    try folder.write(
      "camera_matrix.csv",
      rowIntrinsics
        ? "1, 0, 0\n0, 1, 0\n0, 0, 1\n"
        : matrix.map { $0.map { String($0) }.joined(separator: ", ") }.joined(separator: "\n"))
    try folder.write(
      "rgb.mp4", MotionJPEG.avi(of: cameras.map(\.picture), quality: 100))
  }

  /// Polycam's raw export, without a mesh.
  package func writePolycam(corrected: Bool = false) throws {
    let prefix = corrected ? "keyframes/corrected_" : "keyframes/"
    for (index, camera) in cameras.enumerated() {
      let stem = "\(1_000_000 + 500_000 * index)"
      let center = camera.principalPoint - 0.5
      var members: [JSONValue.Member] = [
        .init("fx", JSONValue(.number(camera.focalLength.x))),
        .init("fy", JSONValue(.number(camera.focalLength.y))),
        .init("cx", JSONValue(.number(center.x))), .init("cy", JSONValue(.number(center.y))),
        .init("width", JSONValue(.number(Double(camera.size.x)))),
        .init("height", JSONValue(.number(Double(camera.size.y)))), .init("blur_score", 100),
      ]
      for (row, numbers) in camera.rows.prefix(3).enumerated() {
        for (column, number) in numbers.enumerated() {
          members.append(.init("t_\(row)\(column)", JSONValue(.number(number))))
        }
      }
      try folder.write("\(prefix)cameras/\(stem).json", JSONValue(.object(members)).compactText)
      try writePicture(camera, to: "\(prefix)images/\(stem).jpg")
      try writeDepth(camera, to: "keyframes/depth/\(stem).png")
    }
  }

  /// A recording of Record3D, unpacked; its data is in blocks that are stored as they are.
  package func writeRecord3D(ownIntrinsics: Bool = false) throws {
    func stored(_ bytes: [UInt8]) -> [UInt8] {
      let count = (0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) }
      return Array("bvx-".utf8) + count + bytes + Array("bvx$".utf8)
    }
    var poses: [[Double]] = []
    for (index, camera) in cameras.enumerated() {
      let rotation = camera.rows.prefix(3).map { Array($0.prefix(3)) }
      let q = TestCamera.quaternion(rotation)
      let place = camera.pose.translation
      poses.append([q[1], q[2], q[3], q[0], place.x, place.y, place.z])
      try writePicture(camera, to: "rgbd/\(index).jpg")
      let depths = camera.depths().flatMap { millimeters -> [UInt8] in
        let bits = (Float(millimeters) / 1000).bitPattern
        return (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt32($0))) }
      }
      try folder.write("rgbd/\(index).depth", stored(depths))
      try folder.write("rgbd/\(index).conf", stored([UInt8](repeating: 1, count: 32 * 24)))
    }
    let rows = Self.intrinsics(cameras[0], origin: 0)
    let columns = (0..<3).flatMap { column in rows.map { $0[column] } }
    var members: [JSONValue.Member] = [
      .init("w", 64), .init("h", 48), .init("fps", 60), .init("poses", .rows(poses)),
      .init("K", .array(ownIntrinsics ? [1, 0, 0, 0, 1, 0, 0, 0, 1] : columns)),
    ]
    if ownIntrinsics {
      members.append(
        .init(
          "perFrameIntrinsicCoeffs",
          .rows(poses.map { _ in [rows[0][0], rows[1][1], rows[0][2], rows[1][2]] })))
    }
    try folder.write("metadata", JSONValue(.object(members)).compactText)
  }

  /// What Record3D exports as "EXR + RGB".
  package func writeRecord3DExport() throws {
    try writeRecord3D()
    let metadata = try FileSystem.contents(of: path + "/metadata")
    try folder.write("metadata.json", metadata)
    try FileSystem.removeFile(path + "/metadata")
    try FileSystem.removeFolder(path + "/rgbd")
    for (index, camera) in cameras.enumerated() {
      try writePicture(camera, to: "rgb/\(index).jpg")
      let meters = camera.depths().map { Float($0) / 1000 }
      try folder.write("depth/\(index).exr", Self.exr(meters, width: 32))
    }
  }

  /// An OpenEXR file with one channel `R` of single precision that is not compressed.
  private static func exr(_ values: [Float], width: Int) -> [UInt8] {
    func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
      withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
    func attribute(_ name: String, _ type: String, _ value: [UInt8]) -> [UInt8] {
      var attribute = Array("\(name)\0\(type)\0".utf8)
      attribute += bytes(Int32(value.count))
      attribute += value
      return attribute
    }
    let height = values.count / width
    let corners: [Int32] = [0, 0, Int32(width - 1), Int32(height - 1)]
    let window: [UInt8] = corners.flatMap { bytes($0) }
    var file: [UInt8] = [0x76, 0x2F, 0x31, 0x01, 2, 0, 0, 0]
    var channel: [UInt8] = Array("R\0".utf8)
    channel += [2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0]
    file += attribute("channels", "chlist", channel)
    file += attribute("compression", "compression", [0])
    file += attribute("dataWindow", "box2i", window)
    file += attribute("displayWindow", "box2i", window)
    file += attribute("lineOrder", "lineOrder", [0])
    file += [0]
    let first = file.count + 8 * height
    let block = 8 + 4 * width
    for line in 0..<height { file += bytes(UInt64(first + line * block)) }
    for line in 0..<height {
      file += bytes(Int32(line))
      file += bytes(Int32(4 * width))
      for column in 0..<width { file += bytes(values[line * width + column].bitPattern) }
    }
    return file
  }

  /// A scene of ARKitScenes; every second picture has a pose.
  package func writeARKitScenes() throws {
    var lines = ""
    for (index, camera) in cameras.enumerated() {
      let (rotation, translation) = camera.worldToCamera
      let q = TestCamera.quaternion(rotation)
      let angle = 2 * acos(min(max(q[0], -1), 1))
      let axis = q.dropFirst().map { $0 / sin(angle / 2) * angle }
      lines += Self.words([100.1 * Double(index + 1)] + axis + translation) + "\n"
      let (f, c) = (camera.focalLength, camera.principalPoint - 0.5)
      for (time, hasPose) in [
        (100.1 * Double(index + 1), true), (100.1 * Double(index) + 150, false),
      ] {
        let name = "42_\(String(format: "%.3f", time + (hasPose ? 0.001 : 0)))"
        try writePicture(camera, to: "lowres_wide/\(name).png")
        try writeDepth(camera, to: "lowres_depth/\(name).png")
        try folder.write(
          "lowres_wide_intrinsics/\(name).pincam", Self.words([64, 48, f.x, f.y, c.x, c.y]) + "\n")
      }
    }
    try folder.write("lowres_wide.traj", lines)
  }
}
