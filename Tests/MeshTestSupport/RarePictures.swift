import Foundation

/// Picture files of the kinds that models have besides PNG and JPEG, made byte by byte from their specifications.
package enum RarePictures {
  /// The red, green, blue and opacity of a pixel.
  package typealias Paint = (_ x: Int, _ y: Int) -> SIMD4<UInt8>

  package static let (width, height) = (48, 32)

  /// Six flat fields, which JPEG keeps nearly exactly.
  package static func paint(_ x: Int, _ y: Int) -> SIMD4<UInt8> {
    let colors: [SIMD4<UInt8>] = [
      SIMD4(230, 30, 30, 255), SIMD4(30, 200, 30, 255), SIMD4(30, 30, 230, 255),
      SIMD4(230, 230, 30, 255), SIMD4(30, 220, 220, 255), SIMD4(220, 30, 220, 255),
    ]
    return colors[x / 16 + 3 * (y / 16)]
  }

  private static func little(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func big(_ number: Int, _ count: Int) -> [UInt8] {
    little(number, count).reversed()
  }

  private static func rows(upwards: Bool = false, _ body: (Int, Int) -> [UInt8]) -> [UInt8] {
    (0..<height).flatMap { row in
      (0..<width).flatMap { body($0, upwards ? height - 1 - row : row) }
    }
  }

  package static func bmp(_ paint: Paint = paint) -> [UInt8] {
    let pixels = rows(upwards: true) { x, y in
      let color = paint(x, y)
      return [color.z, color.y, color.x]
    }
    return Array("BM".utf8) + little(54 + pixels.count, 4) + little(0, 4) + little(54, 4)
      + little(40, 4) + little(width, 4) + little(height, 4) + little(1, 2) + little(24, 2)
      + little(0, 24) + pixels
  }

  /// Runs of equal pixels along rows, from below, with opacity.
  package static func tga(_ paint: Paint = paint) -> [UInt8] {
    var bytes: [UInt8] =
      [0, 0, 10] + little(0, 9) + little(width, 2) + little(height, 2) + [32, 8]
    for y in (0..<height).reversed() {
      for x in stride(from: 0, to: width, by: 2) {
        let (first, second) = (paint(x, y), paint(x + 1, y))
        let runs = first == second ? [(2, first)] : [(1, first), (1, second)]
        for (count, color) in runs {
          bytes += [0x80 | UInt8(count - 1), color.z, color.y, color.x, color.w]
        }
      }
    }
    return bytes
  }

  /// - Parameters:
  ///   - bits: 8 or 16.
  ///   - isTiled: Whether the picture is in tiles of 32 pixels.
  ///   - isBigEndian: The order of bytes.
  package static func tiff(
    bits: Int = 8, isTiled: Bool = false, isBigEndian: Bool = false, _ paint: Paint = paint
  ) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      isBigEndian ? big(value, count) : little(value, count)
    }
    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
      (0..<3).flatMap { number(Int(paint(x, y)[$0]) * (bits == 16 ? 257 : 1), bits / 8) }
    }
    var blocks: [[UInt8]] = []
    if isTiled {
      // The right one reaches beyond the picture.
      for left in [0, 32] {
        blocks.append((0..<1024).flatMap { pixel(min(left + $0 % 32, width - 1), $0 / 32) })
      }
    } else {
      blocks = [rows(pixel)]
    }
    // What does not fit into entries comes after the header, then the pixels, then the directory.
    var bytes = Array((isBigEndian ? "MM" : "II").utf8) + number(42, 2) + number(0, 4)
    let depths = bytes.count
    bytes += (0..<3).flatMap { _ in number(bits, 2) }
    var offsets: [Int] = []
    for block in blocks {
      offsets.append(bytes.count)
      bytes += block
    }
    func list(_ numbers: [Int]) -> Int {
      guard numbers.count > 1 else { return numbers[0] }
      defer { bytes += numbers.flatMap { number($0, 4) } }
      return bytes.count
    }
    let (places, lengths) = (list(offsets), list(blocks.map(\.count)))
    var entries: [(tag: Int, type: Int, count: Int, value: Int)] = [
      (256, 4, 1, width), (257, 4, 1, height), (258, 3, 3, depths), (259, 3, 1, 1), (262, 3, 1, 2),
      (277, 3, 1, 3),
    ]
    entries +=
      isTiled
      ? [
        (322, 4, 1, 32), (323, 4, 1, 32), (324, 4, blocks.count, places),
        (325, 4, blocks.count, lengths),
      ] : [(273, 4, 1, places), (278, 4, 1, height), (279, 4, 1, lengths)]
    let directory = bytes.count
    bytes += number(entries.count, 2)
    for entry in entries.sorted(by: { $0.tag < $1.tag }) {
      bytes += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4)
      bytes +=
        entry.type == 3 && entry.count == 1
        ? number(entry.value, 2) + [0, 0] : number(entry.value, 4)
    }
    bytes += number(0, 4)
    bytes.replaceSubrange(4..<8, with: number(directory, 4))
    return bytes
  }

  /// OpenEXR, not compressed, in single precision.
  ///
  /// - Parameter light: The red, green and blue, already multiplied by the opacity, which comes last.
  package static func exr(hasOpacity: Bool = false, _ light: (Int, Int) -> SIMD4<Float>) -> [UInt8]
  {
    let channels: [(name: String, index: Int)] =
      (hasOpacity ? [("A", 3)] : []) + [("B", 2), ("G", 1), ("R", 0)]
    func attribute(_ name: String, _ type: String, _ value: [UInt8]) -> [UInt8] {
      Array(name.utf8) + [0] + Array(type.utf8) + [0] + little(value.count, 4) + value
    }
    let box = little(0, 8) + little(width - 1, 4) + little(height - 1, 4)
    let one = little(Int(Float(1).bitPattern), 4)
    var list: [UInt8] = []
    for channel in channels {
      list += Array(channel.name.utf8) + [0]
      list += little(2, 4) + little(0, 4) + little(1, 4) + little(1, 4)
    }
    var bytes: [UInt8] = [0x76, 0x2F, 0x31, 0x01, 2, 0, 0, 0]
    bytes +=
      attribute("channels", "chlist", list + [0]) + attribute("compression", "compression", [0])
    bytes += attribute("dataWindow", "box2i", box) + attribute("displayWindow", "box2i", box)
    bytes += attribute("lineOrder", "lineOrder", [0]) + attribute("pixelAspectRatio", "float", one)
    bytes +=
      attribute("screenWindowCenter", "v2f", little(0, 8))
      + attribute("screenWindowWidth", "float", one)
    bytes.append(0)
    let length = 4 * width * channels.count
    let start = bytes.count + 8 * height
    for y in 0..<height { bytes += little(start + y * (length + 8), 8) }
    for y in 0..<height {
      bytes += little(y, 4) + little(length, 4)
      for channel in channels {
        for x in 0..<width { bytes += little(Int(light(x, y)[channel.index].bitPattern), 4) }
      }
    }
    return bytes
  }

  /// The light of a colour in sRGB (IEC 61966-2-1).
  package static func light(_ color: SIMD4<UInt8>) -> SIMD4<Float> {
    var result = SIMD4<Float>(0, 0, 0, Float(color.w) / 255)
    for channel in 0..<3 {
      let code = Double(color[channel]) / 255
      result[channel] = Float(code <= 0.04045 ? code / 12.92 : pow((code + 0.055) / 1.055, 2.4))
    }
    return result
  }

  /// Photoshop's, with the flat picture alone.
  package static func psd(_ paint: Paint = paint) -> [UInt8] {
    var bytes =
      Array("8BPS".utf8) + big(1, 2) + big(0, 6) + big(3, 2) + big(height, 4) + big(width, 4)
    bytes += big(8, 2) + big(3, 2) + big(0, 12) + big(0, 2)
    for channel in 0..<3 { bytes += rows { [paint($0, $1)[channel]] } }
    return bytes
  }

  /// DirectDraw's, not compressed.
  package static func dds(_ paint: Paint = paint) -> [UInt8] {
    var bytes =
      Array("DDS ".utf8) + little(124, 4) + little(0x100F, 4) + little(height, 4) + little(width, 4)
    bytes += little(4 * width, 4) + little(0, 8) + little(0, 44)
    bytes += little(32, 4) + little(0x41, 4) + little(0, 4) + little(32, 4)
    bytes += [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000].flatMap { little($0, 4) }
    bytes += little(0x1000, 4) + little(0, 16)
    return bytes + rows { x, y in [paint(x, y).z, paint(x, y).y, paint(x, y).x, paint(x, y).w] }
  }
}
