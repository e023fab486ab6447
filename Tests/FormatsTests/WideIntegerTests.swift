import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// Unsigned integers of 64 bits, in all formats that can hold them.
@Suite struct WideIntegerTests {
  private static let large: [UInt64] = [.max, 9_007_199_254_740_993, 0]

  private func cloud(_ identifiers: [UInt64]) -> PointCloud {
    var cloud = PointCloud(
      name: "a", positions: [Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9)])
    cloud.attributes = [CustomAttribute("identifier", values: .uint64(identifiers))]
    return cloud
  }

  private func readBack(
    _ cloud: PointCloud, _ name: String, _ options: [String: JSONValue]
  ) throws -> Reading {
    let folder = try TemporaryFolder()
    let writer = try #require(FormatRegistry(builtInFormats).writer(forPath: name))
    try writer.write(
      Scene(pointClouds: [cloud]), to: OutputSet(folder: folder.path, mainFileName: name),
      in: WritingContext(options: options))
    return try Reading("\(folder.path)/\(name)")
  }

  private static let forms: [(name: String, options: [String: JSONValue])] = [
    ("a.ply", [:]), ("a.ply", ["ascii": true]), ("a.las", [:]), ("a.las", ["version": "1.2"]),
    ("a.pcd", [:]), ("a.pcd", ["ascii": true]), ("a.xyz", [:]), ("a.csv", [:]),
    ("a.meshscene", [:]),
  ]

  @Test(arguments: forms)
  func `they are exact`(name: String, options: [String: JSONValue]) throws {
    for identifiers in [Self.large, [1, 2, 3], [1 << 53, 5, 6]] {
      let found = try readBack(cloud(identifiers), name, options).scene.pointClouds[0]
      #expect(found.attributes == cloud(identifiers).attributes)
    }
  }

  @Test func `binary PLY from other programs may have them`() throws {
    var bytes = Array(
      """
      ply
      format binary_little_endian 1.0
      element vertex 1
      property float x
      property float y
      property float z
      property uint64 id
      end_header

      """.utf8)
    bytes += [UInt8](repeating: 0, count: 12) + [1, 2, 3, 4, 5, 6, 7, 0xF8]
    let folder = try TemporaryFolder()
    let found = try Reading(folder.write("a.ply", bytes)).scene.pointClouds[0]
    #expect(found.attributes["id"]?.values == .uint64([0xF807_0605_0403_0201]))
  }

  @Test func `joined with other integers they stay exact`() {
    var values = CustomAttribute.Values.uint32([7])
    values.append(.uint64([.max]))
    #expect(values == .uint64([7, .max]))
    values.append(.uint8([3]))
    #expect(values == .uint64([7, .max, 3]))
    values.append(.float32([0.5]))
    #expect(values == .float64([7, 0x1p64, 3, 0.5]))
    let pair = CustomAttribute("a", values: .uint64([.max, .max - 1, .max]))
    #expect(pair.isEqual(0, 2) && !pair.isEqual(0, 1))
  }
}
