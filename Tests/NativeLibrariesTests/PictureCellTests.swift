import MeshPipeline
import MeshTestSupport
import Testing

@testable import NativeLibraries

/// JPEG and PNG, which are decoded in cells.
@Suite(.neverHangs)
struct PictureCellTests {
  private static let limits = DecoderCell.Limits(seconds: 60, memory: 1 << 30, answer: 1 << 28)

  /// A picture with opacity, whose colours follow from its place.
  private static let image = Image(
    width: 37, height: 21, pixels: (0..<777).flatMap { color(ofPixel: $0) })
  private static let opacity = (0..<777).map { UInt8($0 % 256) }

  private static func color(ofPixel pixel: Int) -> [UInt8] {
    let (x, y) = (pixel % 37, pixel / 37)
    return [UInt8(6 * x), UInt8(12 * y), UInt8(pixel % 251)]
  }

  private static func files() throws -> [(DecoderLibrary, [UInt8])] {
    let wide = (0..<3 * 777).map { UInt16($0 * 28) }
    return [
      (.jpeg, try JPEG.encode(image, quality: 90)), (.jpeg, PictureFixtures.cmykJPEG),
      (.png, try PNG.encode(image)), (.png, try PNG.encode(image, alpha: opacity)),
      (.png, try PNG.encodeGray8(opacity, width: 37, height: 21)),
      (.png, try PNG.encode16(wide, width: 37, height: 21, channels: 3)),
    ]
  }

  @Test func `pictures are those of a decoder in this process`() throws {
    let cells = [
      DecoderLibrary.jpeg: try DecoderCell(.jpeg, executable: Program.meshpipe),
      .png: try DecoderCell(.png, executable: Program.meshpipe),
    ]
    for (library, bytes) in try Self.files() {
      for (channels, reduction) in [(0, 1), (3, 1), (4, 1), (4, 2), (4, 8)] {
        let request = PictureDecoding.request(
          library, bytes, channels: channels, reducedBy: reduction)
        let here = DecoderService().answer(to: request, files: [])
        #expect((here.outcome == .done) == (library == .png || channels > 0), "\(here.text)")
        #expect(here.outcome != .done || PictureDecoding.fault(of: here, to: request) == nil)
        #expect(try cells[library]?.answer(to: request, Self.limits) == here)
        var limits = Self.limits
        limits.isOfPixels = channels == 4
        let there = try cells[library]?.answer(to: request, limits)
        #expect(there == here.asPixels(limits.isOfPixels))
      }
    }
  }

  @Test func `opacity, grey and wide samples keep their values`() throws {
    OwnProgram.chosenPath = Program.meshpipe
    let files = try Self.files()
    let pixels = (0..<777).map { pixel in
      let color = Self.color(ofPixel: pixel)
      return SIMD4(color[0], color[1], color[2], Self.opacity[pixel])
    }
    #expect(try PNG.raster(of: files[3].1, path: "").pixels == pixels)
    #expect(try PNG.decode(files[3].1, path: "") == Self.image)
    let grey = try PNG.raster(of: files[4].1, path: "").pixels
    #expect(grey == Self.opacity.map { SIMD4($0, $0, $0, 255) })
    let wide = try PNG.raster(of: files[5].1, path: "").pixels
    for (pixel, found) in wide.enumerated() {
      for channel in 0..<3 {
        let value = Double((3 * pixel + channel) * 28)
        #expect(abs(Double(found[channel]) - value / 257) <= 0.5)
      }
      #expect(found.w == 255)
    }
  }

  @Test func `answers that don't fit their requests are refused`() throws {
    let png = try PNG.encode(Self.image)
    func fault(
      _ channels: Int, _ numbers: [Int], count: Int, reducedBy reduction: Int = 1
    ) -> String? {
      let bytes = [UInt8](repeating: 0, count: count)
      return PictureDecoding.fault(
        of: CellMessage(.done, numbers, bytes: bytes),
        to: PictureDecoding.request(.png, png, channels: channels, reducedBy: reduction))
    }
    #expect(fault(3, [37, 21], count: 2331) == nil)
    #expect(fault(0, [37, 21, 2, 16], count: 4 * 777) == nil)
    #expect(fault(4, [10, 6], count: 240, reducedBy: 4) == nil)
    let wrong: [(numbers: [Int], count: Int)] = [
      ([], 0), ([37], 37), ([0, 21], 0), ([-37, -21], 2331), ([.max, .max], 3), ([21, 37], 2331),
      ([37, 21], 2330), ([37, 21], 2332), ([37, 21], 0), ([38, 21], 2394),
    ]
    for (numbers, count) in wrong { #expect(fault(3, numbers, count: count) != nil, "\(numbers)") }
    let kinds: [[Int]] = [[], [3], [5, 8], [0, 8], [3, 9], [-3, -8], [3, 8, 1]]
    for kind in kinds {
      #expect(fault(0, [37, 21] + kind, count: 2331) != nil, "\(kind)")
    }
    #expect(fault(4, [37, 21], count: 4 * 777, reducedBy: 4) != nil)
  }

  #if os(Linux)
    @Test func `neither large pictures nor thousands of them stay in shared memory`() throws {
      let cell = try DecoderCell(.png, executable: Program.meshpipe)
      let memory = try #require(cell.memory)
      let bytes = try PNG.encodeGray8(
        [UInt8](repeating: 7, count: 80_000_000), width: 10_000, height: 8000, level: 1)
      let large = PictureDecoding.request(.png, bytes, channels: 0)
      let answer = try cell.answer(to: large, Self.limits)
      #expect(answer.bytes.count == 80_000_000 && answer.bytes.allSatisfy { $0 == 7 })
      #expect(memory.residentBytes <= SharedMemory.keptSize)
      // One whose last bytes are damaged.
      var damaged = bytes
      damaged[damaged.count - 20] ^= 1
      let failed = try cell.answer(
        to: PictureDecoding.request(.png, damaged, channels: 0), Self.limits)
      #expect(failed.outcome == .damaged && failed.text.hasPrefix("incomplete PNG: "))
      #expect(memory.residentBytes <= SharedMemory.keptSize)

      let other = try DecoderCell(.png, executable: Program.meshpipe)
      let small = PictureDecoding.request(.png, try PNG.encode(Self.image), channels: 4)
      for _ in 0..<3000 { _ = try other.answer(to: small, Self.limits) }
      #expect(try #require(other.memory).residentBytes <= 1 << 14)
    }
  #endif

  @Test func `a picture is given up when its run is cancelled, on any thread`() throws {
    OwnProgram.chosenPath = Program.meshpipe
    let png = try PNG.encode(Self.image)
    let run = Cancellation()
    func errors() -> [ExitCode?] {
      CurrentRun.$current.withValue(CurrentRun(run)) {
        Parallel.map(count: 6) { _ in
          do throws(ImageError) {
            _ = try PNG.decode(png, path: "a.png")
            return ExitCode?.none
          } catch {
            return error.exitCode
          }
        }
      }
    }
    #expect(errors() == [ExitCode?](repeating: nil, count: 6))
    run.request()
    #expect(errors() == [ExitCode?](repeating: .interrupted, count: 6))
  }
}
