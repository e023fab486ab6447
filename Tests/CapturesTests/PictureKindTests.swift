import Captures
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

struct PictureKindTests {
  /// The largest difference of a code in the middle of one of four patches, row by row.
  private static func difference(_ image: Image, patch: Int, from color: SIMD3<Int>) -> Int {
    let (right, below) = (patch % 2, patch / 2)
    let x = image.width / 4 + right * image.width / 2
    let y = image.height / 4 + below * image.height / 2
    let start = 3 * (y * image.width + x)
    var worst = 0
    for channel in 0..<3 {
      let code = Int(image.pixels[start + channel])
      worst = max(worst, abs(code - color[channel]))
    }
    return worst
  }

  /// The picture; nil, with a message, where the library that decodes it is not installed.
  private static func decoded(
    _ bytes: [UInt8], reducedBy reduction: Int = 1, _ name: String
  ) throws -> Image {
    let image = Result { try Image.decoded(from: bytes, path: name, reducedBy: reduction) }
    guard case .failure(let error as ImageError) = image, error.reason.contains("apt-get install")
    else { return try image.get() }
    if Checkers.areRequired { throw error }
    try Test.cancel("\(error.message)")
  }

  @Test(arguments: PictureFixtures.all.indices)
  func `pictures of phones and of the web are decoded as they are stored`(index: Int) throws {
    let (name, kind, bytes) = PictureFixtures.all[index]
    let header = PictureHeader(bytes)
    #expect(header.kind == kind)
    #expect(header.isWhole)
    #expect(header.size == SIMD2(48, 32))
    let image = try Self.decoded(bytes, name)
    #expect(image.size == SIMD2(48, 32))
    for (patch, color) in PictureFixtures.colors.enumerated() {
      let worst = Self.difference(image, patch: patch, from: color)
      #expect(worst <= 5, "\(name): \(patch)")
    }
    let small = try Self.decoded(bytes, reducedBy: 4, name)
    #expect(small.size == SIMD2(12, 8))
  }

  @Test(arguments: PictureFixtures.all.indices)
  func `a picture that is cut off is known by its header and is no crash`(index: Int) throws {
    let (name, _, bytes) = PictureFixtures.all[index]
    for length in stride(from: 12, to: bytes.count, by: 5) {
      let part = Array(bytes.prefix(length))
      #expect(!PictureHeader(part).isWhole || PictureHeader(part).kind == nil, "\(length)")
      _ = try? Image.decoded(from: part, path: name)
    }
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      var damaged = bytes
      for _ in 0..<3 {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        damaged[place] = UInt8.random(in: 0...255, using: &generator)
      }
      _ = PictureHeader(damaged)
      _ = try? Image.decoded(from: damaged, path: name)
    }
  }

  @Test(arguments: [PictureFixtures.cmykJPEG, PictureFixtures.ycckJPEG])
  func `a JPEG in inks is decoded to the colours that they print`(bytes: [UInt8]) throws {
    let image = try Image.decoded(from: bytes, path: "a.jpg")
    #expect(image.size == SIMD2(16, 16))
    let colors: [SIMD3<Int>] = [
      SIMD3(255, 0, 0), SIMD3(20, 200, 90), SIMD3(40, 60, 220), SIMD3(240, 240, 240),
    ]
    for (patch, color) in colors.enumerated() {
      #expect(Self.difference(image, patch: patch, from: color) <= 3, "\(patch)")
    }
    #expect(try JPEG.decode(bytes, reducedBy: 8, path: "a.jpg").size == SIMD2(2, 2))
  }

  @Test func `frames may be of any kind that is read`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeTransforms()
    for (index, name) in [4, 0, 2].enumerated() {
      let (file, _, bytes) = PictureFixtures.all[name]
      try fixture.folder.write("images/new-\(file)", bytes)
      let changes = [
        ("images/\(index).png", "images/new-\(file)"), ("depth/\(index).png", "depth/none.png"),
      ]
      try fixture.replace(changes, in: "transforms.json")
    }
    let (scan, _) = try fixture.read()
    #expect(scan.capture.frames.count == 4)
    #expect(scan.capture.frames.prefix(3).allSatisfy { $0.imageSize == SIMD2(48, 32) })
  }

  @Test(arguments: [
    ("II*\0 and so on", "is TIFF, which is not supported: convert it to PNG or JPEG"),
    ("BM and so on", "is BMP, which is not supported"), ("GIF89a and so on", "is GIF, which"),
    ("nothing", "is not one of JPEG, PNG, WebP, HEIC and AVIF"),
  ])
  func `a picture of another kind is named with the way out`(text: String, words: String) throws {
    #expect(throws: ImageError.self) { try Image.decoded(from: Array(text.utf8), path: "a") }
    let fixture = try CaptureFixture()
    try fixture.writeTransforms()
    try fixture.folder.write("images/2.png", text)
    let warnings = try fixture.read().warnings
    #expect(warnings.contains { $0.contains("'2' is left out: its image \(words)") }, "\(warnings)")
  }

  // MARK: Depth maps

  private static func depths(of bytes: [UInt8]) throws -> DepthMap {
    let folder = try TemporaryFolder()
    let path = try folder.write("a.exr", bytes)
    let frame = Capture.Frame(
      name: "a", image: .file(""), imageSize: SIMD2(8, 20),
      intrinsics: .init(focalLength: SIMD2(8, 8), principalPoint: SIMD2(4, 10)), pose: .identity,
      depth: .init(path: path, encoding: .exr))
    return try #require(try frame.loadDepth())
  }

  static let depthMaps = [
    PictureFixtures.floatEXR, PictureFixtures.halfEXR, PictureFixtures.plainEXR,
  ]

  @Test(arguments: depthMaps) func `depths in OpenEXR files are read`(bytes: [UInt8]) throws {
    let map = try Self.depths(of: bytes)
    #expect(map.size == SIMD2(8, 20))
    // All of them are whole numbers of half precision, too.
    var truth = (0..<160).map { (pixel: Int) -> Float in 1 + Float(pixel) / 64 }
    truth[28] = 0
    #expect(map.meters == truth)
  }

  @Test(arguments: depthMaps) func `an OpenEXR file that is damaged is an error`(
    bytes: [UInt8]
  ) throws {
    for length in stride(from: 0, to: bytes.count, by: 17) {
      #expect(throws: ImageError.self) { try Self.depths(of: Array(bytes.prefix(length))) }
    }
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<300 {
      var damaged = bytes
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      damaged[place] = UInt8.random(in: 0...255, using: &generator)
      _ = try? Self.depths(of: damaged)
    }
    var other = bytes
    other[Self.place(of: "compression\0compression\0", in: bytes)] = 4
    let error = #expect(throws: ImageError.self) { try Self.depths(of: other) }
    #expect(error?.reason.contains("save it with ZIP compression") == true)
    // The last column and line of the window are its third and fourth number.
    let window = Self.place(of: "dataWindow\0box2i\0", in: bytes)
    other = bytes
    for side in [8, 12] {
      other.replaceSubrange(window + side..<window + side + 2, with: [0x3F, 0x1F])
    }
    let short = #expect(throws: ImageError.self) { try Self.depths(of: other) }
    #expect(short?.reason == "is too short for 8000 x 8000 pixels")
  }

  /// The offset of an attribute's value, which follows its name, type and length.
  private static func place(of attribute: String, in bytes: [UInt8]) -> Int {
    let name = Array(attribute.utf8)
    var place = 0
    while place < bytes.count, !bytes.dropFirst(place).starts(with: name) { place += 1 }
    return place + name.count + 4
  }
}
