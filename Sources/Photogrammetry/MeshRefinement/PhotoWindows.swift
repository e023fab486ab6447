import MeshpipeScene

/// Finds the height of each vertex at which the images of all frames that see it agree best.
///
/// A window is a lattice of points on the tangent plane of a vertex, about a pixel apart. It is moved along
/// the normal in steps of about half a pixel, and at each step all images are sampled at its points. The images
/// are compared by their correlation (ZNCC) over all pairs of frames, which is a sum over frames: that of pairs
/// of unit vectors is half the squared length of their sum, less that of each. So all pairs cost no more than one
/// image after the other (compare Vu, Labatut, Pons and Keriven 2012, whose pairs are followed by a gradient).
struct PhotoWindows: Sendable {
  let frames: [ViewedFrame]
  let settings: Settings

  struct Settings: Sendable {
    /// The lattice has 2 · `radius` + 1 points along a side.
    var radius = 3
    /// Steps to either side.
    var steps = 3
    /// The most frames that are compared at a vertex, evenly spread over those that see it.
    var mostFrames = 8
    /// The farthest that a vertex is searched, in units of the scene.
    var reach: Float
  }

  /// The difference between images, in pixels, of a step.
  private static let pixelsPerStep: Float = 0.6
  /// A frame with less than this share of the best one's pixels per length shows other details.
  private static let leastScale: Float = 0.5
  /// The least correlation of a frame with the others to count.
  private static let leastCorrelation: Float = 0.3
  /// The least mean correlation of all pairs at the best height.
  private static let leastScore: Float = 0.3
  /// The least standard deviation of a window, in the logarithm of brightness.
  private static let leastContrast: Float = 0.004
  /// The longest step that is still tried, in those that divide the reach.
  private static let greatestSteps: Float = 4
  /// The pixels over which noise is alike: images are smoothed.
  private static let smoothedPixels: Float = 4

  /// Vertices between two reports of progress.
  private static let slice = 1 << 15

  /// The estimates of some vertices, and nothing for all others.
  ///
  /// - Parameter places: The indices of the vertices to estimate.
  /// - Parameter progress: Receives the finished share, and may cancel by an error.
  func estimates(
    of surface: RefinedSurface, at places: [Int], progress: (Double) throws -> Void
  ) rethrows -> [HeightEstimate] {
    let count = places.count
    var result = [HeightEstimate](repeating: .nothing, count: surface.positions.count)
    for first in stride(from: 0, to: count, by: Self.slice) {
      try progress(Double(first) / Double(count))
      let parts = Parallel.mapChunks(of: min(Self.slice, count - first), chunkSize: 1 << 9) {
        range in
        var window = Scratch()
        return range.map {
          let vertex = places[first + $0]
          return estimate(surface.positions[vertex], surface.normals[vertex], &window)
        }
      }
      for (offset, estimate) in parts.joined().enumerated() {
        result[places[first + offset]] = estimate
      }
    }
    return result
  }

  /// Buffers that the estimates of a chunk of vertices share.
  private struct Scratch {
    var views: [View] = []
    /// The window of each frame at each height, one after the other.
    var samples: [Float] = []
    var sum: [Float] = []
    var weights: [Float] = []
    var scores: [Float] = []
  }

  /// A frame that sees a vertex.
  private struct View {
    var frame: Int
    /// Pixels per unit of length.
    var scale: Float
  }

  private func estimate(
    _ point: SIMD3<Float>, _ normal: SIMD3<Float>, _ scratch: inout Scratch
  ) -> HeightEstimate {
    guard normal != .zero else { return .nothing }
    chooseViews(point, normal, &scratch.views)
    guard scratch.views.count > 1, let scale = scratch.views.lazy.map(\.scale).max() else {
      return .nothing
    }
    let spacing = 1 / scale
    guard let step = self.step(at: point, normal: normal, views: scratch.views, spacing: spacing)
    else { return .nothing }
    fill(&scratch, at: point, normal: normal, spacing: spacing, step: step)
    guard scratch.views.count > 1 else { return .nothing }
    let window = Window(
      frames: scratch.views.count, heights: 2 * settings.steps + 1, length: length)
    scratch.weights = [Float](repeating: 1, count: window.frames)
    scratch.sum = [Float](repeating: 0, count: window.length)
    guard
      let first = window.best(
        &scratch.scores, samples: scratch.samples, weights: scratch.weights, sum: &scratch.sum)
    else { return .nothing }
    window.weigh(
      &scratch.weights, scratch.samples, at: first, &scratch.sum, least: Self.leastCorrelation)
    guard
      let best = window.best(
        &scratch.scores, samples: scratch.samples, weights: scratch.weights, sum: &scratch.sum)
    else { return .nothing }
    return estimate(
      scratch.scores, best: best, step: step, spacing: spacing, pairs: window.pairs(scratch.weights)
    )
  }

  /// The vertex of the parabola through the best score and those beside it, and how sharp it is.
  private func estimate(
    _ scores: [Float], best: Int, step: Float, spacing: Float, pairs: Float
  ) -> HeightEstimate {
    guard best > 0, best < scores.count - 1, scores[best] > Self.leastScore, pairs > 0 else {
      return .nothing
    }
    let (before, top, after) = (scores[best - 1], scores[best], scores[best + 1])
    let bend = before + after - 2 * top
    guard bend < 0 else { return .nothing }
    let part = (before - after) / (2 * bend)
    let peak = min(top - (before - after) * part / 4, 0.999)
    let height = (Float(best - settings.steps) + part) * step
    // The sum of squared differences is 2 − 2 · score, its noise the least one.
    let information =
      -bend / (step * step) / (2 * (1 - peak)) * pairs
      / (Self.smoothedPixels * spacing * spacing)
    return HeightEstimate(height: height, information: information, step: step)
  }

  private var length: Int { (2 * settings.radius + 1) * (2 * settings.radius + 1) }

  /// The frames that see a vertex, of similar scale.
  private func chooseViews(
    _ point: SIMD3<Float>, _ normal: SIMD3<Float>, _ views: inout [View]
  ) {
    views.removeAll(keepingCapacity: true)
    let landmark = Landmark(position: point, normal: normal, scale: 1)
    var best: Float = 0
    for frame in frames.indices {
      guard let scale = frames[frame].scale(of: landmark) else { continue }
      best = max(best, scale)
      views.append(View(frame: frame, scale: scale))
    }
    views.removeAll { $0.scale < Self.leastScale * best }
    guard views.count > settings.mostFrames else { return }
    let (all, count) = (views, settings.mostFrames)
    views.removeAll(keepingCapacity: true)
    for index in 0..<count { views.append(all[(2 * index + 1) * all.count / (2 * count)]) }
  }

  /// The length along the normal over which the images of the frames farthest apart differ by ``pixelsPerStep``; nil
  /// if they are too close together to tell heights within reach.
  private func step(
    at point: SIMD3<Float>, normal: SIMD3<Float>, views: [View], spacing: Float
  ) -> Float? {
    var low = SIMD3<Float>(repeating: .infinity)
    var high = -low
    for view in views {
      let ray = (point - frames[view.frame].camera.position).normalized
      // The move along the tangent plane that looks like a move along the normal.
      let slope = ray / max(abs(ray.dot(normal)), Landmark.leastCosine)
      low = pointwiseMin(low, slope)
      high = pointwiseMax(high, slope)
    }
    let spread = (high - low).length
    guard spread > 0 else { return nil }
    let step = Self.pixelsPerStep * spacing / spread
    let greatest = settings.reach / Float(settings.steps)
    return step < Self.greatestSteps * greatest ? min(step, 2 * greatest) : nil
  }

  /// Samples the images, without frames that don't show the whole window.
  private func fill(
    _ scratch: inout Scratch, at point: SIMD3<Float>, normal: SIMD3<Float>, spacing: Float,
    step: Float
  ) {
    let (first, second) = Self.axes(of: normal)
    scratch.samples.removeAll(keepingCapacity: true)
    scratch.views.removeAll { view in
      let start = scratch.samples.count
      let frame = frames[view.frame]
      let reach = spacing * Float(settings.radius)
      guard let left = frame.place(of: point - first * reach),
        let right = frame.place(of: point + first * reach),
        let above = frame.place(of: point - second * reach),
        let below = frame.place(of: point + second * reach)
      else { return true }
      let across = (right - left) / Float(2 * settings.radius)
      let down = (below - above) / Float(2 * settings.radius)
      for number in -settings.steps...settings.steps {
        guard let center = frame.place(of: point + normal * (step * Float(number))),
          frame.image.appendPatch(
            around: center, across, down, radius: settings.radius, to: &scratch.samples),
          normalizeLast(of: &scratch.samples)
        else {
          scratch.samples.removeSubrange(start...)
          return true
        }
      }
      return false
    }
  }

  /// Gives the last window a mean of 0 and a length of 1; false if it is plain.
  @inline(__always)
  private func normalizeLast(of samples: inout [Float]) -> Bool {
    let window = samples.count - length..<samples.count
    var (sum, squares) = (Float(0), Float(0))
    for index in window {
      sum += samples[index]
      squares += samples[index] * samples[index]
    }
    let count = Float(length)
    let variance = squares - sum * sum / count
    guard variance > Self.leastContrast * Self.leastContrast * count else { return false }
    let (mean, scale) = (sum / count, 1 / variance.squareRoot())
    for index in window { samples[index] = (samples[index] - mean) * scale }
    return true
  }

  /// Two directions across a normal.
  private static func axes(of normal: SIMD3<Float>) -> (SIMD3<Float>, SIMD3<Float>) {
    let helper: SIMD3<Float> = abs(normal.x) < 0.7 ? SIMD3(1, 0, 0) : SIMD3(0, 1, 0)
    let first = normal.cross(helper).normalized
    return (first, normal.cross(first))
  }
}

/// The scores of windows of some frames at some heights.
private struct Window {
  let frames: Int
  let heights: Int
  let length: Int

  /// The correlation from which on a frame counts fully.
  private static let fullCorrelation: Float = 0.8

  /// The number of independent comparisons, from which the noise is known.
  func pairs(_ weights: [Float]) -> Float {
    let sum = weights.reduce(0, +)
    let squares = weights.reduce(0) { $0 + $1 * $1 }
    return squares > 0 ? (sum * sum / squares - 1) / 2 : 0
  }

  /// The height at which the weighted mean of the correlations of all pairs is greatest; nil if fewer than two frames
  /// count.
  func best(
    _ scores: inout [Float], samples: [Float], weights: [Float], sum: inout [Float]
  ) -> Int? {
    let all = weights.reduce(0, +)
    let squares = weights.reduce(0) { $0 + $1 * $1 }
    guard all * all - squares > 0.5 * squares else { return nil }
    scores.removeAll(keepingCapacity: true)
    for height in 0..<heights {
      add(samples, weights, at: height, &sum)
      var energy: Float = 0
      for value in sum { energy += value * value }
      scores.append((energy - squares) / (all * all - squares))
    }
    return scores.indices.max { scores[$0] < scores[$1] }
  }

  /// The weighted sum of all frames at a height.
  @inline(__always)
  private func add(_ samples: [Float], _ weights: [Float], at height: Int, _ sum: inout [Float]) {
    for index in 0..<length { sum[index] = 0 }
    for frame in 0..<frames {
      let (start, weight) = ((frame * heights + height) * length, weights[frame])
      for index in 0..<length { sum[index] += samples[start + index] * weight }
    }
  }

  /// Weighs each frame by its correlation with the others.
  func weigh(
    _ weights: inout [Float], _ samples: [Float], at height: Int, _ sum: inout [Float],
    least: Float
  ) {
    add(samples, weights, at: height, &sum)
    for frame in 0..<frames {
      let start = (frame * heights + height) * length
      var (product, others) = (Float(0), Float(0))
      for index in 0..<length {
        let other = sum[index] - samples[start + index]
        product += samples[start + index] * other
        others += other * other
      }
      let correlation = others > 0 ? product / others.squareRoot() : 0
      weights[frame] = max(0, min((correlation - least) / (Self.fullCorrelation - least), 1))
    }
  }
}
