import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// A file of one scan, whose scanner has x where the world has y, and y where it has −x.
enum PTXFixture {
  static let points = [
    "1 0 0 0.5 255 0 0", "0 0 0 0.5 0 0 0", "0 2 0 0.25 0 255 0", "0 0 3 1 0 0 255",
  ]

  static func scan(
    _ points: [String] = points, columns: Int = 2, rows: Int = 2, place: [Double] = [10, 20, 30]
  ) -> String {
    let words = place.map { "\($0)" }.joined(separator: " ")
    return """
      \(columns)
      \(rows)
      \(words)
      0 1 0
      -1 0 0
      0 0 1
      0 1 0 0
      -1 0 0 0
      0 0 1 0
      \(words) 1

      """ + points.map { $0 + "\n" }.joined()
  }
}

@Suite struct PTXTests {
  private func reading(_ contents: String) throws -> Reading {
    let folder = try TemporaryFolder()
    return try Reading(folder.write("a.ptx", contents))
  }

  @Test func `points are moved by the scanner's matrix, and those at zero left out`() throws {
    let reading = try reading(PTXFixture.scan())
    let cloud = try #require(reading.scene.pointClouds.first)
    #expect(cloud.positions == [Vector3(10, 21, 30), Vector3(8, 20, 30), Vector3(10, 20, 33)])
    #expect(cloud.colors?.map(\.green) == [0, 255, 0])
    #expect(cloud.attributes == [CustomAttribute("intensity", values: .float32([0.5, 0.25, 1]))])
    #expect(reading.scene.coordinateSystem.up == .z && reading.warnings == [])
  }

  @Test func `several scans are one cloud with their numbers`() throws {
    let second = PTXFixture.scan(["5 0 0 0.5", "0 0 0 0"], columns: 1, place: [0, 0, 0])
    let cloud = try reading(PTXFixture.scan() + second).scene.pointClouds[0]
    #expect(cloud.positions.last == Vector3(0, 5, 0))
    #expect(cloud.attributes["scan"]?.values == .uint16([0, 0, 0, 1]))
    #expect(cloud.colors?.last == .white)
  }

  @Test func `colours out of range are told with their line`() throws {
    let usual = [String](repeating: "5 0 0 0.5 7 30 0", count: 19)
    let second = PTXFixture.scan(["5 0 0 0.5 7 300 0"] + usual, columns: 1, rows: 20)
    let reading = try reading(PTXFixture.scan() + second)
    #expect(reading.warnings.count == 1)
    #expect(
      reading.warnings.first?.hasPrefix("a.ptx:25: the point has a colour outside 0 to 255")
        == true, "\(reading.warnings)")
  }

  @Test func `a scanner in a national grid keeps millimetres`() throws {
    let reading = try reading(
      PTXFixture.scan(["0.001 0 0 0.5"], columns: 1, rows: 1, place: [583_000, 4_507_000, 30]))
    let place = reading.scene.pointClouds[0].positions[0].double + reading.scene.origin
    #expect((place - SIMD3(583_000, 4_507_000.001, 30)).length < 1e-6)
  }

  @Test func `a damaged file is refused with its line`() throws {
    let whole = PTXFixture.scan()
    func fault(_ contents: String) throws -> String { try readingFault("a.ptx", contents) }
    let cut = whole.split(separator: "\n").dropLast().joined(separator: "\n")
    #expect(try fault(cut).contains("the file has 3 of them; is it complete?"))
    #expect(try fault("2\n2\n0 0 0\n").contains("within the header"))
    #expect(try fault("x\n").hasPrefix("a.ptx:1: expected the number of columns"))
    #expect(
      try fault(
        "2000000\n2000000\n" + whole.split(separator: "\n").dropFirst(2).joined(separator: "\n")
      ).contains("does not fit"))
    #expect(try fault(whole.replacing("0 1 0 0", with: "0 1 0")).hasPrefix("a.ptx:7:"))
    #expect(try fault(PTXFixture.scan(["0 0 0 1"], columns: 1, rows: 1)).contains("saw nothing"))
    #expect(try fault("").contains("no points"))
  }
}
