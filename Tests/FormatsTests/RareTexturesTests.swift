import Formats
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

/// Textures of the kinds that modellers' and scanners' programs write, in formats that hold only PNG and JPEG.
@Suite struct RareTexturesTests {
  init() { AssimpWorker.executable = Program.meshpipe }

  struct Kind: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    var testDescription: String { name }
  }

  static let kinds = [
    Kind(name: "t.bmp", bytes: RarePictures.bmp()), Kind(name: "t.tga", bytes: RarePictures.tga()),
    Kind(name: "t.tif", bytes: RarePictures.tiff()),
    Kind(name: "wide.tif", bytes: RarePictures.tiff(bits: 16)),
    Kind(name: "motorola.tiff", bytes: RarePictures.tiff(bits: 16, isBigEndian: true)),
    Kind(name: "tiles.tif", bytes: RarePictures.tiff(isTiled: true)),
    Kind(name: "t.exr", bytes: RarePictures.exr { RarePictures.light(RarePictures.paint($0, $1)) }),
    Kind(name: "t.psd", bytes: RarePictures.psd()), Kind(name: "t.dds", bytes: RarePictures.dds()),
  ]

  /// A square whose only material has a picture.
  private func scan(
    _ name: String, _ bytes: [UInt8], as keyword: String = "map_Kd", in folder: TemporaryFolder
  ) throws -> String {
    try folder.write(name, bytes)
    try folder.write("a.mtl", "newmtl a\n\(keyword) \(name)\n")
    return try folder.write(
      "a.obj",
      "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nusemtl a\nf 1/1 2/2 3/3\n")
  }

  private func written(
    _ scan: String, as format: any WritableFormat.Type, in folder: TemporaryFolder
  ) throws -> (scene: Scene, warnings: [String]) {
    let context = WritingContext()
    let output = OutputSet(folder: folder.path + "/out", mainFileName: "b.\(format.extensions[0])")
    try FileSystem.createFolder(folder.path + "/out")
    try format.write(try Reading(scan).scene, to: output, in: context)
    return (try Reading(output.mainPath).scene, context.stage.warnings)
  }

  private func expectPaint(_ texture: Texture, within tolerance: Int) throws {
    let raster = try TextureRaster(texture)
    try #require(raster.size == SIMD2(RarePictures.width, RarePictures.height))
    for place in raster.pixels.indices {
      let (x, y) = (place % raster.size.x, place / raster.size.x)
      // Away from the borders of the fields, which JPEG blurs.
      guard (2..<14).contains(x % 16), (2..<14).contains(y % 16) else { continue }
      let (found, painted) = (raster.pixels[place], RarePictures.paint(x, y))
      let isNear = (0..<4).allSatisfy { abs(Int(found[$0]) - Int(painted[$0])) <= tolerance }
      guard isNear else {
        Issue.record("\(found) instead of \(painted) at \(x), \(y)")
        return
      }
    }
  }

  @Test(arguments: kinds) func `the picture is decoded`(kind: Kind) throws {
    let folder = try TemporaryFolder()
    let texture = try #require(
      try Reading(scan(kind.name, kind.bytes, in: folder)).scene.textures.first)
    try expectPaint(texture, within: 1)
    #expect(texture.pixelSize == SIMD2(RarePictures.width, RarePictures.height))
  }

  @Test(arguments: kinds, [GLB.self, USDZ.self, ThreeMF.self] as [any WritableFormat.Type])
  func `the picture becomes JPEG`(kind: Kind, format: any WritableFormat.Type) throws {
    let folder = try TemporaryFolder()
    let (scene, warnings) = try written(
      scan(kind.name, kind.bytes, in: folder), as: format, in: folder)
    #expect(!warnings.contains { $0.contains(kind.name) }, "\(warnings)")
    let texture = try #require(scene.textures.first)
    #expect(texture.encoding == .jpeg)
    try expectPaint(texture, within: 12)
  }

  @Test(arguments: kinds, [OBJ.self, PLY.self] as [any WritableFormat.Type])
  func `the picture stays itself where it can`(kind: Kind, format: any WritableFormat.Type) throws {
    let folder = try TemporaryFolder()
    let (scene, _) = try written(scan(kind.name, kind.bytes, in: folder), as: format, in: folder)
    #expect(scene.textures.first?.bytes == kind.bytes)
  }

  @Test func `COLLADA keeps TIFF and gets JPEG for OpenEXR`() throws {
    let folder = try TemporaryFolder()
    let tiff = try written(
      scan("t.tif", RarePictures.tiff(), in: folder), as: COLLADA.self, in: folder)
    #expect(tiff.scene.textures.first?.encoding == .tiff)
    let exr = RarePictures.exr { RarePictures.light(RarePictures.paint($0, $1)) }
    let other = try written(scan("t.exr", exr, in: folder), as: COLLADA.self, in: folder)
    try expectPaint(try #require(other.scene.textures.first), within: 12)
  }

  @Test func `opacity of OpenEXR is taken out of its colours`() throws {
    let folder = try TemporaryFolder()
    let bytes = RarePictures.exr(hasOpacity: true) { x, y in
      let light = RarePictures.light(RarePictures.paint(x, y))
      return SIMD4(0.5 * light.x, 0.5 * light.y, 0.5 * light.z, 0.5)
    }
    let (scene, _) = try written(scan("t.exr", bytes, in: folder), as: GLB.self, in: folder)
    let texture = try #require(scene.textures.first)
    #expect(texture.encoding == .png)
    let raster = try TextureRaster(texture)
    #expect(raster.pixels[0] == SIMD4(230, 30, 30, 128))
  }

  @Test func `numbers in OpenEXR beyond white and below black are clamped, and none is black`()
    throws
  {
    let values: [Float] = [-1, .nan, 0, 0.5, 2, .infinity]
    let bytes = RarePictures.exr { x, _ in SIMD4(repeating: values[x % 6]) }
    let raster = try TextureRaster(Texture(fileName: "t.exr", encoding: .other, bytes: bytes))
    #expect(raster.pixels.prefix(6).map(\.x) == [0, 0, 0, 188, 255, 255])
  }

  @Test func `directions in OpenEXR are numbers and no light`() throws {
    let folder = try TemporaryFolder()
    let bytes = RarePictures.exr { _, _ in SIMD4(0.5, 0.5, 1, 1) }
    let (scene, _) = try written(
      scan("n.exr", bytes, as: "norm", in: folder), as: GLB.self, in: folder)
    let texture = try #require(scene.materials[0].normalTexture.map { scene.textures[$0] })
    #expect(texture.encoding == .png)
    #expect(try TextureRaster(texture).pixels[0] == SIMD4(128, 128, 255, 255))
  }

  @Test func `16-bit PNG keeps its opacity`() throws {
    let samples: [UInt16] = [0x8080, 0xFF00, 0x0100, 0x4040]
    let bytes = try PNG.encode16(samples + samples, width: 2, height: 1, channels: 4)
    let raster = try TextureRaster(Texture(fileName: "a.png", encoding: .png, bytes: bytes))
    #expect(raster.pixels[0] == SIMD4(0x80, 0xFE, 0x01, 0x40))
  }

  @Test(arguments: kinds) func `a picture that ends early is lost with a warning`(kind: Kind) throws
  {
    let folder = try TemporaryFolder()
    let bytes = Array(kind.bytes.prefix(kind.bytes.count / 2))
    let (scene, warnings) = try written(
      scan(kind.name, bytes, in: folder), as: GLB.self, in: folder)
    #expect(scene.textures.isEmpty)
    #expect(
      warnings.contains { $0.contains("it will be lost") && $0.contains(kind.name) }, "\(warnings)")
  }

  @Test(arguments: kinds) func `damage is an error or another picture, and no crash`(kind: Kind)
    throws
  {
    var generator = SeededGenerator(seed: 51)
    for _ in 0..<40 {
      var bytes = kind.bytes
      for _ in 0..<6 {
        let end = Bool.random(using: &generator) ? min(400, bytes.count) : bytes.count
        bytes[Int.random(in: 0..<end, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      let encoding = Texture.Encoding(bytes: bytes, fileName: kind.name)
      let texture = Texture(fileName: kind.name, encoding: encoding, bytes: bytes)
      let told = texture.pixelSize
      guard let raster = try? TextureRaster(texture) else { continue }
      #expect(raster.pixels.count == raster.size.x * raster.size.y)
      #expect(told == nil || told == raster.size)
    }
  }
}
