import MeshPipeline

/// The triangles of a mesh in the coordinates of a file, with equal positions as one vertex.
struct Facets {
  private(set) var positions: [SIMD3<Double>]
  /// Three vertices of each face, all different.
  private(set) var indices: [UInt32] = []
  /// How each face looks: only faces with the same number become one.
  private(set) var styles: [Int32] = []
  /// The halfedge across the one of each corner; -1 at a border.
  private(set) var partners: [Int32]
  /// The connected surface of each face.
  private(set) var surfaces: [UInt32]
  private(set) var surfaceCount: Int

  var faceCount: Int { styles.count }

  /// - Parameters:
  ///   - placement: From the mesh to the file.
  ///   - styles: The number of each face's look.
  ///   - tolerance: Edges that are shorter vanish.
  init(_ mesh: Mesh, placement: Transform, styles meshStyles: [Int32], tolerance: Double) {
    let (firstPoints, welded) = PositionWelder.weld(mesh.positions)
    positions = firstPoints.map { placement.apply(toPoint: mesh.positions[Int($0)].double) }
    let vertices = Self.joined(welded, mesh.indices, positions, tolerance)
    let isMirrored = placement.determinant < 0
    for face in 0..<mesh.faceCount {
      let corners = mesh.vertices(ofFace: face)
      let a = vertices[Int(corners.0)]
      var (b, c) = (vertices[Int(corners.1)], vertices[Int(corners.2)])
      guard a != b, b != c, c != a else { continue }
      if isMirrored { swap(&b, &c) }
      indices += [a, b, c]
      styles.append(meshStyles[face])
    }
    partners = FaceLinks(indices, positions).partners
    var sets = DisjointSets(count: styles.count)
    for (corner, partner) in partners.enumerated() where partner > corner {
      sets.join(corner / 3, Int(partner) / 3)
    }
    (surfaces, surfaceCount) = sets.numbered()
    separateSurfaces()
  }

  /// The vertex of each point after those at the ends of short edges have become one, the lowest of them.
  private static func joined(
    _ vertices: [UInt32], _ indices: [UInt32], _ positions: [SIMD3<Double>], _ tolerance: Double
  ) -> [UInt32] {
    var sets = DisjointSets(count: positions.count)
    for corner in indices.indices {
      let one = sets.root(of: Int(vertices[Int(indices[corner])]))
      let other = sets.root(of: Int(vertices[Int(indices[nextCorner(corner)])]))
      // Measured between those that stay, so that a row of short edges does not shrink to a point.
      let isShort = (positions[one] - positions[other]).lengthSquared <= tolerance * tolerance
      if one != other, isShort { sets.join(one, other) }
    }
    return vertices.map { UInt32(sets.root(of: Int($0))) }
  }

  /// Gives each surface its own vertices where several of them touch.
  private mutating func separateSurfaces() {
    struct Key: Hashable {
      var vertex: UInt32
      var surface: UInt32
    }
    var owners = [UInt32](repeating: .max, count: positions.count)
    var copies: [Key: UInt32] = [:]
    for corner in indices.indices {
      let (vertex, surface) = (indices[corner], surfaces[corner / 3])
      if owners[Int(vertex)] == .max { owners[Int(vertex)] = surface }
      guard owners[Int(vertex)] != surface else { continue }
      let key = Key(vertex: vertex, surface: surface)
      if copies[key] == nil {
        copies[key] = UInt32(positions.count)
        positions.append(positions[Int(vertex)])
      }
      indices[corner] = copies[key] ?? vertex
    }
  }

  // MARK: Faces

  /// Where the halfedge of a corner starts.
  func start(_ corner: Int) -> SIMD3<Double> { positions[Int(indices[corner])] }

  /// The outward normal of a face, with a length of twice its area.
  func areaVector(_ face: Int) -> SIMD3<Double> {
    let origin = start(3 * face)
    return (start(3 * face + 1) - origin).cross(start(3 * face + 2) - origin)
  }

  func middle(_ face: Int) -> SIMD3<Double> {
    (start(3 * face) + start(3 * face + 1) + start(3 * face + 2)) / 3
  }
}
