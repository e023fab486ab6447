import MeshPipeline
import NativeLibraries
import Photogrammetry

/// The colours that the surface of a model has by itself: textures times base colours times colours of vertices and faces.
struct SurfaceColors: Sendable {
  private let sampler: SceneSampler
  /// The first face of each mesh in the surface of the sampler.
  private let firstFaces: [Int]

  /// Decodes the textures.
  ///
  /// - Returns: Nil if no material colours anything: one grey for all, which exporters write, does not count.
  init?(_ scene: Scene, in context: StageContext) {
    guard scene.hasColoredMaterials else { return nil }
    let textures = scene.decodedOwnTextures {
      context.warn("\($0); its faces are coloured without it")
    }
    sampler = scene.ownColors(textures).sampler
    var (first, firstFaces) = (0, [Int]())
    for mesh in scene.meshes {
      firstFaces.append(first)
      first += mesh.faceCount
    }
    self.firstFaces = firstFaces
  }

  /// The colour at a place on a face.
  ///
  /// - Parameter area: Of the surface for which it is the mean; that of the face at most, since a texture shows anything
  ///   beside it.
  func color(ofMesh mesh: Int, face: Int, weights: SIMD3<Float>, area: Float) -> Color {
    let face = firstFaces[mesh] + face
    let barycentric = SIMD2(weights.y, weights.z)
    var color = Color(light: SIMD4(light(face, barycentric, area: area), 1))
    let opacity = sampler.colorOpacity(face: face, barycentric: barycentric)
    color.alpha = UInt8((min(max(opacity, 0), 1) * 255).rounded())
    return color
  }

  /// The mean colour of the surface around each vertex; a vertex without faces keeps its colour.
  func colors(ofVerticesOf mesh: Mesh, index: Int) -> [Color] {
    let lights: [SIMD4<Float>] = Parallel.array(count: mesh.cornerCount) { corner in
      self.light(aroundCorner: corner, ofMesh: index)
    }
    var sums = [SIMD4<Float>](repeating: .zero, count: mesh.vertexCount)
    for (corner, vertex) in mesh.indices.enumerated() { sums[Int(vertex)] += lights[corner] }
    return sums.enumerated().map { vertex, sum in
      guard sum.w > 0 else { return mesh.colors?[vertex] ?? .white }
      return Color(light: SIMD4(SIMD3(sum.x, sum.y, sum.z) / sum.w, 1))
    }
  }

  /// The mean light of the third of a face at a corner, times its weight, and the weight.
  private func light(aroundCorner corner: Int, ofMesh mesh: Int) -> SIMD4<Float> {
    let face = firstFaces[mesh] + corner / 3
    let area = area(ofFace: face)
    // Without an area it is still better than nothing.
    let weight = area > 0 && area.isFinite ? area : .leastNormalMagnitude
    var sum = SIMD3<Float>.zero
    // Within the face: at the corner itself, the texture mixes with what is beside it.
    for (own, next) in [(Float(0.8), Float(0.1)), (0.6, 0.3), (0.6, 0.1)] {
      var weights = SIMD3<Float>.zero
      weights[corner % 3] = own
      weights[(corner + 1) % 3] = next
      weights[(corner + 2) % 3] = 1 - own - next
      sum += light(face, SIMD2(weights.y, weights.z), area: area / 9)
    }
    return SIMD4(sum / 3 * weight, weight)
  }

  /// The light of a place, each channel from 0 to 65535, as in bakes.
  private func light(
    _ face: Int, _ barycentric: SIMD2<Float>, area: Float
  ) -> SIMD3<Float> {
    sampler.sight(ofFace: face, barycentric, area: area).color * 65_535
  }

  private func area(ofFace face: Int) -> Float {
    sampler.surface.areaVector(ofFace: face).length / 2
  }
}

extension SceneSurface {
  /// The vector normal to a face, on the side that it shows, as long as twice its area.
  func areaVector(ofFace face: Int) -> SIMD3<Float> {
    let start = corner(face, 0)
    return (corner(face, 1) - start).cross(corner(face, 2) - start)
  }
}

extension SceneSampler {
  /// What is seen of a face at a place by looking at it straight on, from the side that it shows.
  ///
  /// - Parameter area: The area for which the colour is the mean; that of the face at most, since a texture shows
  ///   anything beside it.
  func sight(ofFace face: Int, _ barycentric: SIMD2<Float>, area: Float) -> Sight {
    let cross = surface.areaVector(ofFace: face)
    return sight(
      face: face, barycentric: barycentric, along: -cross.normalized, depth: 1,
      area: min(area, cross.length / 2))
  }
}

extension Scene {
  /// Decoded textures, and the place in them of each texture of the scene.
  typealias DecodedColors = (textures: [MipTexture], places: [Int: Int])

  /// The textures of colours that materials in use have.
  ///
  /// - Parameter warn: Receives what is wrong with one that can't be decoded.
  func decodedOwnTextures(warn: (String) -> Void) -> DecodedColors {
    let used = Set(usedMaterials.compactMap { materials[$0].baseColorTexture })
    return decodedTextures(used, as: .color, warn: warn)
  }

  /// The surface with the colours that it has by itself, and the grey of what has none.
  func ownColors(_ decoded: DecodedColors) -> (sampler: SceneSampler, plain: SIMD3<Float>) {
    var source = self
    // Classes have colours in pictures only.
    for index in source.meshes.indices { source.meshes[index].classes = nil }
    let looks = SurfaceLooks(source, choice: .auto, textures: decoded.places, combinesColors: true)
    let surface = SceneSurface(source, looks)
    return (SceneSampler(surface: surface, textures: decoded.textures), looks.plain)
  }

  /// Whether materials have textures or colours of their own.
  fileprivate var hasColoredMaterials: Bool {
    let isMapped = meshes.contains { $0.textureCoordinates != nil && $0.faceMaterials != nil }
    let used = usedMaterials.map { materials[$0] }
    if isMapped, used.contains(where: { $0.baseColorTexture != nil }) { return true }
    let colors = Set(used.map { SIMD3($0.baseColor.x, $0.baseColor.y, $0.baseColor.z) })
    return colors.count > 1 || colors.contains { $0.max() - $0.min() > 0.02 }
  }

  /// Removes the colours of materials, which have become those of vertices: programs multiply the two.
  mutating func removeMaterialColors() {
    for index in materials.indices {
      materials[index].baseColorTexture = nil
      materials[index].baseColor = SIMD4(1, 1, 1, materials[index].baseColor.w)
    }
    removeUnusedTextures()
    // A single material without anything of its own tells nothing apart.
    guard materials.count == 1, textures.isEmpty, materials[0].emissive == .zero else { return }
    materials = []
    for index in meshes.indices { meshes[index].faceMaterials = nil }
  }
}
