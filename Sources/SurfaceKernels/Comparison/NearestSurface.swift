package import MeshpipeScene
package import NativeLibraries
import POSIX

/// A surface to which distances are measured, exactly and with their sign.
///
/// The side of a point is that of the angle-weighted pseudo-normal at the nearest vertex, edge or face (Bærentzen and
/// Aanæs 2005): the normal of one of several nearest faces may point the wrong way.
package struct NearestSurface: Sendable {
  private let positions: [Vector3]
  /// Welded, so that faces with a common border know each other.
  private let indices: [UInt32]
  private let corners: VertexCorners
  private let tracer: RayTracer
  /// The normals of vertices of very many faces, which may be asked for very often.
  private var largeFans: [Int: SIMD3<Double>?] = [:]

  private static let largeFan = 64
  /// The share of an edge or a side within which a point is on the vertex or the edge: rounding moves it so far.
  private static let border: Float = 1e-5

  /// The nearest place of the surface.
  package struct Place: BitwiseCopyable, Sendable {
    /// In units of the positions; infinite if there is no face.
    package var distance: Float
    package var face: UInt32
    /// The weights of the face's second and third vertex.
    package var barycentric: SIMD2<Float>
    /// 1 on the side that faces show, −1 behind them, 0 on the surface; nil where no side is clear, beside an open
    /// border.
    package var side: Int8?

    init(distance: Float, face: UInt32, barycentric: SIMD2<Float>, side: Int8?) {
      (self.distance, self.face) = (distance, face)
      (self.barycentric, self.side) = (barycentric, side)
    }

    /// Where there is none: its face does not exist.
    package static let none = Place(
      distance: .infinity, face: .max, barycentric: .zero, side: nil)
  }

  /// Welds equal positions and builds a bounding volume hierarchy.
  ///
  /// - Parameters:
  ///   - positions: Finite.
  ///   - indices: Three vertices per face.
  package init(positions: [Vector3], indices: [UInt32]) throws(NativeLibraryError) {
    let (firstPoints, vertices) = PositionWelder.weld(positions)
    self.positions = firstPoints.map { positions[Int($0)] }
    self.indices = indices.map { vertices[Int($0)] }
    corners = VertexCorners(indices: self.indices, vertexCount: self.positions.count)
    tracer = try RayTracer(positions: self.positions, indices: self.indices, quality: .low)
    for vertex in self.positions.indices where corners[vertex].count > Self.largeFan {
      largeFans[vertex] = .some(fan(around: vertex))
    }
  }

  package var faceCount: Int { indices.count / 3 }

  /// The nearest places of points, which are found fastest if each is near the one before it.
  package func places(nearestTo points: [Vector3]) -> [Place] {
    Parallel.array(count: points.count, chunkSize: 1 << 10) { range, output in
      var last: UInt32?
      for index in range {
        let point = points[index].simd
        guard let hit = tracer.nearest(to: point, likely: last) else {
          output.append(.none)
          continue
        }
        last = hit.face
        output.append(
          Place(
            distance: hit.distance, face: hit.face, barycentric: hit.barycentric,
            side: side(of: point, at: hit)))
      }
    }
  }

  /// Whether a face is within a distance of a point.
  package func isNear(_ point: Vector3, within radius: Float) -> Bool {
    tracer.isNear(point.simd, within: radius)
  }

  private func side(of point: SIMD3<Float>, at hit: RayTracer.Hit) -> Int8? {
    // A distance that rounding of the coordinates makes has no side.
    let size = max(abs(point.x), abs(point.y), abs(point.z))
    guard hit.distance > 4 * size.ulp else { return 0 }
    let face = Int(hit.face)
    let weights = SIMD3(
      1 - hit.barycentric.x - hit.barycentric.y, hit.barycentric.x, hit.barycentric.y)
    var nearest = SIMD3<Double>.zero
    for corner in 0..<3 {
      nearest += positions[Int(indices[3 * face + corner])].double * Double(weights[corner])
    }
    guard let normal = pseudoNormal(ofFace: face, at: weights) else { return nil }
    let height = (SIMD3<Double>(point) - nearest).dot(normal)
    return height > 0 ? 1 : height < 0 ? -1 : 0
  }

  /// Nil beside an open border, and where more than two faces meet at an edge.
  private func pseudoNormal(ofFace face: Int, at weights: SIMD3<Float>) -> SIMD3<Double>? {
    let inside = (0..<3).filter { weights[$0] > Self.border }
    switch inside.count {
    case 3: return areaVector(ofFace: face).normalized
    case 2:
      return edgeNormal(Int(indices[3 * face + inside[0]]), Int(indices[3 * face + inside[1]]))
    case 1:
      let vertex = Int(indices[3 * face + inside[0]])
      return largeFans[vertex] ?? fan(around: vertex)
    default: return nil
    }
  }

  private func edgeNormal(_ one: Int, _ other: Int) -> SIMD3<Double>? {
    let (center, end) = corners[one].count <= corners[other].count ? (one, other) : (other, one)
    var (sum, count) = (SIMD3<Double>.zero, 0)
    for corner in corners[center] {
      let face = Int(corner) / 3
      guard (0..<3).contains(where: { Int(indices[3 * face + $0]) == end }) else { continue }
      sum += areaVector(ofFace: face).normalized
      count += 1
    }
    return count == 2 ? sum : nil
  }

  /// The sum of the normals around a vertex by their angles; nil unless its faces are a closed fan.
  private func fan(around vertex: Int) -> SIMD3<Double>? {
    var sum = SIMD3<Double>.zero
    // In a closed fan each neighbour occurs in two faces, once after the vertex and once before it.
    var balance: UInt64 = 0
    for corner in corners[vertex] {
      let (next, previous) = (nextCorner(Int(corner)), previousCorner(Int(corner)))
      balance &+= SplitMix64.hash(of: indices[next]) &- SplitMix64.hash(of: indices[previous])
      let origin = positions[vertex].double
      let a = (positions[Int(indices[next])].double - origin).normalized
      let b = (positions[Int(indices[previous])].double - origin).normalized
      let angle = 2 * atan2((a - b).length, (a + b).length)
      sum += areaVector(ofFace: Int(corner) / 3).normalized * angle
    }
    return balance == 0 ? sum : nil
  }

  private func areaVector(ofFace face: Int) -> SIMD3<Double> {
    let origin = positions[Int(indices[3 * face])].double
    return (positions[Int(indices[3 * face + 1])].double - origin)
      .cross(positions[Int(indices[3 * face + 2])].double - origin)
  }
}
