import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

struct VideoTests {
  /// A picture whose colours tell its number.
  static func picture(_ number: Int) -> Image {
    let pixels = (0..<64 * 48).flatMap { pixel -> [UInt8] in
      let (x, y) = (pixel % 64, pixel / 64)
      return [UInt8(2 * x + 40), UInt8(20 * number + 20), UInt8(3 * y + 50)]
    }
    return Image(width: 64, height: 48, pixels: pixels)
  }

  static func withVideo(
    of count: Int, change: ([UInt8]) -> [UInt8] = { $0 }, _ body: (String) throws -> Void
  ) throws {
    let folder = try TemporaryFolder()
    let video = try MotionJPEG.avi(of: (0..<count).map(picture))
    try body(folder.write("video.avi", change(video)))
  }

  /// The largest difference of a code.
  static func difference(_ a: Image, _ b: Image) -> Int {
    a.size == b.size ? zip(a.pixels, b.pixels).map { abs(Int($0) - Int($1)) }.max() ?? 0 : 256
  }

  @Test func `a video tells size and times, and gives its pictures in any order`() throws {
    try Self.withVideo(of: 10) { path in
      let video = try VideoReader(path)
      #expect(video.size == SIMD2(64, 48))
      #expect(video.times.count == 10)
      for (number, time) in video.times.enumerated() {
        #expect(abs(time - Double(number) / 2) < 1e-3)
      }
      for number in [0, 1, 2, 9, 4, 3, 5, 8, 0] {
        #expect(Self.difference(try video.picture(number), Self.picture(number)) <= 8)
      }
      #expect(throws: ImageError.self) { try video.picture(10) }
      #expect(throws: ImageError.self) { try video.picture(-1) }
    }
  }

  @Test func `a frame's picture comes out of its video, and smaller when that is enough`() throws {
    try Self.withVideo(of: 4) { path in
      let frame = Capture.Frame(
        name: "3", image: .video(path, index: 3), imageSize: SIMD2(64, 48),
        intrinsics: Capture.Intrinsics(focalLength: SIMD2(50, 50), principalPoint: SIMD2(32, 24)),
        pose: .identity)
      #expect(Self.difference(try frame.loadImage(), Self.picture(3)) <= 8)
      let small = try frame.loadImage(reducedBy: 4)
      #expect(Self.difference(small, Self.picture(3).reduced(by: 4)) <= 8)
    }
  }

  @Test func `pictures that are expected are decoded once, and stay the same`() throws {
    try Self.withVideo(of: 12) { path in
      let (plain, expecting) = (try VideoReader(path), try VideoReader(path))
      expecting.expect([3, 11, 7, 3, 99, -1] + Array(0..<9))
      for round in 0..<3 {
        for number in [7, 3, 11] + Array((0..<9).reversed()) {
          let reduction = round + 1
          #expect(
            try expecting.picture(number, reducedBy: reduction)
              == plain.picture(number, reducedBy: reduction))
        }
      }
      // In this video every picture is a key picture.
      #expect(expecting.decodedCount == 10)
      #expect(plain.decodedCount > expecting.decodedCount)
      #expect(throws: ImageError.self) { try expecting.picture(12) }
    }
  }

  @Test func `threads share a video`() throws {
    try Self.withVideo(of: 12) { path in
      let differences = Parallel.map(count: 12) { number in
        guard let image = try? VideoReader.shared(path).picture(number) else { return 256 }
        return Self.difference(image, Self.picture(number))
      }
      #expect(differences.allSatisfy { $0 <= 8 })
    }
  }

  @Test func `a video that is cut off or damaged is an error, and its whole pictures are read`()
    throws
  {
    let whole = try MotionJPEG.avi(of: (0..<4).map(Self.picture))
    for length in stride(from: 0, to: whole.count, by: 97) {
      try Self.withVideo(of: 4, change: { Array($0.prefix(length)) }) { path in
        guard let video = try? VideoReader(path) else { return }
        for number in 0..<4 {
          guard let picture = try? video.picture(number) else { continue }
          #expect(Self.difference(picture, Self.picture(number)) <= 8, "\(length) \(number)")
        }
      }
    }
    #expect(throws: ImageError.self) { try VideoReader("/nowhere/video.mov") }
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<40 {
      let damage = { (bytes: [UInt8]) in
        var bytes = bytes
        for _ in 0..<8 {
          bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
            in: 0...255, using: &generator)
        }
        return bytes
      }
      try Self.withVideo(of: 4, change: damage) { path in
        guard let video = try? VideoReader(path) else { return }
        for number in 0..<4 { _ = try? video.picture(number) }
      }
    }
  }

  @Test func `a playlist is no video`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("video.mov", "#EXTM3U\n#EXTINF:1,\nhttp://example.org/a.ts\n")
    #expect(throws: ImageError.self) { try VideoReader(path) }
  }
}
