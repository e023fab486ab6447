import MeshpipeBase
import MeshpipeScene

/// Where a frame shows objects that the mesh lacks.
package struct ForegroundMask: Sendable {
  private(set) var width: Int
  private(set) var height: Int
  /// Whether each pixel is foreground, in row-major order.
  private(set) var isForeground: [Bool]

  /// The weight of the vote that a pixel does not show the mesh.
  enum Doubt: UInt8, Sendable {
    case none, weak, strong
    /// Doubted, and the depth map shows something nearer.
    case measured
  }

  /// Smaller groups of pixels, of every other one of a thumbnail, are letters or joints that are misaligned.
  private static let leastPixels = 6
  /// The minimum number of pixels of a group where the depth map shows something.
  private static let leastMeasuredPixels = 3
  /// The share of an object that must be doubted strongly, or by the depth map: a shadow or a reflection contradicts
  /// weakly all over.
  private static let leastStrongShare: Float = 0.2
  /// Anything that covers more of an image is not an object: the frame has other light or shows
  /// another scene.
  private static let greatestShare: Float = 0.2
  /// Pixels around an object that are mixed with it, and that the vote left out in its checkerboard.
  private static let margin = 1

  /// Keeps the objects among doubted pixels: connected groups that are doubted strongly enough.
  ///
  /// - Parameter doubts: Row-major; of every other pixel, in a checkerboard.
  /// - Returns: Nil if nothing is left.
  init?(width: Int, height: Int, doubts: [Doubt]) {
    (self.width, self.height) = (width, height)
    isForeground = [Bool](repeating: false, count: doubts.count)
    var isDone = doubts.map { $0 == .none }
    var hasAny = false
    for start in doubts.indices where !isDone[start] {
      let thing = Self.connected(to: start, width, height, &isDone)
      let measured = thing.count { doubts[$0] == .measured }
      let strong = measured + thing.count { doubts[$0] == .strong }
      guard thing.count >= (measured > 1 ? Self.leastMeasuredPixels : Self.leastPixels),
        Float(strong) >= Self.leastStrongShare * Float(thing.count),
        2 * Float(thing.count) <= Self.greatestShare * Float(doubts.count)
      else { continue }
      hasAny = true
      for pixel in thing { isForeground[pixel] = true }
    }
    guard hasAny else { return nil }
    for _ in 0..<Self.margin { grow() }
  }

  private static func connected(
    to start: Int, _ width: Int, _ height: Int, _ isDone: inout [Bool]
  ) -> [Int] {
    isDone[start] = true
    var found = [start]
    var next = 0
    while next < found.count {
      let (x, y) = (found[next] % width, found[next] / width)
      next += 1
      for row in max(0, y - 1)...min(height - 1, y + 1) {
        for column in max(0, x - 1)...min(width - 1, x + 1) where !isDone[row * width + column] {
          isDone[row * width + column] = true
          found.append(row * width + column)
        }
      }
    }
    return found
  }

  private mutating func grow() {
    let old = isForeground
    for pixel in old.indices where old[pixel] {
      let (x, y) = (pixel % width, pixel / width)
      for row in max(0, y - 1)...min(height - 1, y + 1) {
        for column in max(0, x - 1)...min(width - 1, x + 1) {
          isForeground[row * width + column] = true
        }
      }
    }
  }

  /// The mask at another size.
  func scaled(width newWidth: Int, height newHeight: Int) -> ForegroundMask {
    guard newWidth != width || newHeight != height else { return self }
    var mask = self
    (mask.width, mask.height) = (newWidth, newHeight)
    mask.isForeground = (0..<newWidth * newHeight).map { pixel in
      contains(
        (2 * (pixel % newWidth) + 1) * width / (2 * newWidth),
        (2 * (pixel / newWidth) + 1) * height / (2 * newHeight))
    }
    return mask
  }

  /// Whether a pixel at the mask's size does not show the mesh.
  @inline(__always)
  func contains(_ x: Int, _ y: Int) -> Bool {
    isForeground[min(max(y, 0), height &- 1) &* width &+ min(max(x, 0), width &- 1)]
  }

  /// Whether anything within some pixels of a position does not show the mesh.
  func contains(near position: SIMD2<Float>, within radius: Float) -> Bool {
    let (low, high) = (position - radius, position + radius)
    guard high.x >= 0, high.y >= 0, low.x < Float(width), low.y < Float(height) else {
      return false
    }
    for y in max(0, Int(low.y))...min(height - 1, Int(high.y)) {
      for x in max(0, Int(low.x))...min(width - 1, Int(high.x)) where isForeground[y * width + x] {
        return true
      }
    }
    return false
  }
}
