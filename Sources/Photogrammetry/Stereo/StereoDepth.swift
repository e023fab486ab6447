import MeshpipeScene

/// A photograph for stereo, and what is known of its depths.
package struct StereoView: Sendable {
  let camera: StereoCamera
  let pyramid: StereoPyramid
  /// The pixels that are not to be used; nil if all are.
  let hidden: [Bool]?
  /// The inverse depths that may be.
  let range: ClosedRange<Float>
  /// The photographs that it is compared with.
  let sources: [Int]
  let prior: StereoPrior?

  /// - Parameter count: The most photographs that this one is compared with.
  package init(
    _ photograph: StereoPhotograph, _ pairing: StereoPairing, _ index: Int, atMost count: Int,
    prior: StereoPrior?
  ) {
    let range = pairing.range(of: index)
    self.init(
      photograph, range: range ?? 0...0,
      sources: range == nil ? [] : pairing.sources(of: index, atMost: count), prior: prior)
  }

  init(
    _ photograph: StereoPhotograph, range: ClosedRange<Float>, sources: [Int], prior: StereoPrior?
  ) {
    camera = photograph.camera
    pyramid = StereoPyramid(
      photograph.codes, size: photograph.size, count: StereoDepth.scales)
    hidden = photograph.hidden
    (self.range, self.prior) = (range, prior)
    self.sources = Array(sources.prefix(StereoDepth.mostSources))
  }

  /// Whether others show the same.
  package var isCompared: Bool { !sources.isEmpty }

  var size: SIMD2<Int> { pyramid.levels[0].size }
}

/// Depths of photographs with known cameras, by PatchMatch over several scales.
///
/// The coarser scales of all photographs come first, so that the finest one also asks that the depths of several
/// photographs agree (Xu and Tao 2019).
package struct StereoDepth: Sendable {
  let views: [StereoView]
  /// The planes at half of the scale, of views that were compared.
  private var halves: [PlaneMap?]
  /// What was found at the finest scale.
  private(set) var found: [FoundDepths?]

  /// The number of scales; the coarsest is an eighth as wide as the finest.
  static let scales = 4
  /// The most photographs that one is compared with.
  package static let mostSources = PlaneCost.mostSources

  package init(_ views: [StereoView]) {
    self.views = views
    halves = [PlaneMap?](repeating: nil, count: views.count)
    found = [FoundDepths?](repeating: nil, count: views.count)
  }

  /// Compares the coarser scales of a view.
  package mutating func begin(_ index: Int) {
    let view = views[index]
    guard !view.sources.isEmpty else { return }
    var map: PlaneMap?
    let last = view.pyramid.levels.count - 1
    for level in stride(from: last, through: 1, by: -1) {
      let size = view.pyramid.levels[level].size
      let next = map.map { PlaneMap($0, size: size) } ?? PlaneMap(size: size)
      _ = search(index, level: level, next, isFirst: level == last)
      map = next
    }
    halves[index] = map
  }

  /// Compares the finest scale of a view, after ``begin(_:)`` of all.
  package mutating func finish(_ index: Int) {
    guard let half = halves[index] else { return }
    let map = PlaneMap(half, size: views[index].size)
    found[index] = search(index, level: 0, map, isFirst: false)
  }

  /// - Returns: What was found, at the finest scale.
  private func search(
    _ index: Int, level: Int, _ map: PlaneMap, isFirst: Bool
  ) -> FoundDepths? {
    let view = views[index]
    let image = view.pyramid.image(level)
    let camera = view.camera.halved(level)
    // They must outlive the search, which knows their memory only.
    let others = view.sources.filter { views[$0].pyramid.levels.count > level }
    let images = others.map { views[$0].pyramid.image(level) }
    let guides = others.map { level == 0 ? halves[$0] : nil }
    var sources = others.indices.map { place in
      let other = views[others[place]].camera.halved(level)
      return PatchSource(
        image: PatchImage(images[place]), projection: StereoProjection(from: camera, to: other),
        guide: guides[place].map {
          PatchSource.Guide(
            planes: $0.planes, size: $0.size, projection: StereoProjection(from: other, to: camera))
        })
    }
    var likeness = PatchWindow.likeness
    var prior = isFirst || level == 0 ? view.prior?.resized(to: image.size) ?? [] : []
    let step = pixelStep(sources, view, image.size)
    let result = sources.withDisjointBuffer { sources in
      likeness.withDisjointBuffer { likeness in
        prior.withDisjointBuffer { prior in
          let search = PlaneSearch(
            size: image.size, image: PatchImage(image), camera: camera,
            cost: PlaneCost(sources: sources), range: view.range, pixelStep: step,
            seed: UInt32(truncatingIfNeeded: index * 8 + level), likeness: likeness,
            planes: map.planes, prior: prior)
          run(search, level: level, isFirst: isFirst)
          return level == 0 ? FoundDepths(search, hidden: view.hidden) : nil
        }
      }
    }
    withExtendedLifetime((image, images, guides, map)) {}
    return result
  }

  private func run(_ search: PlaneSearch, level: Int, isFirst: Bool) {
    if isFirst, search.prior.count > 0 {
      for index in 0..<search.planes.count where search.prior[index] > 0 {
        search.planes[index].inverseDepth = search.prior[index]
      }
    }
    search.begin()
    let efforts = Self.efforts(level: level, isFirst: isFirst)
    for (round, effort) in efforts.enumerated() { search.improve(round: round + 1, effort) }
    search.sharpen(reach: 0.4)
  }

  private static func efforts(level: Int, isFirst: Bool) -> [PlaneSearch.Effort] {
    if isFirst {
      return (0..<5).map { round in
        PlaneSearch.Effort(neighbors: 8, guesses: 3, variations: 3, reach: 4 / Float(1 << round))
      }
    }
    switch level {
    case 0:
      return [
        PlaneSearch.Effort(neighbors: 4, guesses: 0, variations: 1, reach: 0.4, usesPrior: true)
      ]
    case 1:
      return [
        PlaneSearch.Effort(neighbors: 6, guesses: 1, variations: 2, reach: 1),
        PlaneSearch.Effort(neighbors: 4, guesses: 0, variations: 2, reach: 0.5),
      ]
    default:
      return [
        PlaneSearch.Effort(neighbors: 8, guesses: 2, variations: 2, reach: 1),
        PlaneSearch.Effort(neighbors: 8, guesses: 1, variations: 2, reach: 0.5),
      ]
    }
  }

  /// The inverse depth that moves a point in the middle by a pixel in the source that it moves most in.
  private func pixelStep(
    _ sources: [PatchSource], _ view: StereoView, _ size: SIMD2<Int>
  ) -> Float {
    let middle = SIMD2<Float>(size) * 0.5
    let q = 0.5 * (view.range.lowerBound + view.range.upperBound)
    let shifts = sources.map { source -> Float in
      let shift = source.projection.shift(at: middle, inverseDepth: q)
      return (shift * shift).sum().squareRoot()
    }
    return 1 / max(shifts.max() ?? 0, 1e-3)
  }
}
