import MeshpipeBase
package import MeshpipeScene

extension MapPage {
  /// Where the heavy surface is in a box, axis by axis: black at its least corner, white at its
  /// greatest.
  ///
  /// - Returns: Three channels per texel; red, green and blue are x, y and z.
  package func positions(in box: Box) -> [UInt16] {
    let least = box.minimum
    // A box without depth is black.
    let scale = box.size.replacing(with: Float.infinity, where: box.size .<= 0)
    return values { texel in
      (baking.source.sight(of: hits[texel], area: 0).position - least) / scale
    }
  }

  /// The signed distance of the heavy surface from the light one along its normal: black is the reach inwards, white
  /// outwards.
  ///
  /// - Returns: Three equal channels per texel.
  package func heights() -> [UInt16] {
    let reach = max(baking.reach, .leastNormalMagnitude)
    return values { texel in
      let point = point(texel)
      let way = baking.source.sight(of: hits[texel], area: 0).position - point.position
      return SIMD3(repeating: 0.5 + 0.5 * way.dot(point.normal.normalized) / reach)
    }
  }

  /// The mean curvature of the heavy surface: grey where it is flat, white where it is at least as
  /// convex as a ball, black where it is as hollow.
  ///
  /// - Parameters:
  ///   - curvatures: At the heavy surface's vertices, from ``MapBaking/sourceCurvatures()``.
  ///   - radius: Of the ball.
  /// - Returns: Three equal channels per texel.
  package func curvatures(_ curvatures: [Float], radius: Float) -> [UInt16] {
    let indices = baking.source.sampler.surface.indices
    return values { texel in
      let hit = hits[texel]
      let first = 3 * Int(hit.face)
      let weights = SIMD3(
        1 - hit.barycentric.x - hit.barycentric.y, hit.barycentric.x, hit.barycentric.y)
      let corners = SIMD3(
        curvatures[Int(indices[first])], curvatures[Int(indices[first + 1])],
        curvatures[Int(indices[first + 2])])
      return SIMD3(repeating: 0.5 + 0.5 * radius * (corners * weights).sum())
    }
  }

  /// The colours of the heavy surface's faces, which are not mixed in charts.
  ///
  /// - Parameter colors: One for each face of the heavy surface.
  package func faceColors(_ colors: [SIMD3<UInt8>]) -> Image {
    let codes: [SIMD3<UInt8>] = Parallel.array(count: owners.count, chunkSize: 1 << 12) { texel in
      hits[texel].isNone ? .zero : colors[Int(hits[texel].face)]
    }
    return picture(Self.bytes(codes), fills: true)
  }

  /// Values from 0 to 1 in 16 bits, extended beyond the texels that have some.
  private func values(_ value: @Sendable (Int) -> SIMD3<Float>) -> [UInt16] {
    let codes: [SIMD3<UInt16>] = Parallel.array(count: owners.count, chunkSize: 1 << 12) { texel in
      guard !hits[texel].isNone else { return .zero }
      let code = (value(texel) * 65535).rounded(.toNearestOrAwayFromZero)
      // Numbers that overflow in a broken file are black.
      let whole = code.replacing(with: 0, where: code .!= code)
      return SIMD3<UInt16>(whole.clamped(lowerBound: .zero, upperBound: SIMD3(repeating: 65535)))
    }
    var pixels: [UInt16] = Parallel.array(count: 3 * codes.count) { codes[$0 / 3][$0 % 3] }
    PagePadding.fill(
      &pixels, covered: covered { !hits[$0].isNone }, rings: Self.paddingRings)
    return pixels
  }
}
