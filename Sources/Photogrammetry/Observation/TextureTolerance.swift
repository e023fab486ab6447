import MeshpipeBase
package import MeshpipeScene
import SurfaceKernels

/// The maximum distance that a surface may be moved before it affects the texture that is baked on it.
package struct TextureTolerance {
  /// The length on the surface that one pixel of its best frame covers, in units of the scene; nil
  /// if no frame sees the surface.
  package let texel: Double?
  /// The noise of the surface: the deviation of a vertex from the position that its neighbours
  /// predict, in units of the scene.
  package let noise: Double

  /// The share of the noise by which the surface may move: less than its own error.
  private static let noiseShare = 0.5
  /// The number of points for estimating the size of a texel: a median needs few.
  private static let sampleCount = 2000

  package init(of surface: ObservedSurface, seenBy frames: [Capture.Frame]) {
    texel = Self.texel(of: surface, frames)
    noise = surface.noise
  }

  /// The largest error that the texture doesn't reveal, in units of the scene; nil if no frame sees
  /// the surface.
  ///
  /// - Parameter texels: The error in texels. Noise is not worth preserving, however fine texels
  ///   are.
  package func largestError(texels: Double) -> Double? {
    texel.map { max(texels * $0, Self.noiseShare * noise) }
  }

  /// The median over the surface of the pixel size of the frame that shows a point best.
  private static func texel(of surface: ObservedSurface, _ frames: [Capture.Frame]) -> Double? {
    let samples = SurfaceSamples(of: surface, count: sampleCount)
    let views = Parallel.map(count: frames.count) {
      FrameObserver(Camera(frames[$0]), observing: surface).views(of: samples)
    }
    var best = [Float](repeating: 0, count: samples.count)
    for view in views.joined() {
      best[Int(view.sample)] = max(best[Int(view.sample)], view.resolution)
    }
    return best.filter { $0 > 0 }.median().map { Double(surface.scale.units(meters: 1 / $0)) }
  }
}

extension ObservedSurface {
  /// The median distance, along its normal, of a vertex from the position that its neighbours
  /// predict, minus the distance of these from the positions that theirs predict.
  ///
  /// Curvature affects neighbours alike and cancels out; for independent noise the result is 0.9
  /// standard deviations.
  var noise: Double {
    let means = neighborMeans(of: positions.map(\.simd))
    let heights = positions.indices.map { vertex in
      (positions[vertex].simd - means[vertex]).dot(normals[vertex].simd)
    }
    let expected = neighborMeans(of: heights.map { SIMD3(repeating: $0) })
    let deviations = heights.indices.map { abs(heights[$0] - expected[$0].x) }.filter(\.isFinite)
    return Double(deviations.median() ?? 0)
  }

  /// The mean of the neighbours' values for each vertex; its own if it has none.
  private func neighborMeans(of values: [SIMD3<Float>]) -> [SIMD3<Float>] {
    var sums = [SIMD3<Float>](repeating: .zero, count: values.count)
    var counts = [Float](repeating: 0, count: values.count)
    for face in 0..<faceCount {
      let (a, b, c) = vertices(ofFace: face)
      for (vertex, one, other) in [(a, b, c), (b, c, a), (c, a, b)] {
        sums[vertex] += values[one] + values[other]
        counts[vertex] += 2
      }
    }
    return values.indices.map { counts[$0] > 0 ? sums[$0] / counts[$0] : values[$0] }
  }
}
