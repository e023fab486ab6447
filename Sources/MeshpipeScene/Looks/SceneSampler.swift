/// Evaluates colour and normal of a scene's surface where a ray hits it.
package struct SceneSampler: Sendable {
  package let surface: SceneSurface
  package let textures: [MipTexture]
  let table = SRGBTable.shared

  /// The surface hit by a ray.
  package struct Sight {
    /// Linear, without lighting.
    package var color: SIMD3<Float>
    /// Whether the colour was photographed, including shading.
    package var isPhotographed: Bool
    /// Unit normal, on the ray's side.
    package var normal: SIMD3<Float>
    package var position: SIMD3<Float>

    package init(
      color: SIMD3<Float>, isPhotographed: Bool, normal: SIMD3<Float>, position: SIMD3<Float>
    ) {
      self.color = color
      self.isPhotographed = isPhotographed
      self.normal = normal
      self.position = position
    }
  }

  /// - Parameter textures: Those that the surface's looks refer to.
  package init(surface: SceneSurface, textures: [MipTexture]) {
    self.surface = surface
    self.textures = textures
  }

  /// - Parameters:
  ///   - ray: Scaled to depth 1.
  ///   - area: The area at depth 1 that the ray represents.
  package func sight(
    face: Int, barycentric: SIMD2<Float>, along ray: SIMD3<Float>, depth: Float, area: Float
  ) -> Sight {
    let (a, b, c) = (surface.corner(face, 0), surface.corner(face, 1), surface.corner(face, 2))
    let weights = SIMD3(1 - barycentric.x - barycentric.y, barycentric.x, barycentric.y)
    let cross = (b - a).cross(c - a)
    let look = surface.looks[Int(surface.faceLooks[face])]
    var color = look.color
    if look.texture >= 0 {
      let texture = textures[look.texture]
      let spot = spot(
        face: face, weights: weights, turn: cross.dot(ray), depth: depth, area: area,
        on: texture.size)
      color *= texture.sample(spot.coordinates, texelsPerSample: spot.texelsPerSample)
    }
    if look.usesColors {
      color *=
        light(3 * face) * weights.x + light(3 * face + 1) * weights.y + light(3 * face + 2)
        * weights.z
    }
    return Sight(
      color: color, isPhotographed: look.isPhotographed,
      normal: normal(of: face, at: weights, from: look.normals, cross: cross, along: ray),
      position: a * weights.x + b * weights.y + c * weights.z)
  }

  /// What a sample covers of a texture.
  package struct Spot {
    package var coordinates: SIMD2<Float>
    /// The number of texels along an edge.
    package var texelsPerSample: Float
  }

  /// - Parameters:
  ///   - turn: The cross product of two sides of the face, times the ray.
  ///   - area: The area across the ray at depth 1.
  ///   - size: Of the texture.
  private func spot(
    face: Int, weights: SIMD3<Float>, turn: Float, depth: Float, area: Float, on size: SIMD2<Float>
  ) -> Spot {
    let uv = (uv(3 * face), uv(3 * face + 1), uv(3 * face + 2))
    let (across, up) = ((uv.1 - uv.0) * size, (uv.2 - uv.0) * size)
    let texels = abs(across.x * up.y - across.y * up.x)
    // A patch of the image plane covers depth² / |n · ray| times its area on the surface.
    let covered = texels * depth * depth * area / max(abs(turn), 1e-30)
    return Spot(
      coordinates: uv.0 * weights.x + uv.1 * weights.y + uv.2 * weights.z,
      texelsPerSample: covered.squareRoot())
  }

  /// What an area of the surface around a place covers of a texture.
  ///
  /// - Parameter size: Of the texture, in texels.
  package func spot(
    face: Int, barycentric: SIMD2<Float>, area: Float, on size: SIMD2<Float>
  ) -> Spot {
    let weights = SIMD3(1 - barycentric.x - barycentric.y, barycentric.x, barycentric.y)
    let start = surface.corner(face, 0)
    let turn = (surface.corner(face, 1) - start).cross(surface.corner(face, 2) - start).length
    return spot(face: face, weights: weights, turn: turn, depth: 1, area: area, on: size)
  }

  private func uv(_ corner: Int) -> SIMD2<Float> {
    let value = surface.textureCoordinates[corner]
    return SIMD2(value.x, value.y)
  }

  private func light(_ corner: Int) -> SIMD3<Float> {
    let color = surface.colors[Int(surface.indices[corner])]
    return table.linear(color.red, color.green, color.blue)
  }

  private func normal(
    of face: Int, at weights: SIMD3<Float>, from source: SurfaceLook.Normals, cross: SIMD3<Float>,
    along ray: SIMD3<Float>
  ) -> SIMD3<Float> {
    let flat = cross.normalized
    let side: Float = flat.dot(ray) > 0 ? -1 : 1
    guard let smooth = interpolatedNormal(face, weights, source)?.normalized else {
      return flat * side
    }
    // Normals that contradict the face, or are zero, come from a damaged file.
    return smooth.dot(flat) > 0 ? smooth * side : flat * side
  }

  /// The mean of the corners' normals, which is shorter than they are; nil where the face has its own.
  package func interpolatedNormal(
    _ face: Int, _ weights: SIMD3<Float>, _ source: SurfaceLook.Normals
  ) -> SIMD3<Float>? {
    var sum = SIMD3<Float>.zero
    switch source {
    case .face: return nil
    case .vertex:
      for corner in 0..<3 {
        sum += surface.normals[Int(surface.indices[3 * face + corner])].simd * weights[corner]
      }
    case .corner:
      for corner in 0..<3 { sum += surface.cornerNormals[3 * face + corner].simd * weights[corner] }
    }
    return sum
  }

  /// The share of vertex colours that is not see-through, from 0 to 1; 1 without colours.
  package func colorOpacity(face: Int, barycentric: SIMD2<Float>) -> Float {
    guard surface.looks[Int(surface.faceLooks[face])].usesColors else { return 1 }
    let weights = SIMD3(1 - barycentric.x - barycentric.y, barycentric.x, barycentric.y)
    var sum: Float = 0
    for corner in 0..<3 {
      sum += Float(surface.colors[Int(surface.indices[3 * face + corner])].alpha) * weights[corner]
    }
    return sum / 255
  }
}
