import MeshpipeScene
import POSIX

/// Where a surface looks brighter at grazing angles, as glossy floors and paint do.
///
/// The logarithms of light are regressed on the obliquity of the views. Single vertices are noisy,
/// so the sums of the regression are smoothed over the surface: the result changes slowly, and
/// colours that depend on it are not mottled.
struct GlossEstimate: Sendable {
  /// The glossiness of each vertex, 0…1.
  private(set) var glossiness: [Float]

  /// The effect of gloss on light, as the standard deviation of logarithms that obliquity explains:
  /// invisible below the first (2 %, to which frames agree anyhow), certain above the second.
  private static let least: Float = 0.02
  private static let certain: Float = 0.05
  /// The share of the variance that obliquity must explain, likewise: noise explains some percent by chance.
  ///
  /// Smaller values take a dark percentile as the colour of matt surfaces, and darken them; larger ones leave
  /// reflections in the consensus.
  private static let leastShare: Float = 0.12
  private static let certainShare: Float = 0.35
  /// Rounds of smoothing over the neighbours, in each of which a vertex keeps half of its own value: about four edges
  /// far.
  ///
  /// Fewer leave mottled colours; more carry the gloss of a floor up the walls.
  private static let rounds = 16
  private static let keptPart: Float = 0.5
  /// Linear light, of three channels, that is added before the logarithm, so that noise in the dark does not count:
  /// as ``ColorConsensus/noiseFloor``, a hundredth of white each.
  private static let noiseFloor: Float = 2000
  /// Sums below these, of squared obliquities and of squared logarithms, determine no slope.
  private static let leastObliquities: Float = 1e-6
  private static let leastVariance: Float = 1e-9

  /// The share of the vertices that are glossy.
  var share: Float { glossiness.reduce(0, +) / Float(max(1, glossiness.count)) }

  init(
    _ table: ObservationTable, _ photometry: FramePhotometry, _ geometry: GainSamples.Geometry,
    offsets: [UInt32],
    neighbors: [UInt32]
  ) {
    var sums = Parallel.array(count: table.vertexCount) { vertex in
      Self.sums(of: table, photometry: photometry, geometry: geometry, at: vertex)
    }
    for _ in 0..<Self.rounds {
      sums = Parallel.array(count: sums.count) { [sums] vertex in
        let range = Int(offsets[vertex])..<Int(offsets[vertex + 1])
        guard !range.isEmpty else { return sums[vertex] }
        var sum = SIMD4<Float>.zero
        for index in range { sum += sums[Int(neighbors[index])] }
        return sums[vertex] * Self.keptPart + sum * ((1 - Self.keptPart) / Float(range.count))
      }
    }
    glossiness = sums.map { Self.glossiness(of: $0) }
  }

  /// The weighted sums, about the vertex's means, of squared obliquities, of their products with
  /// the logarithms of light, and of squared logarithms; and of the weights.
  private static func sums(
    of table: ObservationTable, photometry: FramePhotometry, geometry: GainSamples.Geometry,
    at vertex: Int
  ) -> SIMD4<Float> {
    let range = table.range(of: vertex)
    guard range.count > 2 else { return .zero }
    var (weights, first) = (Float(0), SIMD2<Float>.zero)
    var second = SIMD4<Float>.zero
    for index in range {
      let observation = table.observations[index]
      let color =
        SIMD4<Float>(observation.measurement.color) * photometry.gains[Int(observation.frame)]
      let obliquity = geometry.obliquity(of: vertex, from: Int(observation.frame))
      let light = log(color.x + color.y + color.z + noiseFloor)
      let weight = observation.measurement.confidence
      weights += weight
      first += SIMD2(obliquity, light) * weight
      second += SIMD4(obliquity * obliquity, obliquity * light, light * light, 0) * weight
    }
    guard weights > 0 else { return .zero }
    let mean = first / weights
    second -= SIMD4(mean.x * mean.x, mean.x * mean.y, mean.y * mean.y, 0) * weights
    second.w = weights
    return second
  }

  private static func glossiness(of sums: SIMD4<Float>) -> Float {
    guard sums.x > leastObliquities, sums.y > 0, sums.z > leastVariance, sums.w > 0 else {
      return 0
    }
    let explained = sums.y * sums.y / sums.x
    let effect = (explained / sums.w).squareRoot()
    return ramp(effect, least, certain) * ramp(explained / sums.z, leastShare, certainShare)
  }

  /// Rises smoothly from 0 at the first to 1 at the second.
  private static func ramp(_ value: Float, _ first: Float, _ second: Float) -> Float {
    let part = min(max((value - first) / (second - first), 0), 1)
    return part * part * (3 - 2 * part)
  }
}

extension GainSamples.Geometry {
  /// The cosine of the angle at which a frame sees a vertex; 1 for a point without a normal.
  @inline(__always)
  func cosine(of vertex: Int, from frame: Int) -> Float {
    let normal = normals[vertex].simd
    guard normal != .zero else { return 1 }
    let sight = (cameras[frame] - positions[vertex].simd).normalized
    return min(1, abs((sight * normal).sum()))
  }

  /// See ``GainSamples/Sample/obliquity``.
  @inline(__always)
  func obliquity(of vertex: Int, from frame: Int) -> Float {
    let lack = 1 - cosine(of: vertex, from: frame)
    return lack * lack
  }
}
