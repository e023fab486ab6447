import MeshPipeline
import NativeLibraries
import Testing

struct ImageCodecTests {
  static let gradient = Image(
    width: 40, height: 30,
    pixels: (0..<1200).flatMap { pixel -> [UInt8] in
      [UInt8(pixel % 40 * 6), UInt8(pixel / 40 * 8), 128]
    })

  /// An interlaced PNG of 8-bit colours that are not compressed (PNG, third edition, sections 8 and 10).
  private static func interlaced(_ image: Image) -> [UInt8] {
    func big(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
    var rows: [UInt8] = []
    for (x, y, right, down) in [
      (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
      (0, 1, 1, 2),
    ] {
      for row in stride(from: y, to: image.height, by: down) {
        rows.append(0)
        for column in stride(from: x, to: image.width, by: right) {
          let start = 3 * (row * image.width + column)
          rows += image.pixels[start..<start + 3]
        }
      }
    }
    let (low, high) = rows.reduce((UInt32(1), UInt32(0))) { sums, byte in
      let low = (sums.0 + UInt32(byte)) % 65_521
      return (low, (sums.1 + low) % 65_521)
    }
    let length = UInt16(rows.count)
    let block = [length, ~length].flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    func chunk(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
      var sum = CRC32()
      (Array(name.utf8) + bytes).withUnsafeBytes { sum.update($0) }
      return big(UInt32(bytes.count)) + Array(name.utf8) + bytes + big(sum.value)
    }
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", big(UInt32(image.width)) + big(UInt32(image.height)) + [8, 2, 0, 0, 1])
      + chunk("IDAT", [0x78, 0x01, 1] + block + rows + big(high << 16 | low)) + chunk("IEND", [])
  }

  @Test(arguments: [1, 2, 4]) func `an interlaced PNG has the pixels of any other`(
    reduction: Int
  ) throws {
    func decoded(_ bytes: [UInt8]) throws -> Image {
      try Image.decoded(from: bytes, path: "a.png", reducedBy: reduction)
    }
    #expect(
      try decoded(Self.interlaced(Self.gradient)) == decoded(PNG.encode(Self.gradient)))
  }

  /// A PNG of a header and whatever chunk follows, each with the length that it claims.
  private func png(width: UInt32, height: UInt32, then chunk: [UInt8]) -> [UInt8] {
    func number(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
    let header = Array("IHDR".utf8) + number(width) + number(height) + [8, 0, 0, 0, 0]
    var sum: UInt32 = 0xFFFF_FFFF
    for byte in header {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + number(13) + header + number(~sum)
      + chunk
  }

  @Test func `a small file gets no memory for what it claims`() throws {
    let before = PeakMemory.bytes
    // A text of two gigabytes, of which seven bytes are there.
    let text: [UInt8] = [0x7F, 0xFF, 0xFF, 0xFF] + Array("iTXta".utf8) + [0, 0, 0, 0, 0]
    for bytes in [
      png(width: 1, height: 1, then: text), png(width: 20_000, height: 20_000, then: []),
      png(width: 16_000, height: 16_000, then: []),
    ] {
      #expect(throws: ImageError.self) { try Image.decoded(from: bytes, path: "a.png") }
      #expect(throws: ImageError.self) { try PNG.samples(of: bytes, path: "a.png") }
    }
    #expect(PeakMemory.bytes - before < 100 << 20)
    let error = #expect(throws: ImageError.self) {
      try Image.decoded(from: png(width: 20_000, height: 20_000, then: []), path: "a.png")
    }
    #expect(error?.message == "a.png: claims to be 20000 x 20000, more than 300 megapixels")
  }

  @Test func `PNG keeps every pixel`() throws {
    let bytes = try PNG.encode(Self.gradient)
    #expect(try Image.decoded(from: bytes, path: "a.png") == Self.gradient)
  }

  @Test func `16-bit PNG keeps every sample`() throws {
    let samples = (0..<600).map { UInt16($0 * 109) }
    let bytes = try PNG.encodeGray16(samples, width: 30, height: 20)
    let decoded = try PNG.samples(of: bytes, path: "a.png")
    #expect(decoded.bitDepth == 16 && decoded.channels == 1)
    let read = decoded.bytes.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
    #expect(read == samples)
  }

  @Test func `JPEG keeps pixels within a few codes`() throws {
    let bytes = try JPEG.encode(Self.gradient, quality: 95)
    let image = try Image.decoded(from: bytes, path: "a.jpg")
    #expect(image.size == Self.gradient.size)
    let worst = zip(image.pixels, Self.gradient.pixels).map { abs(Int($0) - Int($1)) }.max()
    #expect(try #require(worst) <= 6)
    #expect(try JPEG.decode(bytes, reducedBy: 4, path: "a.jpg").size == SIMD2(10, 8))
  }

  @Test(arguments: ["jpg", "png"])
  func `a picture cut off is an error at any length`(kind: String) throws {
    let whole =
      try kind == "jpg"
      ? JPEG.encode(Self.gradient, quality: 90) : PNG.encode(Self.gradient)
    for length in stride(from: 0, to: whole.count - 4, by: 7) {
      #expect(throws: ImageError.self) {
        try Image.decoded(from: Array(whole.prefix(length)), path: "a.\(kind)")
      }
    }
  }
}

struct RayTracerTests {
  @Test func `a ray meets the nearer of two faces`() throws {
    let tracer = try RayTracer(
      positions: [
        Vector3(-1, -1, -2), Vector3(1, -1, -2), Vector3(0, 1, -2),
        Vector3(-1, -1, -5), Vector3(1, -1, -5), Vector3(0, 1, -5),
      ],
      indices: [3, 4, 5, 0, 1, 2])
    let hit = try #require(tracer.firstHit(from: .zero, along: SIMD3(0, 0, -2)))
    #expect(hit.face == 1 && abs(hit.distance - 1) < 1e-6)
    let behind = try #require(tracer.firstHit(from: .zero, along: SIMD3(0, 0, -1), near: 2.1))
    #expect(behind.face == 0 && abs(behind.distance - 5) < 1e-5)
    #expect(tracer.firstHit(from: .zero, along: SIMD3(0, 0, 1)) == nil)
    #expect(tracer.isBlocked(from: .zero, along: SIMD3(0, 0, -1), near: 0, far: 2.1))
    #expect(!tracer.isBlocked(from: .zero, along: SIMD3(0, 0, -1), near: 0, far: 1.9))
  }

  @Test func `nothing is hit where there is nothing`() throws {
    let tracer = try RayTracer(positions: [], indices: [])
    #expect(tracer.firstHit(from: .zero, along: SIMD3(0, 0, -1)) == nil)
  }
}
