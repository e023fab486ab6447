import Foundation
import MeshPipeline
import MeshTestSupport

/// Makes the pictures of the documentation with the command itself, from the sample scan.
final class PictureStudio: Sendable {
  private let folder: TemporaryFolder
  private let command: String

  /// - Parameters:
  ///   - command: The meshpipe to take.
  ///   - hasCaptures: Whether pictures of captures will be made; their photographs take a minute.
  init(command: String, hasCaptures: Bool) throws {
    folder = try TemporaryFolder()
    self.command = command
    let scan = try Scan(at: Checkout.sample)
    try FileManager.default.copyItem(atPath: Checkout.sample, toPath: folder.path + "/room.obj")
    try FileManager.default.copyItem(
      atPath: Checkout.sampleRoom, toPath: folder.path + "/room.room.json")
    try folder.write("axes.obj", Self.axes)
    try folder.write("flipped.obj", Self.flipped(scan))
    try folder.write("loose.ply", Self.loose(scan))
    try folder.write("features.xyz", Self.features(scan))
    try folder.write("apart.json", Self.pipeline(Self.apart))
    try folder.write("halves.json", Self.pipeline(Self.halves))
    guard hasCaptures else { return }
    let photographs = try RoomPhotographs(of: scan)
    try photographs.write(to: folder.path + "/room", count: 24)
    try photographs.write(to: folder.path + "/colored", count: 24)
    try photographs.writeDepths(to: folder.path + "/colored", count: 24)
    try photographs.writeDepths(to: folder.path + "/depths", count: 48)
    try photographs.write(
      to: folder.path + "/circled", count: 12, around: SIMD3(-0.82, -1.05, 0.2))
    try photographs.writePhotographs(
      to: folder.path + "/photos", count: 24, around: SIMD3(-0.82, -1.05, 0.2))
    try photographs.write(
      to: folder.path + "/hand-held", count: 24, error: 0.04, shaken: [5, 11, 16, 22])
  }

  /// Makes a picture.
  ///
  /// - Throws: ``ProgramFailure`` with what the command said.
  func take(_ shot: Shot, to path: String) throws {
    try FileSystem.createFolder(FileSystem.folder(of: path))
    if shot.model.hasSuffix(".jpg") {
      try Data(contentsOf: URL(filePath: folder.path + "/" + shot.model))
        .write(to: URL(filePath: path))
      return
    }
    let size = shot.look.contains("--size") ? "" : "--size 296x222"
    // A folder for each, so that several can be made at the same time.
    let place = try TemporaryFolder()
    let steps =
      shot.isDrawing
      ? """
      meshpipe run \(shot.model)
      cp *.svg "$PICTURE"
      """
      : """
      meshpipe run \(shot.model) -o made.\(Self.fileType(of: shot))
      meshpipe preview made.* --background white \(size) \(shot.look) -o "$PICTURE"
      """
    let script = "ln -s \"$STUDIO\"/* .\n" + steps
    let run = try Program.run(
      "/bin/sh", ["-ec", script], in: place.path,
      environment: [
        "STUDIO": folder.path, "PICTURE": path,
        "MESHPIPE_PIPELINE_PATH": Checkout.path("pipelines"),
        "PATH": FileSystem.folder(of: command) + ":/usr/bin:/bin",
      ])
    guard run.status == 0 else { throw ProgramFailure(run) }
  }

  /// PLY shows classes and vertex colours; textures and materials need GLB.
  private static func fileType(of shot: Shot) -> String {
    let reasons = ["bake-texture", "bake-maps", "checker", "materials", ".glb"]
    let needsGLB = reasons.contains { shot.model.contains($0) }
    return needsGLB ? "glb" : "ply"
  }

  // MARK: Scenes

  /// Three bars from the origin, X red, Y green and Z violet, by the colours of their classes.
  private static let axes: String = {
    var text = ""
    let bars = [
      ("fireplace", SIMD3(1.6, 0, 0)), ("plant", SIMD3(0, 1.6, 0)), ("bed", SIMD3(0, 0, 1.6)),
    ]
    for (index, (label, end)) in bars.enumerated() {
      text += "g \(label)\n"
      for corner in 0..<8 {
        let sides = SIMD3(Double(corner & 1), Double(corner >> 1 & 1), Double(corner >> 2 & 1))
        let place = (end + 0.1) * sides - 0.05
        text += "v \(place.x) \(place.y) \(place.z)\n"
      }
      let faces = [
        [0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4], [2, 6, 7], [2, 7, 3],
        [0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5],
      ]
      for face in faces {
        text += "f " + face.map { "\(8 * index + $0 + 1)" }.joined(separator: " ") + "\n"
      }
    }
    return text
  }()

  /// Vertices of the sofa as features that were tracked over 12 frames, a tenth of the samples far off.
  private static func features(_ scan: Scan) -> String {
    let sofa = Set(scan.faces(of: "seat").filter { scan.positions[$0[0]].x < -0.9 }.joined())
    var generator = SeededGenerator(seed: 4)
    var text = "# id x y z\n"
    for (vertex, position) in scan.positions.enumerated() where sofa.contains(vertex) {
      for _ in 0..<12 {
        let reach = Int.random(in: 0..<10, using: &generator) == 0 ? 0.15 : 0.02
        let noise = (0..<3).map { _ in Double.random(in: -reach...reach, using: &generator) }
        let place = position + SIMD3(noise)
        text += "\(7_450_374_285_236_000_000 + vertex) \(place.x) \(place.y) \(place.z)\n"
      }
    }
    return text
  }

  /// The scan with patches of half a metre wound the wrong way.
  private static func flipped(_ scan: Scan) -> String {
    var text = scan.positions.map { "v \($0.x) \($0.y) \($0.z)\n" }.joined()
    var group = ""
    for (face, label) in zip(scan.faces, scan.classes) {
      if label != group { text += "g \(label)\n" }
      group = label
      let middle = (scan.positions[face[0]] + scan.positions[face[1]] + scan.positions[face[2]]) / 3
      let cell = SIMD3<Int>((middle * 2).rounded(.down))
      let isTurned = (cell.x * 73 + cell.y * 179 + cell.z * 283) % 5 == 0
      let corners = (isTurned ? face.reversed() : face).map { "\($0 + 1)" }
      text += "f " + corners.joined(separator: " ") + "\n"
    }
    return text
  }

  /// The sofa of the scan in few triangles, each with three vertices of its own, which are off by some
  /// tenths of a millimetre.
  private static func loose(_ scan: Scan) -> String {
    let sofa = scan.faces(of: "seat").filter { scan.positions[$0[0]].x < -0.9 }
    let corners = sofa.flatMap(\.self).map { scan.positions[$0] }
    let cells = corners.map { SIMD3<Int>(($0 / 0.15).rounded(.down)) }
    let clusters = Dictionary(grouping: corners.indices) { cells[$0] }
    let means = clusters.mapValues { members in
      members.reduce(SIMD3<Double>.zero) { $0 + corners[$1] } / Double(members.count)
    }
    let faces = stride(from: 0, to: corners.count, by: 3).map { Array(cells[$0..<$0 + 3]) }
      .filter { Set($0).count == 3 }
    var generator = SeededGenerator(seed: 1)
    var text = """
      ply
      format ascii 1.0
      element vertex \(3 * faces.count)
      property float x
      property float y
      property float z
      element face \(faces.count)
      property list uchar int vertex_indices
      end_header

      """
    for cell in faces.flatMap(\.self) {
      var place = means[cell] ?? .zero
      for axis in 0..<3 { place[axis] += Double.random(in: -0.0003...0.0003, using: &generator) }
      text += "\(place.x) \(place.y) \(place.z)\n"
    }
    for face in faces.indices { text += "3 \(3 * face) \(3 * face + 1) \(3 * face + 2)\n" }
    return text
  }

  private static func pipeline(_ stages: String) -> String {
    """
    { "meshpipe": 1, "stages": [
        { "use": "filter-classification", "with": { "drop": ["ceiling", "wall"] } },
        { "use": "split" },
        \(stages)
      ], "outputs": [{ "path": "${stem}.ply" }] }
    """
  }

  private static let apart = """
    { "use": "transform", "where": "seat", "with": { "translate": [0, 1.1, 0] } },
    { "use": "transform", "where": "table", "with": { "translate": [0, 2, 0] } },
    { "use": "merge" }
    """

  private static let halves = """
    { "use": "transform", "where": "seat", "with": { "translate": [-1.5, 0, 1] } },
    { "use": "merge" }
    """
}
