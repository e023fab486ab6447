import Foundation
import MeshPipeline
import NativeLibraries
import Testing

/// Codecs that libheif has in itself, as in Debian 12, or finds in a folder, as in Debian 13.
@Suite struct PictureCodecTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.writeScan("a.obj", materials: "a.mtl")
    try folder.write("newmtl paint\nmap_Kd a.png\n", to: "a.mtl")
    // Grain over a slope: much smaller as AVIF, so that the file's PNG is not kept.
    let side = 128
    let pixels = (0..<side * side).map { place in
      let grain = place * 7919 % 251 % 16
      return SIMD4(UInt8(place % side + grain), UInt8(place / side + grain), UInt8(grain), 255)
    }
    let picture = TextureRaster(size: SIMD2(side, side), pixels: pixels)
    try Data(picture.encoded(as: .png, quality: nil))
      .write(to: folder.url.appendingPathComponent("a.png"))
  }

  /// Runs the command where libheif finds no codecs beside its own.
  private func runWithoutPlugins(_ arguments: String...) throws -> Outcome {
    var environment = CommandProcess.environment
    environment["LIBHEIF_PLUGIN_PATH"] = folder.url.path
    return try CommandProcess.run(
      CommandProcess.executable, ["run"] + arguments, in: folder, environment: environment)
  }

  @Test func `a missing encoder of AVIF is named with its package`() throws {
    let written = try runWithoutPlugins("a.obj", "-o", "a.glb", "--set", "textures=avif")
    if written.status == 0 { return }
    #expect(written.status == 69)
    let words = "libheif has no encoder of AVIF: 'apt-get install libheif-plugin-aomenc' adds one;"
    #expect(written.errors.contains(words), "\(written.errors)")
  }

  @Test func `a missing decoder of AVIF is named with its package`() throws {
    let arguments = ["run", "a.obj", "-o", "a.glb", "--set", "textures=avif"]
    let written = try CommandProcess.run(arguments, in: folder)
    #expect(written.status == 0, "\(written.errors)")
    let read = try runWithoutPlugins("a.glb", "-o", "b.obj")
    #expect(read.status == 0, "\(read.errors)")
    let texture = try folder.text(of: "b.mtl")
    if texture.contains(".jpg") { return }
    #expect(read.errors.contains("'apt-get install libheif-plugin-libde265"), "\(read.errors)")
  }
}
