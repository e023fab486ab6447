package import MeshpipeScene

/// A light surface with texture coordinates, prepared for baking pictures of a heavy one on it.
package struct MapTarget: Sendable {
  /// The texture coordinates as charts on pages; where they overlap, several faces share texels.
  package private(set) var atlas: Atlas
  /// The page of each group of faces.
  package private(set) var groupPages: [Int]
  /// The group of each face.
  let groups: [Int]
  let positions: [Vector3]
  let indices: [UInt32]
  /// The normal at each corner.
  let normals: [Vector3]
  let tangents: [Tangent]
  private let coordinates: [Vector2]

  /// Texels of two groups in one position that are rounding, of a thousand.
  private static let mostShared = 1
  /// More pages are coordinates that were not made for this.
  package static let mostPages = 64

  /// Puts groups of faces that don't overlap on one page, and others on further ones.
  ///
  /// - Parameters:
  ///   - meshes: With texture coordinates from 0 to 1, normals and tangents.
  ///   - groups: A number for each face of all meshes; those of a group stay on one page.
  ///   - size: Width and height of a page, in texels.
  /// - Returns: Nil if the groups take more than ``mostPages``.
  package init?(_ meshes: [Mesh], groups: [Int], size: Int) {
    (positions, indices) = meshes.joinedSurface
    coordinates = meshes.flatMap { $0.textureCoordinates ?? [] }
    normals = meshes.flatMap { $0.normalsOfCorners ?? [] }
    tangents = meshes.flatMap { $0.tangents ?? [] }
    let units = Float(Atlas.unitsPerTexel) * Float(size)
    let corners = coordinates.map { position in
      // Rounding may lead out of the page.
      let corner = (SIMD2(position.x, 1 - position.y) * units).rounded(.toNearestOrAwayFromZero)
      return SIMD2<Int32>(
        corner.clamped(lowerBound: .zero, upperBound: SIMD2(repeating: units)))
    }
    atlas = Atlas(
      pages: [], cornerTexels: corners,
      facePages: [UInt16](repeating: 0, count: groups.count), faceCharts: [], chartCount: 0,
      texelsPerUnit: 0, usedShare: 0)
    // Faces that share a position on the page are of one chart.
    let places = PositionWelder.weld(coordinates.map { Vector3($0.x, $0.y, 0) })
    let charts = FaceComponents(
      sharingVerticesOf: places.vertices, vertexCount: places.firstPoints.count)
    (atlas.faceCharts, atlas.chartCount) = (charts.labels, charts.count)
    groupPages = []
    self.groups = groups
    guard layOut(groups, size) else { return nil }
  }

  private mutating func layOut(_ groups: [Int], _ size: Int) -> Bool {
    let count = (groups.max() ?? -1) + 1
    var faces = [[Int]](repeating: [], count: count)
    for (face, group) in groups.enumerated() { faces[group].append(face) }
    var taken: [TexelMap] = []
    for group in 0..<count {
      var own = TexelMap(width: size, height: size)
      for face in faces[group] {
        atlas.forEachSpan(ofFace: face) { own.take(row: $0.row, $0.columns) }
      }
      let page =
        taken.firstIndex { own.sharedCount(with: $0) * 1000 <= Self.mostShared * own.count }
        ?? taken.count
      if page == Self.mostPages { return false }
      if page == taken.count { taken.append(TexelMap(width: size, height: size)) }
      taken[page].take(own)
      groupPages.append(page)
    }
    for (face, group) in groups.enumerated() { atlas.facePages[face] = UInt16(groupPages[group]) }
    atlas.pages = taken.map { _ in SIMD2(size, size) }
    let used = taken.reduce(0) { $0 + $1.count }
    atlas.usedShare = taken.isEmpty ? 0 : Double(used) / Double(size * size * taken.count)
    return true
  }

  /// The face that each texel of a page is in, or `UInt32.max`, and how many texels more than one
  /// face has.
  func owners(ofPage page: Int) -> (faces: [UInt32], shared: Int) {
    let size = atlas.pages[page]
    var owners = [UInt32](repeating: .max, count: size.x * size.y)
    var shared = 0
    for face in 0..<atlas.faceCount where Int(atlas.facePages[face]) == page {
      atlas.forEachSpan(ofFace: face) { span in
        for column in span.columns {
          let texel = span.row * size.x + column
          if owners[texel] == .max { owners[texel] = UInt32(face) } else { shared += 1 }
        }
      }
    }
    return (owners, shared)
  }

  /// The point of a face in the middle of a texel.
  struct Point {
    var position: SIMD3<Float>
    /// The interpolated normal, whose length programs leave as it is, too.
    var normal: SIMD3<Float>
    var weights: SIMD3<Float>
    /// The area of the surface in the texel.
    var area: Float
  }

  /// - Parameter face: One that is in the texel.
  func point(ofFace face: Int, column: Int, row: Int) -> Point {
    let triangle = atlas.triangle(ofFace: face)
    let weights = triangle?.weights(column: column, row: row) ?? SIMD3(1, 0, 0)
    let corners = SIMD3<Int>(3 * face, 3 * face + 1, 3 * face + 2)
    let (p, q, r) = (position(corners.x), position(corners.y), position(corners.z))
    let area = (q - p).cross(r - p).length / 2
    return Point(
      position: p * weights.x + q * weights.y + r * weights.z,
      normal: normals[corners.x].simd * weights.x + normals[corners.y].simd * weights.y
        + normals[corners.z].simd * weights.z,
      weights: weights, area: triangle.map { area / $0.texelArea } ?? 0)
  }

  private func position(_ corner: Int) -> SIMD3<Float> { positions[Int(indices[corner])].simd }

  /// The vertices of corners as those at one position, for ``SeamPadding``.
  func weldedIndices() -> (indices: [UInt32], vertexCount: Int) {
    let welded = PositionWelder.weld(positions)
    return (indices.map { welded.vertices[Int($0)] }, welded.firstPoints.count)
  }

  /// A direction in the tangent space of a point, as a shader will undo it: `x` along the tangent,
  /// `y` along the bitangent, `z` along the normal.
  ///
  /// Programs add the three interpolated vectors as they are, not normalised, so that this is the
  /// inverse of that matrix (Mikkelsen 2008).
  func tangentSpace(
    of direction: SIMD3<Float>, at point: Point, ofFace face: Int
  ) -> SIMD3<Float> {
    let (first, second, third) = (
      tangents[3 * face], tangents[3 * face + 1], tangents[3 * face + 2]
    )
    let tangent =
      first.direction * point.weights.x + second.direction * point.weights.y + third.direction
      * point.weights.z
    let bitangent = point.normal.cross(tangent) * first.w
    let across = bitangent.cross(point.normal)
    let determinant = tangent.dot(across)
    guard determinant != 0, determinant.isFinite else { return SIMD3(0, 0, 1) }
    let result =
      SIMD3(
        direction.dot(across), direction.dot(point.normal.cross(tangent)),
        direction.dot(tangent.cross(bitangent))) / determinant
    let unit = result.normalized
    return unit == .zero ? SIMD3(0, 0, 1) : unit
  }
}
