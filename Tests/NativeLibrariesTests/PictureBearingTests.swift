import Foundation
import MeshTestSupport
import MeshpipeBase
import Testing

@testable import NativeLibraries

/// The directions that other programs write into photographs.
struct PictureBearingTests {
  private func bearing(ofFile path: String) throws -> PictureBearing? {
    PictureBearing(try MappedFile(path: path, allowsPipes: false))
  }

  @Test(
    .needs("PIL"), arguments: [("T", 123.45), ("M", 0.0), ("T", 359.5)])
  func `the direction of a photograph is read as Pillow writes it`(
    letter: String, degrees: Double
  ) throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/a.jpg"
    let script = """
      import sys
      from PIL import Image, TiffImagePlugin
      exif = Image.Exif()
      exif[0x010F] = "Maker of phones"
      exif[0x8825] = {16: sys.argv[2], 17: TiffImagePlugin.IFDRational(round(float(sys.argv[3]) * 100), 100)}
      Image.new("RGB", (64, 48), (90, 120, 30)).save(sys.argv[1], exif=exif)
      """
    let run = try Program.run(Checkers.python, ["-c", script, path, letter, "\(degrees)"])
    try #require(run.status == 0, "\(run)")
    let found = try #require(try bearing(ofFile: path))
    #expect(abs(found.bearing * 180 / .pi - degrees) < 1e-9)
    #expect(found.isMagnetic == (letter == "M"))
  }

  @Test func `damaged data say nothing`() throws {
    var exif: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x88, 0x25, 0, 4, 0, 0, 0, 1]
    exif += [0, 0, 0, 26, 0, 0, 0, 0]
    exif += [0, 1, 0, 17, 0, 5, 0, 0, 0, 1, 0, 0, 0, 44, 0, 0, 0, 0, 0, 0, 0, 90, 0, 0, 0, 1]
    let whole = try #require(PictureBearing(exif: exif))
    #expect(abs(whole.bearing - .pi / 2) < 1e-12)
    for count in exif.indices { #expect(PictureBearing(exif: Array(exif.prefix(count))) == nil) }
    for place in exif.indices {
      for value: UInt8 in [0, 1, 17, 0x7F, 0xFF] {
        var damaged = exif
        damaged[place] = value
        let found = PictureBearing(exif: damaged)
        #expect(found.map { (0...2 * Double.pi).contains($0.bearing) } ?? true)
      }
    }
  }
}
