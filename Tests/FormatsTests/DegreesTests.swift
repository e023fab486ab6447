import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// Files whose coordinates are longitudes and latitudes, and that do not say so.
struct DegreesTests {
  /// Twenty metres there, and six metres high.
  private static let rows = (0..<40).map { step in
    "11.500\(100 + 5 * step) 48.100\(340 - 4 * step) \(520 + Double(step) * 0.15)\n"
  }.joined()

  private static let header = """
    ply
    format ascii 1.0
    element vertex 40
    property double x
    property double y
    property double z
    end_header

    """

  @Test(arguments: [("a.xyz", rows), ("a.ply", header + rows)])
  func `points in degrees are refused, with the way out`(name: String, contents: String) throws {
    let message = try readingFault(name, contents)
    #expect(
      message.contains("its coordinates look like degrees of longitude and latitude, at (11.500"))
    #expect(message.contains("reprojection") && message.contains("'--input-unit m' takes them"))
    let folder = try TemporaryFolder()
    let path = try folder.write(name, contents)
    let reader = try #require(FormatRegistry(builtInFormats).reader(forPath: path))
    let scene = try reader.read(path, in: ReadingContext().reading(metersPerUnit: 1))
    #expect(scene.pointCount == 40)
  }

  @Test func `what may be a place on the globe is told`() throws {
    let folder = try TemporaryFolder()
    let hill = (0..<40).map { "13.400\(100 + $0) 52.500\(340 - 4 * $0) \(34 + Double($0) / 400)\n" }
    let reading = try Reading(folder.write("a.xyz", hill.joined()))
    #expect(reading.warnings.count == 1)
    #expect(reading.warnings.first?.hasPrefix("a.xyz: its coordinates look like degrees") == true)
    // Of a wall two metres from the origin.
    let wall = (0..<40).map { "2.00\($0 % 5) 1.2\($0 % 3) \(Double($0) / 20)\n" }
    #expect(try Reading(folder.write("b.xyz", wall.joined())).warnings == [])
  }

  @Test func `a mast is not a place on the globe`() throws {
    let folder = try TemporaryFolder()
    let mast = (0..<40).map { "11.5\($0 % 5) 48.1\($0 % 3) \($0)\n" }.joined()
    #expect(try Reading(folder.write("a.xyz", mast)).scene.pointCount == 40)
    // One column of points, as of a level.
    let line = (0..<40).map { "11.5 48.1 \($0)\n" }.joined()
    #expect(try Reading(folder.write("b.xyz", line)).scene.pointCount == 40)
  }
}
