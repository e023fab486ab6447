import Captures
import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

struct FrameMasksTests {
  /// Black in the lower right quarter, white elsewhere.
  private static func mask(_ size: SIMD2<Int>, inverted: Bool = false) -> [UInt8] {
    (0..<size.x * size.y).map { pixel in
      let isInside = 2 * (pixel % size.x) >= size.x && 2 * (pixel / size.x) >= size.y
      return isInside == inverted ? 255 : 0
    }
  }

  private static func png(_ size: SIMD2<Int> = SIMD2(64, 48), inverted: Bool = false) throws
    -> [UInt8]
  {
    try PNG.encodeGray8(mask(size, inverted: inverted), width: size.x, height: size.y)
  }

  /// Whether the lower right quarter of a frame is hidden and the upper left one is not, in image and depth map.
  private static func isMasked(_ frame: Capture.Frame) throws -> Bool {
    let image = try frame.loadImage()
    let depth = try #require(try frame.loadDepth())
    let (first, last) = (depth.meters[0] > 0, depth.meters[depth.meters.count - 1] > 0)
    #expect(first)
    #expect((image.mask != nil) != last)
    guard let mask = image.mask else { return false }
    #expect(mask.size == image.size)
    #expect(!mask.hides(0, 0) && !mask.hides(63, 0) && !mask.hides(0, 47))
    return mask.hides(33, 25) && mask.hides(63, 47)
  }

  @Test(arguments: [
    "masks/1.png", "masks/1.png.png", "images/masks/1.png", "mask/1.png", "masks/images/1.png",
    "images/1_mask.png", "images/1.mask.png", "masks/1_mask.png",
  ])
  func `a mask is found by the name of its image`(name: String) throws {
    let fixture = try CaptureFixture()
    try fixture.writeTransforms()
    try fixture.folder.write(name, Self.png())
    let (scan, warnings) = try fixture.read()
    #expect(warnings == [])
    #expect(try scan.capture.frames.map(Self.isMasked) == [false, true, false, false])
    let summary = CaptureSummary(scan.capture, layout: "", folder: "", metersPerUnit: 1)
    #expect(summary.framesWithMask == 1)
  }

  @Test func `masks of other layouts are found, too`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle()
    try fixture.folder.write("masks/frame_000002.png", Self.png())
    let frames = try fixture.read().scan.capture.frames
    #expect(try frames.map(Self.isMasked) == [false, false, true, false])
  }

  @Test func `what instant-ngp masks is white`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeTransforms()
    try fixture.folder.write("images/dynamic_mask_1.png", Self.png(inverted: true))
    let frames = try fixture.read().scan.capture.frames
    #expect(try frames.map(Self.isMasked) == [false, true, false, false])
  }

  @Test func `masks of 0 and 1, in JPEG and in 16 bits are black and white`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeTransforms()
    let values = Self.mask(SIMD2(64, 48))
    try fixture.folder.write(
      "masks/0.png", PNG.encodeGray8(values.map { min($0, 1) }, width: 64, height: 48))
    try fixture.folder.write(
      "masks/1.png", PNG.encodeGray16(values.map { UInt16(min($0, 1)) }, width: 64, height: 48))
    let gray = Image(width: 64, height: 48, pixels: values.flatMap { [$0, $0, $0] })
    try fixture.folder.write("masks/2.jpg", JPEG.encode(gray, quality: 60))
    let frames = try fixture.read().scan.capture.frames
    #expect(try frames.map(Self.isMasked) == [true, true, true, false])
  }

  @Test func `transparent pixels of images are masked, opaque images are not`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeTransforms()
    for (index, camera) in fixture.cameras.enumerated() {
      let alpha = index == 1 ? Self.mask(SIMD2(64, 48)) : Array(repeating: 255, count: 64 * 48)
      try fixture.folder.write("images/\(index).png", PNG.encode(camera.picture, alpha: alpha))
    }
    let (scan, warnings) = try fixture.read()
    #expect(warnings == [])
    #expect(try scan.capture.frames.map(Self.isMasked) == [false, true, false, false])
    #expect(try scan.capture.frames[0].loadImage() == fixture.cameras[0].picture)
    // A program that did not know opacity left 0 everywhere.
    for (index, camera) in fixture.cameras.enumerated() {
      try fixture.folder.write(
        "images/\(index).png",
        PNG.encode(camera.picture, alpha: Array(repeating: 0, count: 64 * 48)))
    }
    let (opaque, told) = try fixture.read()
    #expect(told.count == 1)
    #expect(told.first?.contains("fully transparent") == true, "\(told)")
    #expect(opaque.capture.frames.allSatisfy { $0.masks.isEmpty })
  }

  @Test func `masks named by transforms count, and those that can't be used are told of`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeTransforms()
    try Self.nameMasks(in: fixture) { "masks/\($0).png" }
    // One of half the size, one of another shape, one that is no image, and one that is missing.
    try fixture.folder.write("masks/0.png", Self.png(SIMD2(32, 24)))
    try fixture.folder.write("masks/1.png", Self.png(SIMD2(48, 64)))
    try fixture.folder.write("masks/2.png", "black")
    let (scan, warnings) = try fixture.read()
    #expect(try scan.capture.frames.map(Self.isMasked) == [true, false, false, false])
    #expect(warnings.count == 4)
    for (index, words) in [
      "32 x 24, the image 64 x 48: it is resized", "another aspect ratio", "is not one of JPEG",
      "is missing",
    ].enumerated() {
      #expect(
        warnings.contains { $0.contains("frame '\(index)'") && $0.contains(words) }, "\(warnings)")
    }
  }

  /// Names the mask of each frame in `transforms.json`.
  private static func nameMasks(in fixture: CaptureFixture, _ path: (Int) -> String) throws {
    for index in 0..<4 {
      let image = "\"images/\(index).png\","
      let named = "\(image) \"mask_path\": \"\(path(index))\","
      try fixture.replace([(image, named)], in: "transforms.json")
    }
  }

  @Test func `missing masks of several frames make one warning`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeTransforms()
    try Self.nameMasks(in: fixture) { "masks/\($0).png" }
    let (scan, warnings) = try fixture.read()
    #expect(scan.capture.frames.allSatisfy { $0.masks.isEmpty })
    #expect(warnings.count == 1)
    #expect(
      warnings.first?.contains("4 frames ('0', '1', '2' and 1 more): its mask is missing") == true,
      "\(warnings)")
    #expect(warnings.first?.contains("(the first: '\(fixture.path)/masks/0.png')") == true)
  }

  @Test func `masks outside the capture are opened only if the user allows it`() throws {
    let (fixture, elsewhere) = (try CaptureFixture(), try TemporaryFolder())
    for index in 0..<4 { try elsewhere.write("\(index).png", Self.png()) }
    func expectRefused(_ comment: Comment) throws {
      let (scan, warnings) = try fixture.read()
      #expect(scan.capture.frames.allSatisfy { $0.masks.isEmpty }, comment)
      #expect(warnings.count == 1, comment)
      #expect(
        warnings.first?.contains("its mask is outside the capture's folder") == true,
        "\(comment) \(warnings)")
      let context = CaptureReadingContext(ReadingContext(allowsExternalFiles: true))
      let frames = try CaptureReader.ofLayouts.find(fixture.path).read(in: context).capture.frames
      #expect(try frames.map(Self.isMasked) == [true, true, true, true], comment)
    }
    try fixture.writeTransforms()
    try Self.nameMasks(in: fixture) { "\(elsewhere.path)/\($0).png" }
    try expectRefused("an absolute path")
    try fixture.writeTransforms()
    try Self.nameMasks(in: fixture) { "../\(FileSystem.name(of: elsewhere.path))/\($0).png" }
    try expectRefused("a path above the folder")
    try fixture.writeTransforms()
    try FileManager.default.createSymbolicLink(
      atPath: fixture.path + "/masks", withDestinationPath: elsewhere.path)
    try expectRefused("a linked folder")
  }

  @Test func `the folder of masks beside the capture is not its own`() throws {
    let fixture = try CaptureFixture()
    let camera = fixture.cameras[0]
    try fixture.folder.write(
      "room/frames.jsonl",
      CaptureFixture.record(0, camera, picture: "0.png").compactText + "\n")
    try fixture.writePicture(camera, to: "room/0.png")
    try fixture.folder.write("masks/0.png", Self.png())
    let (scan, warnings) = try fixture.read("room")
    #expect(scan.capture.frames.map(\.masks) == [[]])
    #expect(
      warnings.contains { $0.contains("its mask is outside the capture's folder") }, "\(warnings)")
    try fixture.folder.write("room/masks/0.png", Self.png())
    let own = try fixture.read("room").scan.capture.frames[0].masks
    #expect(own.map(\.path) == ["\(fixture.path)/room/masks/0.png"])
  }

  @Test func `masks next to images above a COLMAP model are found`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeCOLMAP()
    try fixture.folder.write("masks/room/frame 1.png.png", Self.png())
    let (scan, warnings) = try fixture.read("sparse/0")
    #expect(scan.capture.frames.map(\.masks.count) == [0, 1, 0, 0], "\(warnings)")
  }

  @Test(arguments: ["/volumes/user/room/masks/", "../room/masks/"])
  func `masks are found in the capture's folder where the file has the paths of another machine`(
    path: String
  ) throws {
    let fixture = try CaptureFixture()
    try fixture.writeTransforms()
    try Self.nameMasks(in: fixture) { "\(path)\($0).png" }
    for index in 0..<4 { try fixture.folder.write("masks/\(index).png", Self.png()) }
    let (scan, warnings) = try fixture.read()
    #expect(warnings == [])
    #expect(try scan.capture.frames.map(Self.isMasked) == [true, true, true, true])
  }

  @Test func `a folder of masks none of which belongs to an image is told of`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeTransforms()
    try fixture.folder.write("masks/other.png", Self.png())
    let (scan, warnings) = try fixture.read()
    #expect(scan.capture.frames.allSatisfy { $0.masks.isEmpty })
    #expect(warnings.count == 1)
    #expect(
      warnings.first?.contains("('0.png.png' would be the mask of '0.png')") == true, "\(warnings)")
  }

  @Test func `masks are ignored if the user wants that`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeTransforms()
    for index in 0..<4 { try fixture.folder.write("masks/\(index).png", Self.png()) }
    var found = try CaptureReader.ofLayouts.find(fixture.path)
    found.reading = PoseReading(ignoresMasks: true)
    var settings = RunSettings()
    settings.framesReading = found.reading
    #expect(RunSettings(settings.json)?.framesReading == found.reading)
    let frames = try found.read(in: CaptureReadingContext { _ in }).capture.frames
    #expect(try frames.map(Self.isMasked) == [false, false, false, false])
  }

  @Test func `what is behind a mask does not colour what is beside it`() throws {
    var pixels = [UInt8](repeating: 0, count: 3 * 40 * 30)
    for pixel in 0..<40 * 30 {
      pixels.replaceSubrange(3 * pixel..<3 * pixel + 3, with: [10, UInt8(pixel % 40), 90])
    }
    var painted = Image(width: 40, height: 30, pixels: pixels)
    let hidden = (0..<40 * 30).map { $0 % 40 >= 20 && $0 / 40 >= 12 }
    for pixel in hidden.indices where hidden[pixel] {
      painted.pixels.replaceSubrange(3 * pixel..<3 * pixel + 3, with: [255, 0, 255])
    }
    let masked = painted.masked(PixelMask(width: 40, height: 30, hidden: hidden))
    for pixel in hidden.indices {
      let color = Array(masked.pixels[3 * pixel..<3 * pixel + 3])
      if hidden[pixel] {
        #expect(color[0] == 10 && color[1] < 40 && color[2] == 90, "\(color)")
      } else {
        #expect(color == Array(pixels[3 * pixel..<3 * pixel + 3]))
      }
    }
  }

  @Test func `masks shrink so that no pixel mixes in what is hidden, and grow as they are`() {
    let one = PixelMask(width: 6, height: 4, hidden: (0..<24).map { $0 == 13 })
    #expect(one.resized(to: SIMD2(3, 2)).hidden == [false, false, false, true, false, false])
    #expect(one.resized(to: SIMD2(2, 1)).hidden == [true, false])
    #expect(one.resized(to: SIMD2(12, 8)).hidden.count(where: \.self) == 4)
    #expect(one.grown().hidden.count(where: \.self) == 9)
    #expect(!one.hides(at: SIMD2(.nan, 0)))
  }
}
