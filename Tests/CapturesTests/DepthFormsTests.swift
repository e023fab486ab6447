import Captures
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

/// Depth maps as nerfstudio's loader takes them.
struct DepthFormsTests {
  /// A file as `numpy.save` writes it: magic, version, length, a dictionary padded to 64 bytes, and the numbers.
  private static func npy(
    _ type: String, shape: String, byColumns: Bool = false, version: UInt8 = 1, _ body: [UInt8]
  ) -> [UInt8] {
    var header =
      "{'descr': '\(type)', 'fortran_order': \(byColumns ? "True" : "False"), 'shape': (\(shape)), }"
    let start = version == 1 ? 10 : 12
    while (start + header.utf8.count + 1) % 64 != 0 { header += " " }
    header += "\n"
    let count = header.utf8.count
    let length = (0..<(version == 1 ? 2 : 4)).map { UInt8(count >> (8 * $0) & 255) }
    return [0x93] + Array("NUMPY".utf8) + [version, 0] + length + Array(header.utf8) + body
  }

  private static func bytes<Bits: FixedWidthInteger>(_ values: [Bits], big: Bool = false) -> [UInt8]
  {
    values.flatMap { value in
      let bytes = (0..<Bits.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return big ? bytes.reversed() : bytes
    }
  }

  /// Four columns of three rows.
  private static let meters: [Float] = [1, 2.5, 0, 4, 0.5, 3, 5, 6, 2, 2.5, 3, 4]
  private static let byColumns: [Float] = [1, 0.5, 2, 2.5, 3, 2.5, 0, 5, 3, 4, 6, 4]

  private static func words<Bits: FixedWidthInteger>(_ bits: (Float) -> Bits) -> [Bits] {
    meters.map(bits)
  }

  /// The same depths in several forms.
  private static let files: [(name: String, bytes: [UInt8])] = {
    let halves: [UInt16] = [
      0x3C00, 0x4100, 0, 0x4400, 0x3800, 0x4200, 0x4500, 0x4600, 0x4000, 0x4100, 0x4200, 0x4400,
    ]
    var files: [(name: String, bytes: [UInt8])] = []
    func add(
      _ type: String, _ shape: String, byColumns: Bool = false, version: UInt8 = 1, _ body: [UInt8]
    ) {
      let file = npy(type, shape: shape, byColumns: byColumns, version: version, body)
      files.append(("\(type) (\(shape)) \(byColumns) \(version)", file))
    }
    add("<f4", "3, 4", bytes(words { $0.bitPattern }))
    add(">f4", "3, 4, 1", bytes(words { $0.bitPattern }, big: true))
    add("<f8", "1, 3, 4", version: 2, bytes(words { Double($0).bitPattern }))
    add("<f2", "3, 4", bytes(halves))
    add("<f4", "3, 4", byColumns: true, bytes(byColumns.map { $0.bitPattern }))
    add("<u2", "3, 4", bytes(words { UInt16($0 * 1000) }))
    add(">i4", "3, 4", bytes(words { Int32($0 * 1000) }, big: true))
    // Millimetres.
    add("<f4", "3,4", bytes(words { ($0 * 1000).bitPattern }))
    return files
  }()

  @Test(arguments: files.indices)
  func `NumPy's arrays are depth maps`(index: Int) throws {
    let (name, file) = Self.files[index]
    let fixture = try Self.fixture(file)
    let (scan, warnings) = try fixture.read()
    #expect(warnings == [])
    let map = try #require(try scan.capture.frames[0].loadDepth())
    #expect(map.size == SIMD2(4, 3))
    #expect(
      zip(map.meters, Self.meters).allSatisfy { abs($0 - $1) < 1e-5 }, "\(name): \(map.meters)")
  }

  private static func fixture(_ file: [UInt8], _ name: String = "0.npy") throws -> CaptureFixture {
    var fixture = try CaptureFixture()
    fixture.cameras = [fixture.cameras[0]]
    try fixture.writeTransforms()
    try fixture.replace([("depth/0.png", "depth/\(name)")], in: "transforms.json")
    try fixture.folder.write("depth/\(name)", file)
    return fixture
  }

  @Test func `a map without depths does not tell the unit of the others`() throws {
    var fixture = try CaptureFixture()
    fixture.cameras = Array(fixture.cameras.prefix(2))
    try fixture.writeTransforms()
    let maps = [[Float](repeating: 0, count: 12), Self.meters.map { $0 * 1000 }]
    for (index, map) in maps.enumerated() {
      let file = Self.npy("<f4", shape: "3, 4", Self.bytes(map.map(\.bitPattern)))
      try fixture.replace([("depth/\(index).png", "depth/\(index).npy")], in: "transforms.json")
      try fixture.folder.write("depth/\(index).npy", file)
    }
    let depths = try withExtendedLifetime(fixture) {
      try fixture.read().scan.capture.frames[1].loadDepth()?.meters
    }
    let meters = try #require(depths)
    #expect(zip(meters, Self.meters).allSatisfy { abs($0 - $1) < 1e-5 }, "\(meters)")
  }

  private static let wrongFiles: [[UInt8]] = [
    [0x93] + Array("NUMPY".utf8), npy("<c8", shape: "3, 4", Array(repeating: 0, count: 96)),
    npy("<f4", shape: "6,", Array(repeating: 0, count: 24)), npy("<f4", shape: "", []),
    npy("<f4", shape: "3, 4, 3", []), npy("[('a', '<f4')]", shape: "3, 4", []),
  ]

  @Test(arguments: wrongFiles)
  func `what is no image of numbers is told of`(file: [UInt8]) throws {
    let (scan, warnings) = try Self.fixture(file).read()
    #expect(scan.capture.frames[0].depth == nil)
    #expect(
      warnings.contains { $0.contains("not a NumPy array of rows and columns") }, "\(warnings)")
    #expect(scan.capture.origin?.unreadDepthCount == 1)
  }

  @Test func `a truncated array is told of when it is read`() throws {
    let file = Self.npy("<f4", shape: "3, 4", Array(repeating: 0, count: 20))
    let fixture = try Self.fixture(file)
    let scan = try fixture.read().scan
    withExtendedLifetime(fixture) {
      _ = #expect(throws: ImageError.self) { try scan.capture.frames[0].loadDepth() }
    }
  }

  @Test func `a factor that the file declares counts, unless its numbers contradict it`() throws {
    let file = Self.npy("<f4", shape: "3, 4", Self.bytes(Self.meters.map(\.bitPattern)))
    let fixture = try Self.fixture(file)
    try fixture.replace(
      [("\"w\":", "\"depth_unit_scale_factor\": 0.5, \"w\":")], in: "transforms.json")
    let (half, warnings) = try fixture.read()
    #expect(warnings == [])
    #expect(try half.capture.frames[0].loadDepth()?.meters.first == 0.5)
    // nerfstudio's own factor beside metres.
    try fixture.replace([("factor\": 0.5", "factor\": 0.001")], in: "transforms.json")
    let (meters, told) = try fixture.read()
    #expect(told.count == 1)
    #expect(told.first?.contains("read as metres") == true, "\(told)")
    #expect(try meters.capture.frames[0].loadDepth()?.meters.first == 1)
  }

  @Test(arguments: ["0.tiff", "0.npz", "0.pfm"])
  func `depth maps of other kinds are told of, not the phone`(name: String) throws {
    let (scan, warnings) = try Self.fixture([1, 2, 3], name).read()
    #expect(!scan.capture.hasDepth)
    #expect(warnings.count == 1)
    #expect(
      warnings.first?.contains(
        "is there, but .\(fileExtension(of: name)) files are not read as depth")
        == true, "\(warnings)")
    #expect(scan.capture.origin?.unreadDepthCount == 1)
  }
}
