import Foundation
import MeshTestSupport
import MeshpipeScene
import Testing

/// Scans in coordinates of their own become one model.
@Suite struct AlignedJoinTests {
  /// A part of the room of the fixture, turned about the vertical and shifted.
  private static func obj(
    degrees: Double, shift: SIMD3<Double>, where isSeen: (SIMD3<Double>) -> Bool
  ) -> String {
    let room = RoomFixture.scan()
    let away =
      Transform(translation: shift)
      * Transform(rotationAbout: SIMD3(0, 1, 0), by: degrees * .pi / 180)
    var lines = room.positions.map { point in
      let place = away.apply(toPoint: point.double)
      return "v \(place.x) \(place.y) \(place.z)"
    }
    for face in 0..<room.faceCount where isSeen(room.centroid(ofFace: face)) {
      let corners = (0..<3).map { "\(room.indices[3 * face + $0] + 1)" }
      lines.append("f " + corners.joined(separator: " "))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(obj(degrees: 0, shift: .zero) { $0.x < 1 }, to: "west.obj")
    try folder.write(
      obj(degrees: 140, shift: SIMD3(7, 0.3, -2)) { $0.x > -1 }, to: "east.obj")
    return folder
  }

  private static func info(_ name: String, in folder: TemporaryFolder) throws -> [String: Any] {
    let shown = try CommandProcess.run(["info", "--json", name], in: folder)
    return try #require(try JSONSerialization.jsonObject(with: shown.output) as? [String: Any])
  }

  @Test func `halves of a room become the room, without doubled faces`() throws {
    let folder = try Self.folder()
    let run = try CommandProcess.run(
      [
        "run", "west.obj", "east.obj", "--join=aligned", "-s", "merge", "-o", "room.ply",
        "--report", "r.json",
      ],
      in: folder)
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.errors.contains("east.obj: turned 140.0° about the vertical, moved"), "\(run.errors)")
    try folder.write(Self.obj(degrees: 0, shift: .zero) { _ in true }, to: "truth.obj")
    let compared = try CommandProcess.run(
      ["compare", "truth.obj", "room.ply", "--max-distance", "5mm"], in: folder)
    #expect(compared.status == 0, "\(compared.text)")
    let (joined, truth) = (
      try Self.info("room.ply", in: folder)["area"] as? Double ?? 0,
      try Self.info("truth.obj", in: folder)["area"] as? Double ?? 0
    )
    // Faces that reach beyond the border of the first half stay: of this room, 20 cm wide, some are 7 % of its area, and
    // what both halves show is 40 %.
    #expect(joined > truth && joined < 1.1 * truth, "\(joined) \(truth)")
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(folder.text(of: "r.json").utf8)) as? [String: Any]
    )
    let notes = (report["input"] as? [String: Any])?["notes"] as? [String: Any]
    let alignment = notes?["alignment"] as? [[String: Any]]
    let turn = try #require(alignment?.first?["turn"] as? Double)
    #expect(abs(abs(turn) - 140) < 0.1)
    #expect((alignment?.first?["overlap"] as? Double ?? 0) > 0.3)
    // The same scans by coordinates, as before.
    let plain = try CommandProcess.run(
      ["run", "west.obj", "east.obj", "--join", "-o", "plain.ply"], in: folder)
    #expect(plain.status == 0 && !plain.errors.contains("east.obj"), "\(plain.errors)")
  }

  @Test func `a scan of something else is named and left out`() throws {
    let folder = try Self.folder()
    try folder.writeScan("other.obj")
    let arguments = [
      "run", "west.obj", "east.obj", "other.obj", "--join=aligned", "-o", "room.ply",
    ]
    let run = try CommandProcess.run(arguments, in: folder)
    #expect(run.status == 0)
    #expect(run.errors.contains("other.obj: left out, since"), "\(run.errors)")
    #expect(run.errors.contains("east.obj: turned"), "\(run.errors)")
    let strict = try CommandProcess.run(arguments + ["--strict"], in: folder)
    #expect(strict.status == 65, "\(strict.errors)")
    let unknown = try CommandProcess.run(
      ["run", "west.obj", "east.obj", "--join=somehow", "-o", "x.ply"], in: folder)
    #expect(unknown.status == 64 && unknown.errors.contains("aligned"), "\(unknown.errors)")
  }

  @Test func `a pipeline aligns inputs and a scene, and info shows both as one`() throws {
    let folder = try Self.folder()
    try folder.write(
      """
      { "meshpipe": 1, "inputs": [ { "path": "east.obj", "aligned": true } ], "stages": [],
        "outputs": [ { "path": "${stem}.ply" } ] }
      """, to: "p.json")
    let run = try CommandProcess.run(["run", "p.json", "west.obj", "-o", "out/"], in: folder)
    #expect(run.status == 0 && run.errors.contains("east.obj: turned 140.0°"), "\(run.errors)")
    let info = try CommandProcess.run(
      ["info", "--join=aligned", "--json", "west.obj", "east.obj"], in: folder)
    let json = try JSONSerialization.jsonObject(with: info.output) as? [String: Any]
    let size = try #require(json?["size"] as? [Double])
    #expect(zip(size, [5.1, 2.5, 4.1]).allSatisfy { abs($0 - $1) < 0.15 }, "\(size)")
    let moved = try CommandProcess.run(
      ["run", "east.obj", "--input", "west=west.obj", "-s", "align to=west", "-o", "moved.ply"],
      in: folder)
    #expect(moved.status == 0, "\(moved.errors)")
    try folder.write(Self.obj(degrees: 0, shift: .zero) { $0.x > -1 }, to: "truth.obj")
    let compared = try CommandProcess.run(
      ["compare", "truth.obj", "moved.ply", "--max-distance", "5mm"], in: folder)
    #expect(compared.status == 0, "\(compared.text)")
    try folder.writeScan("other.obj")
    let refused = try CommandProcess.run(
      ["run", "other.obj", "--input", "west=west.obj", "-s", "align to=west", "-o", "x.ply"],
      in: folder)
    #expect(
      refused.status == 65 && refused.errors.contains("can't be aligned"), "\(refused.errors)")
  }

  @Test func `compare finds the place from afar, and says when there is none`() throws {
    let folder = try Self.folder()
    let found = try CommandProcess.run(
      ["compare", "west.obj", "east.obj", "--align", "--json"], in: folder)
    let json = try JSONSerialization.jsonObject(with: found.output) as? [String: Any]
    let alignment = try #require(json?["alignment"] as? [String: Any])
    #expect(abs((alignment["angle"] as? Double ?? 0) - 140) < 0.1, "\(alignment)")
    #expect(!found.errors.contains("does not match"), "\(found.errors)")
    try folder.write(ball(radius: 1.3), to: "ball.obj")
    let other = try CommandProcess.run(["compare", "west.obj", "ball.obj", "--align"], in: folder)
    #expect(other.errors.contains("does not match"), "\(other.errors)")
  }

  private func ball(radius: Double) -> String {
    let mesh = MeshFixtures.sphere(segments: 48, rings: 24)
    let lines = mesh.positions.map {
      "v \(Double($0.x) * radius) \(Double($0.y) * radius) \(Double($0.z) * radius)"
    }
    let faces = stride(from: 0, to: mesh.indices.count, by: 3).map {
      "f \(mesh.indices[$0] + 1) \(mesh.indices[$0 + 1] + 1) \(mesh.indices[$0 + 2] + 1)"
    }
    return (lines + faces).joined(separator: "\n") + "\n"
  }
}
