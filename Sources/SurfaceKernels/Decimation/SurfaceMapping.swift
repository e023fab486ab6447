import MeshpipeScene

/// Where the corners of several meshes are in their textures, as lengths.
///
/// Texture coordinates are scaled so that the faces of a material are as large in the texture as on the
/// surface, all together: a shift of the picture by a length then counts as much as a distance.
struct SurfaceMapping: Sendable {
  private struct Part: Sendable {
    var coordinates: [Vector2]?
    var materials: [UInt32]?
  }

  private let parts: [Part]
  private let owners: FaceOwners
  /// The length of one unit of texture coordinates, by material.
  private let scales: [UInt32: Float]

  /// Nil if no mesh has texture coordinates.
  init?(_ meshes: [Mesh]) {
    guard meshes.contains(where: { $0.textureCoordinates != nil }) else { return nil }
    scales = TextureAreas(meshes).scales
    owners = FaceOwners(meshes)
    parts = meshes.map { Part(coordinates: $0.textureCoordinates, materials: $0.faceMaterials) }
  }

  /// The length of one unit of a face's texture coordinates.
  func scale(of face: Int) -> Float { scale(owners[face]) }

  private func scale(_ owner: (mesh: Int, face: Int)) -> Float {
    scales[parts[owner.mesh].materials?[owner.face] ?? .max] ?? 0
  }

  /// The texture coordinates of a face's corners; not finite if they are missing or damaged.
  func places(of face: Int) -> (SIMD2<Float>, SIMD2<Float>, SIMD2<Float>) {
    let owner = owners[face]
    let nowhere = SIMD2<Float>(repeating: .nan)
    guard let all = parts[owner.mesh].coordinates else { return (nowhere, nowhere, nowhere) }
    let scale = scale(owner)
    let first = 3 * owner.face

    func place(_ corner: Int) -> SIMD2<Float> {
      let position = all[first + corner]
      return position.isPlaceInTexture ? SIMD2(position.x, position.y) * scale : nowhere
    }
    return (place(0), place(1), place(2))
  }
}

/// The areas of the faces of each material, on the surface and in the texture.
private struct TextureAreas {
  private var sums: [UInt32: SIMD2<Double>] = [:]

  init(_ meshes: [Mesh]) {
    for mesh in meshes { add(mesh) }
  }

  /// The length of one unit of texture coordinates, by material.
  var scales: [UInt32: Float] {
    sums.mapValues { areas in
      let scale = Float((areas.x / areas.y).squareRoot())
      return scale.isFinite ? scale : 0
    }
  }

  private mutating func add(_ mesh: Mesh) {
    guard let coordinates = mesh.textureCoordinates else { return }
    let found = Parallel.mapChunks(of: mesh.faceCount) { range in
      var sums: [UInt32: SIMD2<Double>] = [:]
      // Faces of a material are next to each other in most meshes.
      var (material, sum) = (UInt32.max, SIMD2<Double>.zero)
      for face in range {
        let own = mesh.faceMaterials?[face] ?? .max
        if own != material {
          sums[material, default: .zero] += sum
          (material, sum) = (own, .zero)
        }
        sum += Self.areas(of: face, in: mesh, coordinates)
      }
      sums[material, default: .zero] += sum
      return sums
    }
    for part in found { sums.merge(part) { $0 + $1 } }
  }

  /// Zero if they are not finite.
  private static func areas(
    of face: Int, in mesh: Mesh, _ coordinates: [Vector2]
  ) -> SIMD2<Double> {
    let corner = 3 * face
    let a = mesh.positions[Int(mesh.indices[corner])].simd
    let b = mesh.positions[Int(mesh.indices[corner + 1])].simd
    let c = mesh.positions[Int(mesh.indices[corner + 2])].simd
    let (p, q, r) = (coordinates[corner], coordinates[corner + 1], coordinates[corner + 2])
    let pictured = (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x)
    let areas = SIMD2(Double((b - a).cross(c - a).length), Double(pictured.magnitude))
    return areas.x.isFinite && areas.y.isFinite ? areas : .zero
  }
}
