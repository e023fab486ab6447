/// The structural similarity of two images of one channel, 0 to 255, where both have a value.
struct StructuralSimilarity {
  /// The mean over all windows of which at least half is compared; nil if there are none.
  let mean: Double?

  /// The side of a window in pixels.
  private static let side = 8
  /// The authors' constants, which keep noise of flat areas from counting.
  private static let (c1, c2) = (0.01 * 255 * 0.01 * 255, 0.03 * 255 * 0.03 * 255)

  init(_ a: [Float], _ b: [Float], _ isCompared: [Bool], width: Int) {
    let height = width > 0 ? a.count / width : 0
    var (sum, windows) = (0.0, 0)
    // Windows overlap by half.
    for top in stride(from: 0, through: max(0, height - Self.side), by: Self.side / 2) {
      for left in stride(from: 0, through: max(0, width - Self.side), by: Self.side / 2) {
        var moments = Moments()
        for y in top..<min(height, top + Self.side) {
          for x in left..<min(width, left + Self.side) where isCompared[y * width + x] {
            moments.add(Double(a[y * width + x]), Double(b[y * width + x]))
          }
        }
        guard moments.count >= Double(Self.side * Self.side / 2) else { continue }
        sum += moments.similarity(Self.c1, Self.c2)
        windows += 1
      }
    }
    mean = windows > 0 ? sum / Double(windows) : nil
  }

  private struct Moments {
    var count = 0.0
    private var (a, b, aa, bb, ab) = (0.0, 0.0, 0.0, 0.0, 0.0)

    mutating func add(_ x: Double, _ y: Double) {
      count += 1
      a += x
      b += y
      aa += x * x
      bb += y * y
      ab += x * y
    }

    func similarity(_ c1: Double, _ c2: Double) -> Double {
      let (x, y) = (a / count, b / count)
      let (xx, yy) = (aa / count - x * x, bb / count - y * y)
      return (2 * x * y + c1) * (2 * (ab / count - x * y) + c2)
        / ((x * x + y * y + c1) * (xx + yy + c2))
    }
  }
}
