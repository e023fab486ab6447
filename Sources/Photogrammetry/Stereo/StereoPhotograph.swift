package import MeshpipeScene

/// A photograph as a pinhole camera would have taken it: what the lens bends and a warp moves is straight.
package struct StereoPhotograph: Sendable {
  package let size: SIMD2<Int>
  package let camera: StereoCamera
  /// The brightness of each pixel, row by row.
  let codes: [UInt8]
  /// The pixels that are not to be used; nil if all are.
  let hidden: [Bool]?
  /// The camera of the depth map, with the lens; nil for a pinhole.
  private let lens: Camera?
  /// The most pixels of a photograph here.
  package static let mostPixels = StereoImage.mostPixels

  /// - Parameters:
  ///   - image: The frame's, of any size.
  ///   - size: That of the photograph here, and of the depth map.
  package init(_ image: Image, of frame: Capture.Frame, size: SIMD2<Int>) {
    let camera = Camera(frame, size: size)
    self.size = size
    self.camera = StereoCamera(camera)
    let isPinhole = frame.distortion == .none
    lens = isPinhole ? nil : camera.unwarped
    let grayscale = GrayscaleImage(image)
    if isPinhole, frame.warp == nil, image.size == size {
      codes = grayscale.codes
      hidden = image.mask.map { mask in
        (0..<size.x * size.y).map { mask.hides($0 % size.x, $0 / size.x) }
      }
      return
    }
    let straight = self.camera
    let factor = SIMD2<Float>(image.size) / SIMD2<Float>(size)
    let places = Parallel.array(count: size.x * size.y) { index -> SIMD2<Float> in
      let ray = straight.ray(Float(index % size.x), Float(index / size.x))
      let direction = camera.right * ray.x + camera.down * ray.y + camera.forward
      guard let pixel = camera.project(camera.position + direction) else {
        return SIMD2(repeating: .infinity)
      }
      return SIMD2(pixel.x, pixel.y) * factor - 0.5
    }
    codes = places.map { grayscale.code(at: $0) ?? 0 }
    let limit = SIMD2<Float>(image.size) - 0.5
    let isHidden = places.map { place in
      guard place.x >= -0.5, place.y >= -0.5, place.x <= limit.x, place.y <= limit.y else {
        return true
      }
      return image.mask?.hides(Int(place.x + 0.5), Int(place.y + 0.5)) ?? false
    }
    hidden = isHidden.contains(true) ? isHidden : nil
  }

  /// Depths of the pinhole as the frame's own lens would see them.
  package func throughLens(_ depths: StereoDepth.Depths) -> StereoDepth.Depths {
    guard let lens else { return depths }
    var bent = depths
    for y in 0..<size.y {
      for x in 0..<size.x {
        let ray = lens.ray(through: SIMD2(Float(x), Float(y)) + 0.5)
        let place = camera.pixel(SIMD3(lens.right.dot(ray), lens.down.dot(ray), 1))
        let isInside =
          place.x > -0.5 && place.y > -0.5 && place.x < Float(size.x) - 0.5
          && place.y < Float(size.y) - 0.5
        let source = isInside ? Int(place.y + 0.5) * size.x + Int(place.x + 0.5) : 0
        bent.depths[y * size.x + x] = isInside ? depths.depths[source] : 0
        bent.confidences[y * size.x + x] = isInside ? depths.confidences[source] : 0
      }
    }
    return bent
  }
}

extension GrayscaleImage {
  /// The code between pixels, whose centres are whole numbers; nil outside of the image.
  fileprivate func code(at place: SIMD2<Float>) -> UInt8? {
    guard place.x >= -0.5, place.y >= -0.5, place.x <= Float(width) - 0.5,
      place.y <= Float(height) - 0.5
    else { return nil }
    let (x, y) = (max(place.x, 0), max(place.y, 0))
    let (left, top) = (min(Int(x), width - 1), min(Int(y), height - 1))
    let (right, bottom) = (min(left + 1, width - 1), min(top + 1, height - 1))
    let (dx, dy) = (x - Float(left), y - Float(top))
    func code(_ x: Int, _ y: Int) -> Float { Float(codes[y * width + x]) }
    let upper = code(left, top) * (1 - dx) + code(right, top) * dx
    let lower = code(left, bottom) * (1 - dx) + code(right, bottom) * dx
    return UInt8(min(255, max(0, upper * (1 - dy) + lower * dy + 0.5)))
  }
}
