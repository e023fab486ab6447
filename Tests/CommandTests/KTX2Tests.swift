import Foundation
import MeshPipeline
import NativeLibraries
import Testing

/// Textures in KTX2, by programs in the PATH; stand-ins for them write down how they are called.
@Suite struct KTX2Tests {
  /// A file with a header and nothing else: what only passes through needs no more.
  private static func file(width: UInt8, height: UInt8) -> [UInt8] {
    var bytes: [UInt8] = [0xAB, 0x4B, 0x54, 0x58, 0x20, 0x32, 0x30, 0xBB, 0x0D, 0x0A, 0x1A, 0x0A]
    for number in [0, 1, width, height, 0, 0, 1, 1, 1] { bytes += [number, 0, 0, 0] }
    return bytes + [UInt8](repeating: 0, count: 48)
  }

  private static let model = """
    mtllib a.mtl
    v 0 0 0
    v 1 0 0
    v 0 1 0
    vt 0 0
    vt 1 0
    vt 0 1
    usemtl painted
    f 1/1 2/2 3/3

    """

  private static func pipeline(_ textures: String) -> String {
    """
    { "meshpipe": 1, "stages": [{ "use": "weld" }], "outputs":
      [{ "path": "${stem}.gltf", "with": { "textures": "\(textures)", "quality": 50 } }] }
    """
  }

  private let folder: TemporaryFolder
  private let picture: TextureRaster

  init() throws {
    folder = try TemporaryFolder()
    picture = TextureRaster(
      size: SIMD2(16, 8),
      pixels: (0..<128).map { SIMD4(UInt8($0), UInt8(255 - $0), UInt8($0 / 2), 255) })
    let png = try picture.encoded(as: .png, quality: nil)
    for name in ["a.png", "n.png"] { try write(png, to: name) }
    try folder.write(Self.model, to: "a.obj")
    try folder.write("newmtl painted\nmap_Kd a.png\nnorm n.png\n", to: "a.mtl")
    try folder.write(Self.pipeline("ktx2"), to: "ktx2.json")
    try write(Self.file(width: 16, height: 8), to: "made.ktx2")
  }

  private func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: folder.url.appendingPathComponent(name))
  }

  /// Makes a program that appends its arguments to `calls`, and copies a file to where the result is expected.
  private func makeProgram(_ name: String, givesWhat file: String, at argument: String) throws {
    let bin = folder.url.appendingPathComponent("bin")
    try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
    let path = bin.appendingPathComponent(name).path
    let text = """
      #!/bin/sh
      echo "\(name) $@" >> '\(folder.url.path)/calls'
      \(argument)
      /bin/cp '\(folder.url.path)/\(file)' "$result"

      """
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  private static let last = "for result in \"$@\"; do :; done"

  private func run(_ arguments: [String]) throws -> Outcome {
    var environment = CommandProcess.environment
    environment["PATH"] = "\(folder.url.path)/bin"
    return try CommandProcess.run(
      CommandProcess.executable, arguments, in: folder, environment: environment)
  }

  /// The calls without the names of temporary files.
  private func calls() throws -> [String] {
    try String(contentsOfFile: "\(folder.url.path)/calls", encoding: .utf8).split(separator: "\n")
      .map { line in
        line.split(separator: " ").map {
          $0.hasPrefix("/") ? FileSystem.name(of: String($0)) : String($0)
        }
        .joined(separator: " ")
      }.sorted()
  }

  @Test(arguments: [
    (
      "ktx", Self.last,
      [
        """
        ktx create --format R8G8B8_SRGB --assign-oetf srgb --encode basis-lz --qlevel \
        127 --generate-mipmap --threads 1 in.png out.ktx2
        """,
        """
        ktx create --format R8G8B8_UNORM --assign-oetf linear --assign-primaries none \
        --encode uastc --uastc-quality 2 --zstd 18 --generate-mipmap --threads 1 \
        in.png out.ktx2
        """,
      ]
    ),
    (
      "toktx", "for word in \"$@\"; do case $word in *.ktx2) result=$word;; esac; done",
      [
        """
        toktx --t2 --assign_oetf linear --assign_primaries none --encode uastc \
        --uastc_quality 2 --zcmp 18 --genmipmap --threads 1 out.ktx2 in.png
        """,
        """
        toktx --t2 --assign_oetf srgb --encode etc1s --qlevel 127 --genmipmap \
        --threads 1 out.ktx2 in.png
        """,
      ]
    ),
    (
      "basisu", Self.last,
      [
        "basisu -ktx2 -q 127 -mipmap -no_multithreading -file in.png -output_file out.ktx2",
        """
        basisu -ktx2 -uastc -uastc_level 2 -linear -mipmap -no_multithreading -file \
        in.png -output_file out.ktx2
        """,
      ]
    ),
  ])
  func `colours and normal maps become KTX2`(
    name: String, argument: String, expected: [String]
  ) throws {
    try makeProgram(name, givesWhat: "made.ktx2", at: argument)
    let outcome = try run(["run", "ktx2.json", "a.obj", "-o", "out/"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try calls() == expected)
    let bytes = try FileSystem.contents(of: "\(folder.url.path)/out/a.gltf")
    let json = try #require(JSONReader.read(bytes).value)
    for key in ["extensionsUsed", "extensionsRequired"] {
      #expect(json[key]?.elements.compactMap(\.text) == ["KHR_texture_basisu"])
    }
    #expect(
      json["images"]?.elements.compactMap { $0["mimeType"]?.text } == ["image/ktx2", "image/ktx2"])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: "\(folder.url.path)/out").count {
        $0.hasSuffix(".ktx2")
      }
        == 2)
  }

  @Test func `without a program the message names those that there are`() throws {
    let outcome = try run(["run", "ktx2.json", "a.obj", "-o", "out/"])
    #expect(outcome.status == 69)
    #expect(
      outcome.errors.contains(
        """
        KTX2 needs 'ktx' or 'toktx' of the KTX-Software, or 'basisu', in the PATH; \
        needed for \"textures\": \"ktx2\", while \"jpeg\" works without
        """
      ), "\(outcome.errors)")
  }

  @Test func `a size that glTF does not allow stays as it is, and a program's failure is told`()
    throws
  {
    try makeProgram("ktx", givesWhat: "missing", at: "result=/dev/null; echo no codec >&2; exit 4")
    let odd = TextureRaster(size: SIMD2(6, 8), pixels: Array(picture.pixels.prefix(48)))
    try write(odd.encoded(as: .png, quality: nil), to: "n.png")
    let outcome = try run(["run", "ktx2.json", "a.obj", "-o", "out/"])
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("texture a.png: 'ktx' fails: no codec; it is written as it is"))
    #expect(
      outcome.errors.contains(
        """
        texture n.png: has 6 x 8 pixels, and KTX2 in glTF needs multiples of 4; it is \
        written as it is
        """
      ))
  }

  /// A model with KTX2 textures, as another program might have written it.
  private func makeCompressedModel() throws {
    try makeProgram("ktx", givesWhat: "made.ktx2", at: Self.last)
    let outcome = try run(["run", "ktx2.json", "a.obj", "-o", "out/"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    try FileManager.default.removeItem(atPath: "\(folder.url.path)/calls")
    try FileManager.default.removeItem(atPath: "\(folder.url.path)/bin/ktx")
  }

  @Test func `KTX2 is decoded for a format that can't hold it`() throws {
    try makeCompressedModel()
    try makeProgram("ktx", givesWhat: "a.png", at: Self.last)
    let outcome = try run(["run", "out/a.gltf", "-o", "b.obj"])
    #expect(outcome.status == 0 && !outcome.errors.contains("KTX2"), "\(outcome.errors)")
    #expect(try Set(calls()) == ["ktx extract --transcode rgba8 in.ktx2 out.png"])
    #expect(folder.names.contains { $0.hasPrefix("b") && $0.hasSuffix(".jpg") })
    #expect(!folder.names.contains { $0.hasPrefix("b") && $0.hasSuffix(".ktx2") })
  }

  @Test func `glTF keeps KTX2 without a program, and others warn with the way out`() throws {
    try makeCompressedModel()
    let same = try run(["run", "out/a.gltf", "-o", "c.glb"])
    #expect(same.status == 0 && !same.errors.contains("KTX2"), "\(same.errors)")
    let outcome = try run(["run", "out/a.gltf", "-o", "b.obj"])
    #expect(outcome.status == 0)
    #expect(
      outcome.errors.contains(
        """
        is KTX2, which needs the program 'ktx' of the KTX-Software in the PATH (4.3 or \
        newer); or convert it to PNG
        """
      ), "\(outcome.errors)")
  }

  @Test(arguments: [(20, 255), (28, 2), (32, 1), (36, 6)])
  func `what is no plain picture is refused before a program sees it`(offset: Int, value: UInt8)
    throws
  {
    var bytes = Self.file(width: 16, height: 8)
    // 255 in all bytes of the width is more than any picture has.
    for place in offset..<offset + (offset == 20 ? 4 : 1) { bytes[place] = value }
    #expect(throws: ImageError.self) { try KTX2.raster(of: bytes, path: "a.ktx2") }
    #expect(throws: ImageError.self) {
      try KTX2.raster(of: Array(bytes.prefix(60)), path: "a.ktx2")
    }
  }
}
