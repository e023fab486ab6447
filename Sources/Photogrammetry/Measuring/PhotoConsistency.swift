import MeshpipeScene
import NativeLibraries

/// The photographs of a probe's views, to test whether cameras that see the same point of the mesh
/// recorded the same colours (photo-consistency).
struct PhotoConsistency {
  /// The least width of images in pixels: enough to tell one part of a room from another, and so coarse that poses need
  /// not be exact.
  ///
  /// Photographs are reduced eightfold by their decoder, so that all take 0.1 s at most.
  private static let width = 200
  /// The minimum number of points seen twice: the differences of fewer are chance.
  private static let fewest = 100
  /// The part of a ray from another camera to a point that must be free for it to see the point: the rest is noise of
  /// the mesh.
  private static let freePart: Float = 0.99

  /// A view's image at reduced size; nil if it can't be read.
  private let images: [Image?]

  init(of frames: [Capture.Frame]) {
    images = Parallel.map(count: frames.count) { index in
      let reduction = Capture.Frame.strongestReduction {
        frames[index].imageSize.x >= $0 * Self.width
      }
      return try? frames[index].loadImage(reducedBy: reduction)
    }
  }

  /// The agreement of the colours of one point in two images, compared with those of two random points: 1 if they are
  /// equal, 0 if the images show something else there, or too few points were seen twice; and that value times the
  /// number of points.
  func measure(
    _ frames: [Capture.Frame], _ probe: MeshProbe
  ) -> (agreement: Double, support: Double) {
    let cameras = zip(frames, images).map { frame, image in
      image.map { Camera(frame, size: $0.size) }
    }
    let pairs = Parallel.map(count: frames.count) { view in
      self.pairs(ofView: view, cameras, probe)
    }.flatMap(\.self)
    guard pairs.count >= Self.fewest else { return (0, 0) }
    var (same, any) = (0.0, 0.0)
    for (index, pair) in pairs.enumerated() {
      same += Self.difference(pair.0, pair.1)
      // Half the list away, so most likely of another frame and another point.
      any += Self.difference(pair.0, pairs[(index + pairs.count / 2) % pairs.count].1)
    }
    let agreement = any > 0 ? max(0, 1 - same / any) : 0
    return (agreement, agreement * Double(pairs.count))
  }

  /// The colours of a view's points, in it and in every other view that sees them.
  private func pairs(
    ofView view: Int, _ cameras: [Camera?], _ probe: MeshProbe
  ) -> [(SIMD3<Float>, SIMD3<Float>)] {
    guard let camera = cameras[view] else { return [] }
    var pairs: [(SIMD3<Float>, SIMD3<Float>)] = []
    for ray in probe.views[view].rays {
      // The probe's rays have Y up and look along −Z.
      let direction = camera.right * ray.x - camera.down * ray.y - camera.forward * ray.z
      guard let hit = probe.tracer.firstHit(from: camera.position, along: direction) else {
        continue
      }
      let index = camera.position + direction * hit.distance
      guard let own = color(of: index, inView: view, camera) else { continue }
      for (other, otherCamera) in cameras.enumerated() where other != view {
        guard let otherCamera, let color = color(of: index, inView: other, otherCamera),
          let first = probe.tracer.firstHit(
            from: otherCamera.position, along: index - otherCamera.position),
          first.distance > Self.freePart
        else { continue }
        pairs.append((own, color))
      }
    }
    return pairs
  }

  private func color(
    of position: SIMD3<Float>, inView view: Int, _ camera: Camera
  ) -> SIMD3<Float>? {
    guard let image = images[view], let pixel = camera.project(position),
      camera.contains(SIMD2(pixel.x, pixel.y), margin: 0.5)
    else { return nil }
    if let mask = image.mask, mask.hides(Int(pixel.x), Int(pixel.y)) { return nil }
    let start = 3 * (Int(pixel.y) * image.width + Int(pixel.x))
    return SIMD3(
      Float(image.pixels[start]), Float(image.pixels[start + 1]),
      Float(image.pixels[start + 2]))
  }

  private static func difference(_ a: SIMD3<Float>, _ b: SIMD3<Float>) -> Double {
    let difference = a - b
    return Double(abs(difference.x) + abs(difference.y) + abs(difference.z))
  }
}
