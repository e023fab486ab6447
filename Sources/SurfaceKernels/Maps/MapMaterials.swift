package import MeshpipeScene

/// The properties of a heavy surface's materials besides their colours, for maps of a light one.
package struct MapMaterials: Sendable {
  /// A texture in ``textures``; nil for none.
  package typealias Place = Int

  /// The properties of one material.
  package struct Entry: Sendable {
    package var alphaMode = Material.AlphaMode.opaque
    /// The opacity of the base colour, from 0 to 1.
    package var opacity: Float = 1
    package var normalMap: Place?
    package var roughness: Float = 1
    package var metallic: Float = 0
    package var metallicRoughnessMap: Place?
    /// The emitted light as a linear colour.
    package var emissive = SIMD3<Float>.zero
    package var emissiveMap: Place?

    package init() {}
  }

  /// The properties of each material of the scene; none if only colours are wanted.
  package var entries: [Entry] = []
  package var textures: [MipTexture] = []
  /// The tangent at each corner of the heavy surface; none without normal maps.
  package var tangents: [Tangent] = []

  package init() {}
}

extension MapSource {
  /// The material at a hit, and whether it has texture coordinates there; nil for none.
  private func entry(at hit: Hit) -> (entry: MapMaterials.Entry, isMapped: Bool)? {
    let surface = sampler.surface
    let look = surface.looks[Int(surface.faceLooks[Int(hit.face)])]
    guard materials.entries.indices.contains(look.material) else { return nil }
    return (materials.entries[look.material], look.isMapped)
  }

  /// The mean of a texture around a hit.
  private func value(
    of texture: MapMaterials.Place, at hit: Hit, area: Float
  ) -> SIMD3<Float> {
    let texture = materials.textures[texture]
    let spot = sampler.spot(
      face: Int(hit.face), barycentric: hit.barycentric, area: area, on: texture.size)
    return texture.sample(spot.coordinates, texelsPerSample: spot.texelsPerSample)
  }

  /// The alpha mode at a hit; opaque without a material.
  func alphaMode(at hit: Hit) -> Material.AlphaMode { entry(at: hit)?.entry.alphaMode ?? .opaque }

  /// The opacity at a hit: the product of those of its material, its texture and its vertices.
  ///
  /// - Parameter area: Of the surface for which it is the mean.
  func opacity(at hit: Hit, area: Float) -> Float {
    let surface = sampler.surface
    let look = surface.looks[Int(surface.faceLooks[Int(hit.face)])]
    var opacity = entry(at: hit)?.entry.opacity ?? 1
    if look.texture >= 0 {
      let texture = sampler.textures[look.texture]
      let spot = sampler.spot(
        face: Int(hit.face), barycentric: hit.barycentric, area: area, on: texture.size)
      opacity *= texture.opacity(spot.coordinates, texelsPerSample: spot.texelsPerSample)
    }
    return opacity * sampler.colorOpacity(face: Int(hit.face), barycentric: hit.barycentric)
  }

  /// The roughness in `y` and the metalness in `z` at a hit, as glTF has them.
  func metallicRoughness(at hit: Hit, area: Float) -> SIMD3<Float> {
    let (entry, isMapped) = entry(at: hit) ?? (MapMaterials.Entry(), false)
    let factors = SIMD3(0, entry.roughness, entry.metallic)
    guard isMapped, let map = entry.metallicRoughnessMap else { return factors }
    return factors * value(of: map, at: hit, area: area)
  }

  /// The linear light that is emitted at a hit.
  func emissive(at hit: Hit, area: Float) -> SIMD3<Float> {
    guard let (entry, isMapped) = entry(at: hit) else { return .zero }
    guard isMapped, let map = entry.emissiveMap else { return entry.emissive }
    return entry.emissive * value(of: map, at: hit, area: area)
  }

  /// The unit normal at a hit, turned by the normal map of its material.
  ///
  /// The interpolated normal and tangent are added as they are, not normalised, as in ``MapTarget``.
  func detailedNormal(at hit: Hit, area: Float) -> SIMD3<Float> {
    let smooth = sight(of: hit, area: area).normal
    guard let (entry, isMapped) = entry(at: hit), isMapped, let map = entry.normalMap else {
      return smooth
    }
    let face = Int(hit.face)
    let look = sampler.surface.looks[Int(sampler.surface.faceLooks[face])]
    let weights = SIMD3(
      1 - hit.barycentric.x - hit.barycentric.y, hit.barycentric.x, hit.barycentric.y)
    var normal = sampler.interpolatedNormal(face, weights, look.normals) ?? smooth
    // That of the face was taken where the others contradict it.
    if normal.dot(smooth) < 0.999 * normal.length { normal = smooth }
    let corners = materials.tangents[3 * face..<3 * face + 3]
    var tangent = SIMD3<Float>.zero
    for (corner, own) in corners.enumerated() { tangent += own.direction * weights[corner] }
    let bitangent = normal.cross(tangent) * materials.tangents[3 * face].w
    let detail = value(of: map, at: hit, area: area) * 2 - 1
    let turned = (tangent * detail.x + bitangent * detail.y + normal * detail.z).normalized
    return turned == .zero ? smooth : turned
  }
}
