import MeshpipeScene
import SurfaceKernels

/// The factors of a frame's light at the corners of a triangle; the fourth is its weight.
///
/// The factor of the fine detail that is added before.
struct CornerGains {
  var a: SIMD4<Float>
  var b: SIMD4<Float>
  var c: SIMD4<Float>
  var boosts: SIMD3<Float>
}

/// The affine functions over a triangle that a frame sees.
private struct TriangleSamples {
  struct Sample {
    /// As in ``TriangleProjection``; the fourth is the factor by which fine detail is added again.
    var place = SIMD4<Float>.zero
    /// See ``CornerGains``.
    var gain: SIMD4<Float>

    @inline(__always)
    mutating func add(_ step: Sample) {
      place += step.place
      gain += step.gain
    }
  }

  private var a: Sample
  private var b: Sample
  private var c: Sample

  init(_ gains: CornerGains) {
    (a, b, c) = (Sample(gain: gains.a), Sample(gain: gains.b), Sample(gain: gains.c))
  }

  init(_ gains: CornerGains, _ projection: TriangleProjection) {
    self.init(gains)
    a.place = SIMD4(projection.a, gains.boosts.x)
    b.place = SIMD4(projection.b, gains.boosts.y)
    c.place = SIMD4(projection.c, gains.boosts.z)
  }

  /// The value at weights of the corners, or its change for a change of the weights.
  @inline(__always)
  func sample(at weights: SIMD3<Float>) -> Sample {
    Sample(
      place: a.place * weights.x + b.place * weights.y + c.place * weights.z,
      gain: a.gain * weights.x + b.gain * weights.y + c.gain * weights.z)
  }
}

/// Composes the texels of a triangle.
struct TrianglePainter: Sendable {
  /// Frames with a smaller blend weight in a texel are skipped: 0.2 % of its light, less than half a code of 8 bits.
  ///
  /// Larger, it would cut the linear ramp of weights towards a vertex where a frame ends, which shows as an edge.
  private static let leastWeight: Float = 0.002
  /// The part of a texel's weight that may be lost before the rest is scaled up.
  ///
  /// Below it the texel is darker by less than frames differ by anyhow, and lost weights are rounded to 1/255 each.
  private static let negligibleLoss: Float = 0.02
  /// The rate at which the scaled-up rest replaces the vertices' smooth colour as the part that frames do show grows:
  /// fully at a sixtieth.
  ///
  /// Less than that is a few codes of a page of 8 bits, whose rounding the scale would amplify to visible
  /// grain; a smaller factor would blur more texels that one frame shows well.
  private static let certaintyPerPart: Float = 60
  /// Keep divisions finite; too small to matter where ``certaintyPerPart`` gives the rest any weight.
  private static let leastSeen: Float = 1e-6
  private static let leastPart: Float = 1e-3

  let raster: TriangleRaster
  private let colors: [SIMD4<Float>]
  private let borders: BakeMeshBorders
  private let codes = SRGBTable.shared.codes
  /// Linear light, 0…65535, of each code.
  private let light = LinearImage.linear.map { Float($0) }

  /// - Parameter colors: The colour of each vertex; the fourth component is 0 where no frame sees
  ///   it.
  init(_ raster: TriangleRaster, colors: [SIMD4<Float>], borders: BakeMeshBorders) {
    self.raster = raster
    self.colors = colors
    self.borders = borders
  }

  /// Adds a frame's light to a triangle; the last frame also fills what frames did not show.
  ///
  /// - Parameter view: Nil for a frame that turned out to show nothing.
  func add(
    _ triangle: Int, gains: CornerGains, view: BakedFrame?, isLast: Bool,
    lostWeights: inout [UInt8], to pixels: DisjointBuffer<UInt8>
  ) {
    guard let texelTriangle = raster.texelTriangle(of: triangle) else { return }
    if let view {
      let (a, b, c) = raster.mesh.vertices(ofTriangle: triangle)
      let projection = TriangleProjection(
        of: (
          raster.mesh.positions[a].simd, raster.mesh.positions[b].simd,
          raster.mesh.positions[c].simd
        ), texelTriangle, in: view,
        outlines: borders.outlines(
          ofTriangle: triangle, in: raster.mesh, from: view.camera.position))
      let samples = TriangleSamples(gains, projection)
      add(
        triangle, texelTriangle: texelTriangle, samples: samples, isLast: isLast,
        lostWeights: &lostWeights, to: pixels
      ) { position in
        projection.color(at: SIMD3(position.x, position.y, position.z), boost: position.w)
      }
    } else {
      add(
        triangle, texelTriangle: texelTriangle, samples: TriangleSamples(gains), isLast: isLast,
        lostWeights: &lostWeights, to: pixels
      ) {
        _ in nil
      }
    }
  }

  /// - Parameter color: From ``TriangleSamples/Sample/place`` to the result of
  ///   ``TriangleProjection/color(at:boost:)``.
  @inline(__always)
  private func add(
    _ triangle: Int, texelTriangle: TexelTriangle, samples: TriangleSamples, isLast: Bool,
    lostWeights: inout [UInt8], to pixels: DisjointBuffer<UInt8>,
    color: (SIMD4<Float>) -> SIMD4<Float>?
  ) {
    let step = samples.sample(at: texelTriangle.weightsPerColumn)
    var texel = 0
    texelTriangle.forEachSpan { span in
      var sample = samples.sample(at: span.weights)
      var pixel = raster.firstPixel(of: span, ofTriangle: triangle)
      for column in span.columns {
        if sample.gain.w > Self.leastWeight {
          var sum = light(pixels, pixel)
          var confidence: Float = 0
          if let color = color(sample.place) {
            confidence = color.w
            sum += color * sample.gain * confidence
          }
          if confidence < 1 {
            lose(sample.gain.w * (1 - confidence), texel, of: triangle, &lostWeights)
          }
          paint(sum, pixels, pixel)
        }
        if isLast, !lostWeights.isEmpty, lostWeights[texel] > 0 {
          let sum = completed(
            light(pixels, pixel), lost: lostWeights[texel], triangle, span.weights(atColumn: column)
          )
          paint(sum, pixels, pixel)
        }
        pixel += 3
        texel += 1
        sample.add(step)
      }
    }
    if isLast { lostWeights = [] }
  }

  private func lose(_ weight: Float, _ texel: Int, of triangle: Int, _ lostWeights: inout [UInt8]) {
    if lostWeights.isEmpty {
      lostWeights = Array(repeating: 0, count: raster.count(ofTriangle: triangle))
    }
    lostWeights[texel] = UInt8(min(255, Float(lostWeights[texel]) + 255 * weight).rounded())
  }

  /// Completes a triangle with the colours of vertices that no frame sees.
  func finish(_ triangle: Int, _ lostWeights: inout [UInt8], _ pixels: DisjointBuffer<UInt8>) {
    var texel = 0
    raster.texelTriangle(of: triangle)?.forEachSpan { span in
      var pixel = raster.firstPixel(of: span, ofTriangle: triangle)
      for column in span.columns {
        let lost = lostWeights.isEmpty ? 0 : lostWeights[texel]
        let sum = completed(
          light(pixels, pixel), lost: lost, triangle, span.weights(atColumn: column))
        paint(sum, pixels, pixel)
        pixel += 3
        texel += 1
      }
    }
    lostWeights = []
  }

  /// The linear light of a pixel.
  @inline(__always)
  private func light(_ pixels: DisjointBuffer<UInt8>, _ pixel: Int) -> SIMD4<Float> {
    SIMD4(
      light[Int(pixels[pixel])], light[Int(pixels[pixel + 1])], light[Int(pixels[pixel + 2])], 0)
  }

  @inline(__always)
  private func paint(_ light: SIMD4<Float>, _ pixels: DisjointBuffer<UInt8>, _ pixel: Int) {
    let code = clampedToCode(light)
    pixels[pixel] = codes[Int(code.x)]
    pixels[pixel + 1] = codes[Int(code.y)]
    pixels[pixel + 2] = codes[Int(code.z)]
  }

  /// A texel of which frames show only a part.
  ///
  /// - Parameter lost: The weight whose frames do not show it, 255 for 1.
  private func completed(
    _ sum: SIMD4<Float>, lost: UInt8, _ triangle: Int, _ weights: SIMD3<Float>
  ) -> SIMD4<Float> {
    let vertices = raster.mesh.vertices(ofTriangle: triangle)
    let (a, b, c) = (colors[vertices.0], colors[vertices.1], colors[vertices.2])
    let lost = Float(lost) / 255
    let seen = a.w * weights.x + b.w * weights.y + c.w * weights.z
    var unseen = a * ((1 - a.w) * weights.x)
    unseen += b * ((1 - b.w) * weights.y)
    unseen += c * ((1 - c.w) * weights.z)
    guard lost > seen * Self.negligibleLoss else { return sum + unseen }
    // A frame does not see this texel: the others replace it, or finally the smooth colour.
    let part = max(0, 1 - lost / max(seen, Self.leastSeen))
    let certain = min(1, part * Self.certaintyPerPart)
    let smooth = a * weights.x + b * weights.y + c * weights.z
    guard certain > 0 else { return smooth }
    return (sum / max(part, Self.leastPart) + unseen) * certain + smooth * (1 - certain)
  }
}
