package import MeshpipeScene

/// Bounds the pixels that the textures of one model are decoded to: a small file can refer to a large picture again and
/// again.
package struct PixelBudget {
  private let mostOfOne: Int
  private var left: Int

  /// - Parameter mostOfOne: The most pixels of a texture; all may have four times as many.
  package init(mostOfOne: Int = 1 << 26) {
    self.mostOfOne = mostOfOne
    left = 4 * mostOfOne
  }

  /// Takes the pixels of the largest of some textures.
  ///
  /// - Throws: ``ImageError`` if it is too large, or nothing is left.
  package mutating func spend(on textures: [Texture]) throws(ImageError) {
    for texture in textures {
      guard let size = texture.pixelSize, size.min() > 0, size.x > mostOfOne / size.y else {
        continue
      }
      throw ImageError(
        texture.fileName,
        "has \(size.x) x \(size.y) pixels, more than the \(mostOfOne) that are taken apart")
    }
    left -= textures.compactMap(\.pixelSize).map { $0.x * $0.y }.max() ?? 0
    guard left >= 0 else {
      throw ImageError(
        textures.first?.fileName ?? "", "is one of more pictures than plausible to take apart")
    }
  }
}
