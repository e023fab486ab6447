import Foundation
import MeshTestSupport
import MeshpipeBase
import Testing

@testable import NativeLibraries

/// The positions and directions that other programs write into photographs.
struct PictureLocationTests {
  private func location(ofFile path: String) throws -> PictureLocation? {
    PictureLocation(try MappedFile(path: path, allowsPipes: false))
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
    let found = try #require(try location(ofFile: path))
    let bearing = try #require(found.bearing)
    #expect(abs(bearing * 180 / .pi - degrees) < 1e-9)
    #expect(found.position == nil)
    #expect(found.isMagnetic == (letter == "M"))
  }

  @Test(.needs("PIL"), arguments: [("N", "E", 0), ("S", "W", 1)])
  func `the position of a photograph is read as Pillow writes it`(
    north: String, east: String, below: Int
  ) throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/a.jpg"
    let script = """
      import sys
      from PIL import Image, TiffImagePlugin
      fraction = lambda value, below=1: TiffImagePlugin.IFDRational(value, below)
      exif = Image.Exif()
      exif[0x8825] = {
        1: sys.argv[2], 2: (fraction(50), fraction(7), fraction(2442, 100)),
        3: sys.argv[3], 4: (fraction(8), fraction(39), fraction(1556, 100)),
        5: bytes([int(sys.argv[4])]), 6: fraction(1125, 10), 31: fraction(48, 10)}
      Image.new("RGB", (64, 48), (90, 120, 30)).save(sys.argv[1], exif=exif)
      """
    let run = try Program.run(Checkers.python, ["-c", script, path, north, east, "\(below)"])
    try #require(run.status == 0, "\(run)")
    let found = try #require(try location(ofFile: path))
    let position = try #require(found.position)
    let sign: Double = below == 1 ? -1 : 1
    #expect(abs(position.latitude - sign * (50 + 7 / 60.0 + 24.42 / 3600)) < 1e-12)
    #expect(abs(position.longitude - sign * (8 + 39 / 60.0 + 15.56 / 3600)) < 1e-12)
    #expect(position.height == sign * 112.5)
    #expect(found.positionError == 4.8)
    #expect(found.bearing == nil)
  }

  @Test func `damaged data say nothing`() throws {
    var exif: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x88, 0x25, 0, 4, 0, 0, 0, 1]
    exif += [0, 0, 0, 26, 0, 0, 0, 0]
    exif += [0, 1, 0, 17, 0, 5, 0, 0, 0, 1, 0, 0, 0, 44, 0, 0, 0, 0, 0, 0, 0, 90, 0, 0, 0, 1]
    let whole = try #require(PictureLocation(exif: exif))
    #expect(try abs(#require(whole.bearing) - .pi / 2) < 1e-12)
    for count in exif.indices { #expect(PictureLocation(exif: Array(exif.prefix(count))) == nil) }
    for place in exif.indices {
      for value: UInt8 in [0, 1, 17, 0x7F, 0xFF] {
        var damaged = exif
        damaged[place] = value
        let found = PictureLocation(exif: damaged)
        #expect(found?.bearing.map { (0...2 * Double.pi).contains($0) } ?? true)
      }
    }
  }
}
