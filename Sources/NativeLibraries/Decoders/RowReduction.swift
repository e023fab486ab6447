import MeshpipeScene

/// The means of squares of pixels whose rows come one after the other.
final class RowReduction {
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

  /// The weight of fully transparent pixels' colours, which some programs show.
  static let transparentWeight: Float = 1e-4

  /// The result, after the last row.
  var result: (size: SIMD2<Int>, pixels: [SIMD4<UInt8>]) {
    finishRows()
    return (SIMD2(sums.count, sums.isEmpty ? 0 : pixels.count / sums.count), pixels)
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
        let index = x * channels
        func code(_ channel: Int) -> Int { unsafe Int(samples[(index + channel) * step + high]) }
        let opacity = channels % 2 == 0 ? Float(code(channels - 1)) / 255 : 1
        let weight = max(opacity, Self.transparentWeight)
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
