import MeshpipeBase
import POSIX

/// The tangents of a mesh's corners, by the method on which programs have agreed for normal maps
/// (Mikkelsen, "Simulation of Wrinkled Surfaces Revisited", 2008).
///
/// A normal map means the same only where tangents are the same: glTF and Blender prescribe this
/// method. Corners share a tangent if their position, normal and texture coordinates are equal and
/// their faces are joined by edges without a seam, with the picture on the same side. It is the mean
/// of the faces' directions in which the first coordinate grows, laid across the normal and weighted
/// by the angle of the corner, which does not depend on how the surface is cut into triangles.
struct TangentSpace {
  private let positions: [Vector3]
  private let indices: [UInt32]
  private let coordinates: [Vector2]
  /// One for each corner.
  private let normals: [Vector3]
  private let faces: [Face]

  /// The direction on a face in which the first texture coordinate grows.
  private struct Face {
    /// A unit vector; zero where the coordinates give no direction.
    var direction = SIMD3<Float>.zero
    /// Whether the picture is not mirrored.
    var keepsSide = true
    var hasDirection: Bool { direction != .zero }
  }

  init(
    positions: [Vector3], indices: [UInt32], coordinates: [Vector2], normals: [Vector3]
  ) {
    self.positions = positions
    self.indices = indices
    self.coordinates = coordinates
    self.normals = normals
    faces = Parallel.array(count: indices.count / 3) { face in
      Self.face(
        (0..<3).map { positions[Int(indices[3 * face + $0])].simd },
        (0..<3).map { SIMD2(coordinates[3 * face + $0].x, coordinates[3 * face + $0].y) })
    }
  }

  private static func face(_ points: [SIMD3<Float>], _ places: [SIMD2<Float>]) -> Face {
    let (a, b) = (points[1] - points[0], points[2] - points[0])
    let (p, q) = (places[1] - places[0], places[2] - places[0])
    let area = p.x * q.y - p.y * q.x
    guard area != 0, area.isFinite, a.cross(b) != .zero else { return Face() }
    let direction = (a * q.y - b * p.y).normalized * (area > 0 ? 1 : -1)
    return Face(direction: direction, keepsSide: area > 0)
  }

  /// One for each corner.
  ///
  /// - Complexity: O(corners)
  func tangents() -> [Tangent] {
    let points = sharedPoints()
    let groups = joinedCorners(points).numbered()
    let terms: [SIMD3<Float>] = Parallel.array(count: indices.count) { self.term(ofCorner: $0) }
    var sums = [SIMD3<Float>](repeating: .zero, count: groups.count)
    for corner in indices.indices { sums[Int(groups.labels[corner])] += terms[corner] }
    var result = indices.indices.map { corner in
      let normal = normals[corner].simd
      let sum = sums[Int(groups.labels[corner])].normalized
      return Tangent(sum, w: faces[corner / 3].keepsSide ? 1 : -1).across(normal)
    }
    fillGaps(&result, points)
    return result
  }

  /// A number for each corner, equal where position, normal and texture coordinates are.
  private func sharedPoints() -> [UInt32] {
    let welded = PositionWelder.weld(positions)
    let vertices = indices.map { welded.vertices[Int($0)] }
    let around = VertexCorners(indices: vertices, vertexCount: welded.firstPoints.count)
    var points = [UInt32](repeating: 0, count: indices.count)
    var firsts: [UInt32] = []
    for vertex in 0..<welded.firstPoints.count {
      firsts.removeAll(keepingCapacity: true)
      for corner in around[vertex] {
        let twin = firsts.first { other in
          normals[Int(other)] == normals[Int(corner)]
            && coordinates[Int(other)] == coordinates[Int(corner)]
        }
        if twin == nil { firsts.append(corner) }
        points[Int(corner)] = twin ?? corner
      }
    }
    return points
  }

  /// Joins the corners on both ends of each edge without a seam.
  private func joinedCorners(_ points: [UInt32]) -> DisjointSets {
    var sets = DisjointSets(count: indices.count)
    let edges = Edges(indices: points, vertexCount: points.count)
    for edge in edges where edge.valence == 2 {
      let (one, other) = (
        Int(edges.halfedges[edge.places.lowerBound]),
        Int(edges.halfedges[edge.places.lowerBound + 1])
      )
      let (first, second) = (faces[one / 3], faces[other / 3])
      guard points[one] != points[other], first.hasDirection, second.hasDirection,
        first.keepsSide == second.keepsSide
      else { continue }
      sets.join(one, nextCorner(other))
      sets.join(nextCorner(one), other)
    }
    return sets
  }

  /// The part of a corner in the sum of its group.
  private func term(ofCorner corner: Int) -> SIMD3<Float> {
    let normal = normals[corner].simd
    let tip = positions[Int(indices[corner])].simd
    func across(_ vector: SIMD3<Float>) -> SIMD3<Float> {
      (vector - normal * normal.dot(vector)).normalized
    }
    let before = across(positions[Int(indices[previousCorner(corner)])].simd - tip)
    let after = across(positions[Int(indices[nextCorner(corner)])].simd - tip)
    let angle = acosf(max(-1, min(1, before.dot(after))))
    return across(faces[corner / 3].direction) * angle
  }

  /// Corners whose face gives no direction take that of another one at their point, or any.
  private func fillGaps(_ tangents: inout [Tangent], _ points: [UInt32]) {
    var known: [UInt32: Tangent] = [:]
    let gaps = tangents.indices.filter { tangents[$0].direction == .zero }
    guard !gaps.isEmpty else { return }
    for corner in tangents.indices where tangents[corner].direction != .zero {
      known[points[corner]] = known[points[corner]] ?? tangents[corner]
    }
    for corner in gaps {
      let normal = normals[corner].simd
      let axis: SIMD3<Float> = abs(normal.x) < 0.7 ? SIMD3(1, 0, 0) : SIMD3(0, 1, 0)
      tangents[corner] =
        known[points[corner]]
        ?? Tangent((axis - normal * normal.dot(axis)).normalized, w: 1)
    }
  }
}

extension Tangent {
  /// The unit tangent without its part along a normal.
  fileprivate func across(_ normal: SIMD3<Float>) -> Tangent {
    Tangent((direction - normal * normal.dot(direction)).normalized, w: w)
  }
}

extension Mesh {
  /// The tangents that its texture coordinates and normals give by Mikkelsen's method; nil without
  /// either.
  package func tangentSpace() -> [Tangent]? {
    guard let textureCoordinates, let normals = normalsOfCorners else { return nil }
    return TangentSpace(
      positions: positions, indices: indices, coordinates: textureCoordinates, normals: normals
    ).tangents()
  }

  /// Whether the tangents say what texture coordinates and normals don't: they are not those of Mikkelsen's method, which
  /// programs make where a file has none.
  ///
  /// Those that were mixed, as by a decimation, lean a little.
  package var hasTangentsOfItsOwn: Bool {
    guard let tangents else { return false }
    guard let computed = tangentSpace() else { return true }
    let least: Float = 0.996  // The cosine of 5°.
    let different = zip(tangents, computed).count {
      $0.w != $1.w || !($0.direction.dot($1.direction) > least)
    }
    return different * 20 > tangents.count
  }

  /// The normal of each corner, its own or that of its vertex; nil without any.
  package var normalsOfCorners: [Vector3]? {
    cornerNormals ?? normals.map { normals in indices.map { normals[Int($0)] } }
  }
}
