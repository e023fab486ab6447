import MeshpipeScene
import NativeLibraries

/// Compares the images of frames at the same points of the mesh, pair by pair, at low resolution.
///
/// Images with correct poses correlate there, whatever their exposure; those of another scene do
/// not.
struct ImageCorrelation: Sendable {
  /// The agreement of two frames.
  struct Pair: Sendable, Equatable {
    var first: Int
    var second: Int
    /// The number of compared patches.
    var patches: Int
    /// The mean correlation at the best common shift.
    var correlation: Double
  }

  /// The image of each frame; nil if it can't be read.
  private(set) var images: [HighPassImage?]
  private let tracer: RayTracer

  /// The longer side of images in pixels: phones' poses are off by one or two of these, which a search of few pixels
  /// covers (``MeshPatch``).
  private static let side = 240
  /// The number of pixels of all images together, two bytes each, above which they are smaller, and their least side.
  private static let mostPixels = 45_000_000
  private static let leastSide = 120
  /// Width by height of most images.
  private static let aspectRatio = 4.0 / 3
  /// The columns and rows of candidate patches in each image: 12 pixels apart, so that patches of 9 don't
  /// overlap.
  private static let grid = SIMD2(20, 15)
  /// Both are divided by this for a coarse comparison, a quarter of the patches.
  private static let coarseness = 2
  /// The number of partners of each frame: an outlier among a few does not decide, and time grows with them.
  private static let partners = 6
  /// The number of patches for choosing partners, and the share that both must see: less overlap gives
  /// too few patches to compare.
  private static let probes = 16
  private static let leastShare = 0.25
  /// The minimum number of patches in a pair: of fewer, the best of 49 shifts correlates by chance.
  private static let leastPatches = 8

  init(
    of frames: [Capture.Frame], on tracer: RayTracer, _ context: any MeasuringContext
  ) throws {
    let pixels = Double(Self.mostPixels) / Double(max(frames.count, 1))
    let side = min(
      Self.side, max(Self.leastSide, Int((pixels * Self.aspectRatio).squareRoot())))
    images = Parallel.map(count: frames.count) { index in
      guard (try? context.checkCancellation()) != nil else { return nil }
      return try? HighPassImage(of: frames[index], side: side)
    }
    try context.checkCancellation()
    self.tracer = tracer
  }

  private init(_ images: [HighPassImage?], _ tracer: RayTracer) {
    (self.images, self.tracer) = (images, tracer)
  }

  /// The comparison with its images changed.
  func mapImages(
    _ change: ([HighPassImage?]) -> [HighPassImage?]
  ) -> ImageCorrelation {
    ImageCorrelation(change(images), tracer)
  }

  /// Compares frames with others of overlapping view, using the cameras of `frames`.
  ///
  /// - Parameters:
  ///   - anchors: The frames to compare with others; all if nil.
  ///   - coarse: Whether a quarter of the patches is enough.
  func pairs(
    of frames: [Capture.Frame], anchors: [Int]? = nil, coarse: Bool = false
  ) -> [Pair] {
    let anchors = anchors ?? Array(frames.indices)
    let cameras = cameras(frames)
    return Parallel.map(count: anchors.count) { index in
      pairs(of: anchors[index], cameras, coarse: coarse) {
        partners(of: anchors[index], $0, cameras)
      }
    }.flatMap(\.self)
  }

  /// Compares the same pairs of frames with other cameras.
  func pairs(of frames: [Capture.Frame], like pairs: [Pair]) -> [Pair] {
    let cameras = cameras(frames)
    let partners = Dictionary(grouping: pairs, by: \.first).sorted { $0.key < $1.key }
    return Parallel.map(count: partners.count) { index in
      self.pairs(of: partners[index].key, cameras) { _ in partners[index].value.map(\.second) }
    }.flatMap(\.self)
  }

  private func cameras(_ frames: [Capture.Frame]) -> [Camera?] {
    frames.indices.map { index in
      images[index].map { Camera(frames[index], size: $0.size) }
    }
  }

  private func pairs(
    of first: Int, _ cameras: [Camera?], coarse: Bool = false,
    partners: ([MeshPatch]) -> [Int]
  ) -> [Pair] {
    guard let image = images[first], let camera = cameras[first] else { return [] }
    let patches = self.patches(of: image, camera, coarse: coarse)
    return partners(patches).compactMap { second in
      guard let other = images[second], let otherCamera = cameras[second] else { return nil }
      var sums = [Float](repeating: 0, count: MeshPatch.places * MeshPatch.places)
      var count = 0
      for patch in patches {
        guard let place = patch.place(in: otherCamera), !patch.isHidden(from: otherCamera, tracer),
          patch.addCorrelations(with: other, at: place, to: &sums)
        else { continue }
        count += 1
      }
      guard count >= Self.leastPatches, let best = sums.max() else { return nil }
      return Pair(
        first: first, second: second, patches: count, correlation: Double(best) / Double(count))
    }
  }

  private func patches(
    of image: HighPassImage, _ camera: Camera, coarse: Bool
  ) -> [MeshPatch] {
    let fine = coarse ? Self.grid / Self.coarseness : Self.grid
    let grid = image.width >= image.height ? fine : SIMD2(fine.y, fine.x)
    var patches: [MeshPatch] = []
    for row in 0..<grid.y {
      for column in 0..<grid.x {
        let position = (SIMD2<Float>(SIMD2(column, row)) + 0.5) / SIMD2<Float>(grid)
        let pixel = (position * SIMD2<Float>(image.size)).rounded(.down) + 0.5
        guard let patch = MeshPatch(at: pixel, of: image, camera, tracer) else { continue }
        patches.append(patch)
      }
    }
    return patches
  }

  /// The partners of a frame, which see much of the same: neighbours, and some from the whole
  /// capture.
  private func partners(
    of first: Int, _ patches: [MeshPatch], _ cameras: [Camera?]
  ) -> [Int] {
    let count = min(Self.probes, patches.count)
    guard count > 0 else { return [] }
    let probes = (0..<count).map { patches[(2 * $0 + 1) * patches.count / (2 * count)] }
    let seeing = cameras.indices.filter { other in
      guard other != first, let camera = cameras[other] else { return false }
      let seen = probes.count { $0.place(in: camera) != nil }
      return Double(seen) >= Self.leastShare * Double(count)
    }
    guard seeing.count > Self.partners else { return seeing }
    let near = seeing.sorted { abs($0 - first) < abs($1 - first) }.prefix(Self.partners / 2)
    let rest = seeing.filter { !near.contains($0) }
    let spread = Self.partners - near.count
    return near.sorted()
      + (0..<spread).map { rest[(2 * $0 + 1) * rest.count / (2 * spread)] }
  }
}

extension [ImageCorrelation.Pair] {
  /// The mean correlation of all patches; nil if none was compared.
  var meanCorrelation: Double? {
    let patches = reduce(0) { $0 + $1.patches }
    return patches == 0 ? nil : support / Double(patches)
  }

  /// The sum of correlations: the amount of agreement, rather than the agreement of the little that
  /// was compared.
  var support: Double { reduce(0) { $0 + Double($1.patches) * Swift.max($1.correlation, 0) } }
}
