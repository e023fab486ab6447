import Foundation
import MeshPipeline
import NativeLibraries
import Testing

@testable import MeshpipeCommand

private func preview(_ arguments: [String], in folder: TemporaryFolder) throws -> Outcome {
  try CommandProcess.run(["preview"] + arguments, in: folder)
}

private func picture(_ name: String, in folder: TemporaryFolder) throws -> Image {
  let path = folder.path + "/" + name
  return try Image.decoded(from: FileSystem.contents(of: path), path: path)
}

struct PreviewTests {
  @Test func `a picture has its size, and shows the model`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    let outcome = try preview(["scan.obj", "-o", "a.png", "--size", "40x30"], in: folder)
    #expect(outcome.status == 0 && outcome.errors.isEmpty && outcome.text.isEmpty, "\(outcome)")
    let image = try picture("a.png", in: folder)
    #expect(image.size == SIMD2(40, 30))
    let corner = Array(image.pixels[0..<3])
    let middle = 3 * (15 * 40 + 20)
    #expect(Array(image.pixels[middle..<middle + 3]) != corner)
    #expect(folder.names == ["a.png", "scan.obj"])
  }

  @Test func `a picture goes to a JPEG, or through standard output`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    #expect(try preview(["scan.obj", "-o", "new/a.jpg", "--size", "40"], in: folder).status == 0)
    #expect(try picture("new/a.jpg", in: folder).size == SIMD2(40, 30))
    let outcome = try preview(["scan.obj", "-o", "-", "--size", "8x6", "-j", "1"], in: folder)
    #expect(outcome.status == 0)
    let bytes = [UInt8](outcome.output)
    #expect(try Image.decoded(from: bytes, path: "-").size == SIMD2(8, 6))
  }

  @Test func `a turntable writes a picture for each step`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    let size = ["--size", "16x12", "--view", "0,30"]
    #expect(
      try preview(["scan.obj", "-o", "a.png", "--turntable", "2"] + size, in: folder).status == 0)
    #expect(
      try preview(["scan.obj", "-o", "t/%02d.b.jpg", "--turntable", "3"] + size, in: folder)
        .status == 0)
    #expect(
      folder.names == ["a-000.png", "a-001.png", "scan.obj", "t"])
    #expect(folder.exists("t/00.b.jpg") && folder.exists("t/02.b.jpg"))
    #expect(!folder.exists("t/03.b.jpg"))
  }

  @Test func `a picture to scale is as large on paper as it says`() throws {
    let folder = try TemporaryFolder()
    // A metre wide, and deep.
    try folder.writeScan()
    let arguments = ["scan.obj", "--scale", "1:20", "--background", "transparent", "-o", "a.png"]
    for (options, dots) in [([], 200.0), (["--dpi", "300"], 300)] {
      let outcome = try preview(arguments + options + ["-f"], in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let bytes = try FileSystem.contents(of: folder.path + "/a.png")
      let samples = try PNG.samples(of: bytes, path: "a.png")
      let row = samples.height / 3
      let opaque = (0..<samples.width).count {
        samples.bytes[4 * (row * samples.width + $0) + 3] > 127
      }
      let start = try #require(
        bytes.indices.dropLast(4).first { bytes[$0..<$0 + 4].elementsEqual("pHYs".utf8) })
      let perMeter = bytes[(start + 4)..<(start + 8)].reduce(0) { 256 * $0 + Double($1) }
      #expect(abs(perMeter - dots / 0.0254) < 0.5)
      // A pixel is the least that can be told.
      #expect(abs(Double(opaque) / perMeter * 20 - 1) < 20 / perMeter)
    }
    let large = try preview(
      ["scan.obj", "--scale", "1:1", "--dpi", "2400", "-o", "b.png"], in: folder)
    #expect(large.status == 64)
    // With its margins a metre at 1:10 has more than 10,000 pixels each way, and half as many at 1:20.
    #expect(large.errors.contains("use '--scale 1:20', which fits"), "\(large.errors)")
    #expect(!folder.exists("b.png"))
  }

  @Test func `an orthographic turntable has one scale`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    let outcome = try preview(
      [
        "scan.obj", "-o", "a.jpg", "--orthographic", "--view", "20,30", "--turntable", "3",
        "--size",
        "200",
      ], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try picture("a-002.jpg", in: folder).size == SIMD2(200, 150))
  }

  @Test func `files are replaced as by the other verbs`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan(materials: "paint.mtl")
    try folder.write("newmtl paint\nmap_Kd wood.png\n", to: "paint.mtl")
    try folder.writePicture("wood.png")
    let texture = try preview(["scan.obj", "-o", "wood.png", "--size", "8"], in: folder)
    #expect(texture.status == 73)
    #expect(texture.errors.contains("would overwrite the input"), "\(texture.errors)")
    try folder.write("old", to: "a.png")
    #expect(
      try preview(["scan.obj", "-o", "a.png", "--no-overwrite", "--size", "8"], in: folder).status
        == 73)
    #expect(try folder.text(of: "a.png") == "old")
    #expect(try preview(["scan.obj", "-o", "a.png", "--size", "8"], in: folder).status == 0)
    #expect(try picture("a.png", in: folder).size == SIMD2(8, 6))
  }

  @Test(
    arguments: [
      (["-o", "a.gif"], "'a.gif' is not a .png, .jpg, .jpeg or .html file"),
      ([], "needs an output: -o IMAGE"),
      (["-o", "a.png", "--view", "above"], "'above' is not one of three-quarter, front"),
      (["-o", "a.png", "--size", "big"], "'big' is neither WIDTHxHEIGHT nor a width"),
      (["-o", "a.png", "--size", "0x9"], "'0x9' is neither WIDTHxHEIGHT"),
      (["-o", "a.png", "--size", "9223372036854775807"], "nor a width, from 1 to 30000"),
      (["-o", "a.png", "--size", "30000x30000"], "more than 100 million pixels"),
      (["-o", "a.png", "--background", "#12"], "'#12' is neither #rrggbb"),
      (["-o", "a.jpg", "--background", "transparent"], "only PNG can be transparent"),
      (["-o", "-", "--turntable", "3"], "standard output takes only one"),
      (["-o", "a.png", "-f", "--no-overwrite"], "exclude each other"),
      (["-o", "a.png", "--frame", "3"], "'--frame' requires '--compare CAPTURE'"),
      (["-o", "a.png", "--compare", "c", "--view", "top"], "leave out '--view'"),
      (["-o", "a.png", "--dpi", "300"], "'--dpi' requires '--scale SCALE'"),
      (["-o", "a.png", "--scale", "50"], "'50' is not a scale like 1:50"),
      (["-o", "a.png", "--scale", "1:50", "--size", "800"], "leave out '--size'"),
      (["-o", "a.png", "--orthographic", "--size", "80"], "needs at least 160x120 pixels"),
      (["-o", "a.png", "--orthographic", "--view", "inside"], "leave out 'inside'"),
      (["-o", "a.png", "--compare", "c", "--scale", "1:9"], "leave out '--scale'"),
      (["-o", "a.png", "--shading", "soft"], "'soft' is not one of 'auto', 'lit', 'unlit'"),
    ] as [([String], String)])
  func `mistakes in the options are told`(arguments: [String], message: String) throws {
    let folder = try TemporaryFolder()
    let outcome = try preview(["none.obj"] + arguments, in: folder)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }

  @Test func `a scan without anything to see is told`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\n"
        + "property float z\nend_header\n", to: "scan.ply")
    let outcome = try preview(["scan.ply", "-o", "a.png"], in: folder)
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("scan.ply: "), "\(outcome.errors)")
    #expect(!folder.exists("a.png"))
    #expect(try preview(["none.obj", "-o", "a.png"], in: folder).status == 66)
  }

  @Test func `a texture that is damaged is told, and the rest is shown`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan(materials: "paint.mtl")
    try folder.write("newmtl paint\nmap_Kd wood.png\n", to: "paint.mtl")
    try folder.write("no picture", to: "wood.png")
    let outcome = try preview(["scan.obj", "-o", "a.png", "--size", "8"], in: folder)
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("warning: texture wood.png"), "\(outcome.errors)")
  }

  @Test func `a capture is compared with its mesh`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      {"frame_idx": 0, "resolution": [1, 1], "intrinsics": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], \
      "camera_in_world_4x4": [1, 0, 0, 0, 0, 1, 0, 2, 0, 0, 1, 0, 0, 0, 0, 1], "rgb_path": "a.png"}

      """, to: "room/frames.jsonl")
    try folder.writePicture("room/a.png")
    try folder.writeScan("room/mesh.obj")
    for scan in ["room", "room/mesh.obj"] {
      let outcome = try preview(
        [scan, "-o", "\(scan.count).png", "--compare", "room", "--frame", "a.png", "--difference"],
        in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let image = try picture("\(scan.count).png", in: folder)
      #expect(image.size == SIMD2(7, 1) && image.pixels[0] == 255)
    }
    let none = try preview(
      ["room", "-o", "a.png", "--compare", "room", "--frame", "9"], in: folder)
    #expect(none.status == 64)
    #expect(none.errors.contains("no frame '9'; there are 1: 0 to 0"), "\(none.errors)")
    #expect(try preview(["room", "-o", "a.png", "--size", "8"], in: folder).status == 0)
  }

  @Test func `numbers go into names`() {
    #expect(NumberedName.path("a/b.c/out.png", number: 7) == "a/b.c/out-007.png")
    #expect(NumberedName.path("out.png", number: 1234) == "out-1234.png")
    #expect(NumberedName.path("%d/out%04d.jpg", number: 7) == "%d/out0007.jpg")
    #expect(NumberedName.path("%d.png", number: 12) == "12.png")
  }
}
