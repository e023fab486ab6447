import MeshpipeScene
import POSIX

/// The surface that is remeshed, as it was: what the new vertices lie on and have their attributes from.
///
/// Positions are relative to the middle of the mesh, in units of its extent.
struct RemeshReference: Sendable {
  /// A point on a face.
  typealias Place = SurfaceProjection.Place

  let faces: HalfedgeFaces
  let positions: [Vector3]
  /// The vertex of the mesh that each vertex is.
  let originals: [UInt32]
  /// The face of the mesh that each face is.
  let sources: [UInt32]
  /// Whether a vertex of the mesh has several fans of faces, of which each vertex has one.
  let isCopied: [Bool]
  /// The halfedges on lines, also those that are stuck.
  private(set) var isLine: [Bool]
  /// The halfedges that are on lines only because of their angle, until short features have been removed.
  private var isSharp: [Bool]
  /// The halfedges of faces at edges that are not manifold, and their opposite ones: they stay.
  let isStuck: [Bool]
  /// The units of the mesh in one working unit.
  let scale: Double
  /// The area of all faces.
  let area: Double

  /// - Parameter featureAngle: Between the normals of two faces, in radians.
  /// - Returns: Nil if the mesh has no faces with an extent.
  init?(_ mesh: Mesh, featureAngle: Double) {
    let sources = Self.usableFaces(of: mesh)
    let box = mesh.bounds
    guard !sources.isEmpty, !box.isEmpty else { return nil }
    let (low, high) = (SIMD3<Double>(box.minimum), SIMD3<Double>(box.maximum))
    let scale = (high - low).max()
    guard scale > 0 else { return nil }
    let middle = low + (high - low) / 2
    let indices = Parallel.array(count: 3 * sources.count) { corner in
      mesh.indices[3 * Int(sources[corner / 3]) + corner % 3]
    }
    let split = HalfedgeFaces.split(indices, vertexCount: mesh.vertexCount)
    let originals = split.originals
    positions = Parallel.array(count: originals.count) { vertex in
      let position = mesh.positions[Int(originals[vertex])]
      guard position.isFinite else { return .zero }
      return Vector3(SIMD3<Float>((position.double - middle) / scale))
    }
    var isCopied = [Bool](repeating: false, count: originals.count)
    for copy in mesh.vertexCount..<originals.count {
      isCopied[copy] = true
      isCopied[Int(originals[copy])] = true
    }
    self.isCopied = isCopied
    self.originals = originals
    self.sources = sources
    self.scale = scale
    faces = split.faces
    isStuck = split.isStuck
    area = Self.areas(of: split.faces, positions).reduce(0) { $0 + Double($1) }
    let lines = Self.lines(
      of: mesh, faces: split.faces, positions: positions, sources: sources,
      featureAngle: featureAngle)
    isLine = zip(lines, split.isStuck).map { $0 != .none || $1 }
    isSharp = zip(lines, split.isStuck).map { $0 == .sharp && !$1 }
  }

  /// The faces with three different vertices, whose coordinates are finite.
  private static func usableFaces(of mesh: Mesh) -> [UInt32] {
    (0..<UInt32(mesh.faceCount)).filter { face in
      let (a, b, c) = mesh.vertices(ofFace: Int(face))
      return a != b && b != c && c != a && mesh.positions[Int(a)].isFinite
        && mesh.positions[Int(b)].isFinite && mesh.positions[Int(c)].isFinite
    }
  }

  var faceCount: Int { faces.faceCount }

  /// The area of each face.
  var areas: [Float] { Self.areas(of: faces, positions) }

  private static func areas(of faces: HalfedgeFaces, _ positions: [Vector3]) -> [Float] {
    Parallel.array(count: faces.faceCount) {
      areaVector(ofFace: $0, faces.vertices, positions).length / 2
    }
  }

  // MARK: Lines

  /// Why a halfedge is on a line.
  private enum LineKind: UInt8, BitwiseCopyable, Sendable {
    /// The halfedge is not on a line.
    case none
    /// The angle between its faces.
    case sharp
    /// The halfedge is on a border, a seam, or a border between classes or materials.
    case kept
  }

  private static func lines(
    of mesh: Mesh, faces: HalfedgeFaces, positions: [Vector3], sources: [UInt32],
    featureAngle: Double
  ) -> [LineKind] {
    let least = Float(cos(featureAngle))
    let normals = Parallel.array(count: faces.faceCount) { face in
      Vector3(areaVector(ofFace: face, faces.vertices, positions).normalized)
    }
    let colors = mesh.hasColorRegions ? mesh.faceColors : nil
    return Parallel.array(count: faces.vertices.count) { halfedge in
      let other = faces.opposites[halfedge]
      guard other != HalfedgeFaces.none else { return .kept }
      let (face, beside) = (halfedge / 3, Int(other) / 3)
      let (source, sourceBeside) = (Int(sources[face]), Int(sources[beside]))
      if let labels = mesh.classes?.labels, labels[source] != labels[sourceBeside] { return .kept }
      if let materials = mesh.faceMaterials, materials[source] != materials[sourceBeside] {
        return .kept
      }
      if let colors, colors[source] != colors[sourceBeside] { return .kept }
      let start = 3 * source + halfedge % 3
      let opposite = 3 * sourceBeside + Int(other) % 3
      func isSeam<Coordinates: Equatable>(_ coordinates: [Coordinates]?) -> Bool {
        guard let coordinates else { return false }
        return coordinates[start] != coordinates[nextCorner(opposite)]
          || coordinates[nextCorner(start)] != coordinates[opposite]
      }
      if isSeam(mesh.textureCoordinates) || isSeam(mesh.secondTextureCoordinates) { return .kept }
      let (one, two) = (normals[face], normals[beside])
      // A face without area has no normal, and makes no feature.
      return one != .zero && two != .zero && one.simd.dot(two.simd) < least ? .sharp : .none
    }
  }

  /// Takes sharp edges that are too few in a row for edges of a length, in working units, off the lines.
  mutating func removeShortFeatures(edgeLength: Double) {
    guard isSharp.contains(true) else { return }
    isLine =
      ShortFeatures(
        faces, positions, isLine: isLine, isSharp: isSharp, edgeLength: Float(edgeLength)
      ).isLine
    isSharp = []
  }

  // MARK: Projection

  /// A walk of more steps than this ends where it is.
  private static let longestWalk = 32

  /// The nearest point of the surface that a walk from a face leads to, without crossing a line.
  func nearest(to point: SIMD3<Float>, from face: UInt32) -> (place: Place, squaredDistance: Float)
  {
    var best = candidate(point, face)
    var center = HalfedgeFaces.none
    for _ in 0..<Self.longestWalk {
      let weights = best.place.weights
      // Inside of the face: its neighbours are farther, unless the surface is folded.
      if weights.min() > 0 { break }
      // Most often the point is over the next face, and the rest of the fan need not be tried.
      if let face = faceAcross(best.place) {
        let other = candidate(point, face)
        if other.place.weights.min() > 0, other.squaredDistance < best.squaredDistance {
          return other
        }
      }
      let corner =
        3 * best.place.face
        + (weights.x >= weights.y
          ? (weights.x >= weights.z ? 0 : 2) : weights.y >= weights.z ? 1 : 2)
      let vertex = faces.vertices[Int(corner)]
      guard vertex != center else { break }
      center = vertex
      let before = best.squaredDistance
      visitFan(of: corner) { face in
        let other = candidate(point, face)
        if other.squaredDistance < best.squaredDistance { best = other }
      }
      guard best.squaredDistance < before else { break }
    }
    return best
  }

  /// The face on the other side of the edge that a point is on; nil at a vertex, and where the edge is a line.
  @inline(__always)
  private func faceAcross(_ place: Place) -> UInt32? {
    let start: UInt32
    switch (place.weights.x == 0, place.weights.y == 0, place.weights.z == 0) {
    case (false, false, true): start = 0
    case (true, false, false): start = 1
    case (false, true, false): start = 2
    default: return nil
    }
    let halfedge = 3 * place.face + start
    return isLine[Int(halfedge)] ? nil : faces.opposites[Int(halfedge)] / 3
  }

  /// Visits the faces around a corner's vertex, without crossing a line.
  @inline(__always)
  private func visitFan(of corner: UInt32, _ body: (UInt32) -> Void) {
    var halfedge = corner
    while !isLine[Int(preceding(halfedge))] {
      halfedge = faces.left(of: halfedge)
      if halfedge == corner { return }
      body(halfedge / 3)
    }
    halfedge = corner
    while !isLine[Int(halfedge)] {
      halfedge = faces.right(of: halfedge)
      body(halfedge / 3)
    }
  }

  @inline(__always)
  private func candidate(
    _ point: SIMD3<Float>, _ face: UInt32
  ) -> (place: Place, squaredDistance: Float) {
    let first = 3 * Int(face)
    let a = positions[Int(faces.vertices[first])].simd
    let b = positions[Int(faces.vertices[first + 1])].simd
    let c = positions[Int(faces.vertices[first + 2])].simd
    let weights = SurfaceProjection.weights(ofNearestTo: point, a, b, c)
    let offset = a * weights.x + b * weights.y + c * weights.z - point
    return (Place(face: face, weights: weights), offset.lengthSquared)
  }

  func position(of position: Place) -> SIMD3<Float> {
    let first = 3 * Int(position.face)
    return positions[Int(faces.vertices[first])].simd * position.weights.x
      + positions[Int(faces.vertices[first + 1])].simd * position.weights.y
      + positions[Int(faces.vertices[first + 2])].simd * position.weights.z
  }
}

/// Twice the area of a face in the direction of its normal.
@inline(__always)
func areaVector(ofFace face: Int, _ vertices: [UInt32], _ positions: [Vector3]) -> SIMD3<Float> {
  let a = positions[Int(vertices[3 * face])].simd
  let b = positions[Int(vertices[3 * face + 1])].simd
  let c = positions[Int(vertices[3 * face + 2])].simd
  return (b - a).cross(c - a)
}
