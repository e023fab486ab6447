package import MeshpipeBase
package import MeshpipeScene
import NativeLibraries

/// A photograph of a capture next to the model rendered from the same camera.
package struct FrameComparison: Sendable {
  package var frame: Capture.Frame
  /// The maximum size of each image.
  package var largestSize: SIMD2<Int>
  /// Whether a third image shows twice the difference of the two.
  package var showsDifference: Bool
  /// Whether the images are rotated so that the scene's up axis points up; otherwise the
  /// photograph's orientation is kept.
  package var turnsUpright: Bool

  package init(
    _ frame: Capture.Frame, largestSize: SIMD2<Int>, showsDifference: Bool = false,
    turnsUpright: Bool = true
  ) {
    self.turnsUpright = turnsUpright
    self.frame = frame
    self.largestSize = largestSize
    self.showsDifference = showsDifference
  }

  /// Renders the model and puts it to the right of the photograph.
  ///
  /// - Throws: If the photograph can't be read, or ``Cancelled``.
  package func picture(
    of renderer: SceneRenderer, background: Background = .gradient,
    cancellation: Cancellation = Cancellation()
  ) throws -> RenderedPicture {
    let quarters = turnsUpright ? turns(in: renderer.coordinateSystem) : 0
    let isTurned = quarters % 2 == 1
    let photograph = try frame.photograph(
      within: isTurned ? SIMD2(largestSize.y, largestSize.x) : largestSize)
    let size = photograph.size
    let model = try renderer.picture(
      from: Camera(frame, size: size), background: background, cancellation: cancellation)
    var pictures = [RenderedPicture(photograph), model]
    if showsDifference { pictures.append(Self.difference(of: photograph, model)) }
    return .row(
      pictures.map { $0.turned(byQuarters: quarters) }, gap: max(2, size.max() / 160))
  }

  /// The number of counter-clockwise quarter turns that bring the scene's up axis nearest to the
  /// image's.
  package func turns(in system: CoordinateSystem) -> Int {
    let (right, up) = (system.up.vector.dot(frame.pose.x), system.up.vector.dot(frame.pose.y))
    // A camera that looks straight down has no up.
    guard max(abs(right), abs(up)) > 0.35 else { return 0 }
    if abs(up) >= abs(right) { return up > 0 ? 0 : 2 }
    return right > 0 ? 1 : 3
  }

  /// Twice the difference of each 8-bit value where the model is; dark grey elsewhere.
  private static func difference(of image: Image, _ model: RenderedPicture) -> RenderedPicture {
    var result = RenderedPicture(
      Image(width: image.width, height: image.height, filledWith: (64, 64, 64)))
    for pixel in model.coverage.indices where model.coverage[pixel] > 127 {
      for index in 3 * pixel..<3 * pixel + 3 {
        let difference = abs(Int(image.pixels[index]) - Int(model.image.pixels[index]))
        result.image.pixels[index] = UInt8(min(255, 2 * difference))
      }
    }
    return result
  }
}

extension Capture.Frame {
  /// The photograph with its mask, as large as fits and never larger than it is.
  package func photograph(
    within room: SIMD2<Int>, from store: FrameStore = FrameStore(capacity: 0)
  ) throws -> Image {
    let size = imageSize.fitted(into: room)
    let reduction = Self.strongestReduction { all(imageSize / $0 .>= size) }
    return try loadImage(reducedBy: reduction, from: store).shrunk(to: size)
  }
}

extension SIMD2<Int> {
  /// The largest size of the same proportions within another one, at most itself.
  package func fitted(into room: Self) -> Self {
    let scale = Swift.min(1, (SIMD2<Double>(room) / SIMD2<Double>(self)).min())
    return Self((SIMD2<Double>(self) * scale).rounded(.toNearestOrAwayFromZero)).clamped(
      lowerBound: .one, upperBound: Self(repeating: .max))
  }
}

extension Capture {
  /// The frame with this name or, failing that, with this image file or this index, counted from 0.
  package func frame(_ text: String) -> Frame? {
    if let named = frames.first(where: { $0.name == text }) { return named }
    if let pictured = frames.first(where: { $0.hasPicture(text) }) { return pictured }
    return Int(text).flatMap { frames.indices.contains($0) ? frames[$0] : nil }
  }
}

extension Capture.Frame {
  /// Whether its image is a file with this name, which may include folders.
  fileprivate func hasPicture(_ file: String) -> Bool {
    guard case .file(let path) = image else { return false }
    return "/\(path)".hasSuffix("/\(file)")
  }
}
