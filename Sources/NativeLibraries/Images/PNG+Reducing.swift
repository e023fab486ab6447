internal import CPNG
import MeshPipeline

extension PNG {
  /// Whether the rows come in several passes, which only an image in memory can take.
  static func isInterlaced(_ bytes: [UInt8]) -> Bool { bytes.count > 28 && bytes[28] != 0 }

  /// Decodes an image at a fraction of its size, rounded up, with a few of its rows in memory.
  ///
  /// - Parameters:
  ///   - factor: The pixels along a side of which one becomes the mean.
  ///   - isData: Whether means are those of the codes instead of light.
  /// - Throws: ``ImageError`` also for an interlaced image.
  static func raster(
    of bytes: [UInt8], reducedBy factor: Int, isData: Bool, path: String
  ) throws(ImageError) -> TextureRaster {
    try ImageLimits.check(bytes, path: path)
    let reduction = RowReduction(by: factor, isData: isData)
    try unsafe check(path) { error, size in
      unsafe bytes.withUnsafeBufferPointer { source in
        unsafe meshpipe_png_read_rows(
          source.baseAddress, source.count,
          { context, header, row in
            guard let context = unsafe context, let header = unsafe header, let row = unsafe row
            else {
              return
            }
            let step = unsafe Int(header.pointee.channels * header.pointee.bit_depth / 8)
            let width = unsafe Int(header.pointee.width)
            let samples = unsafe UnsafeBufferPointer(start: row, count: width * step)
            unsafe Unmanaged<RowReduction>.fromOpaque(context).takeUnretainedValue().add(
              samples, width: width, channels: Int(header.pointee.channels),
              isWide: header.pointee.bit_depth == 16)
          }, Unmanaged.passUnretained(reduction).toOpaque(), error, size)
      }
    }
    return reduction.raster
  }
}

/// The means of squares of pixels whose rows come one after the other.
private final class RowReduction {
  private struct Sum {
    var color = SIMD3<Float>.zero
    var weight: Float = 0
    var opacity: Float = 0
    var count: Float = 0
  }

  private let factor: Int
  private let isData: Bool
  private let values: [Float]
  private var sums: [Sum] = []
  private var rows = 0
  private var pixels: [SIMD4<UInt8>] = []

  init(by factor: Int, isData: Bool) {
    self.factor = factor
    self.isData = isData
    values = isData ? (0..<256).map { Float($0) } : SRGBTable.shared.linear
  }

  /// The result, after the last row.
  var raster: TextureRaster {
    finishRows()
    return TextureRaster(
      size: SIMD2(sums.count, sums.isEmpty ? 0 : pixels.count / sums.count), pixels: pixels)
  }

  @unsafe
  func add(_ samples: UnsafeBufferPointer<UInt8>, width: Int, channels: Int, isWide: Bool) {
    if sums.isEmpty { sums = [Sum](repeating: Sum(), count: (width + factor - 1) / factor) }
    // The high bytes of wide samples.
    let (step, high) = isWide ? (2, 1.littleEndian == 1 ? 1 : 0) : (1, 0)
    let (green, blue) = channels < 3 ? (0, 0) : (1, 2)
    for target in sums.indices {
      var sum = sums[target]
      for x in target * factor..<min((target + 1) * factor, width) {
        let place = x * channels
        func code(_ channel: Int) -> Int { unsafe Int(samples[(place + channel) * step + high]) }
        let opacity = channels % 2 == 0 ? Float(code(channels - 1)) / 255 : 1
        let weight = max(opacity, TextureRaster.transparentWeight)
        sum.color += weight * SIMD3(values[code(0)], values[code(green)], values[code(blue)])
        sum.weight += weight
        sum.opacity += opacity
        sum.count += 1
      }
      sums[target] = sum
    }
    rows += 1
    if rows == factor { finishRows() }
  }

  private func finishRows() {
    guard rows > 0 else { return }
    rows = 0
    let table = SRGBTable.shared
    for target in sums.indices {
      let sum = sums[target]
      sums[target] = Sum()
      let mean = sum.color / sum.weight
      func code(_ value: Float) -> UInt8 {
        isData ? UInt8(max(0, min(255, value.rounded()))) : table.code(value)
      }
      let opacity = UInt8(max(0, min(255, (sum.opacity / sum.count * 255).rounded())))
      pixels.append(SIMD4(code(mean.x), code(mean.y), code(mean.z), opacity))
    }
  }
}
