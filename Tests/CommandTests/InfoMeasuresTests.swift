import Foundation
import MeshTestSupport
import Testing

/// 'info --measures'.
struct InfoMeasuresTests {
  private func measures(_ name: String, in folder: TemporaryFolder) throws -> [String: Any] {
    let outcome = try CommandProcess.run(["info", "--measures", "--json", name], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let json = try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any]
    return try #require(json?["measures"] as? [String: Any])
  }

  @Test func `a room has the measures of the stage and of its file`() throws {
    let folder = try TemporaryFolder()
    try folder.write(RoomFixture().text, to: "flat.json")
    let found = try measures("flat.json", in: folder)
    // 5 by 4 m, and 2.5 m high.
    #expect(found["floorArea"] as? Double == 20 && found["roomVolume"] as? Double == 50)
    #expect(found["doors"] as? Int == 1 && found["windows"] as? Int == 1)
    let run = try CommandProcess.run(
      ["run", "flat.json", "-s", "detect-rooms", "-s", "measure", "-o", "a.measures.json"],
      in: folder)
    #expect(run.status == 0, "\(run.errors)")
    let written =
      try JSONSerialization.jsonObject(with: Data(folder.text(of: "a.measures.json").utf8))
      as? [String: Any]
    let building = try #require((written?["buildings"] as? [[String: Any]])?.first)
    let storeys = try #require(building["storeys"] as? NSArray)
    #expect(storeys.isEqual(found["storeys"]))
    let text = try CommandProcess.run(["info", "--measures", "flat.json"], in: folder).text
    for line in [
      "Ground floor, 2.500 ± 0.0", "20.00 ± ", "door-1", "0.900 ± 0.0", "less openings m2",
      "0.100 assumed",
    ] {
      #expect(text.contains(line), "\(line): \(text)")
    }
  }

  @Test func `an object has no plan, which is told, and its volume`() throws {
    let folder = try TemporaryFolder()
    // A tetrahedron of a sixth of a cubic metre.
    try folder.write(
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", to: "a.obj")
    let found = try measures("a.obj", in: folder)
    #expect((found["noPlan"] as? String)?.contains("an object has none") == true, "\(found)")
    #expect(found["storeys"] == nil)
    let mesh = try #require((found["meshes"] as? [[String: Any]])?.first)
    #expect(abs((mesh["volume"] as? Double ?? 0) - 1 / 6.0) < 1e-6)
    let text = try CommandProcess.run(["info", "--measures", "a.obj"], in: folder).text
    #expect(text.contains("there is no plan") && text.contains("0.166667"), "\(text)")
    try folder.write("0 0 0\n1 0 0\n0 1 0\n0 0 1\n", to: "points.xyz")
    let points = try measures("points.xyz", in: folder)
    #expect((points["noPlan"] as? String)?.contains("points alone have no plan") == true)
    let plain = try CommandProcess.run(["info", "--json", "a.obj"], in: folder).text
    #expect(!plain.contains("measures"))
  }
}
