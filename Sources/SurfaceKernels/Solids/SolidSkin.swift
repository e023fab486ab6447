import MeshpipeScene
import NativeLibraries

/// The solid behind faces, up to a thickness.
///
/// The nearest face of a point decides. Beyond the border of the faces nothing is behind them, so that
/// the skin ends square there. An offset has all that is within the thickness on both sides.
struct SolidSkin: Sendable {
  let thickness: Float
  let isOffset: Bool
  /// The distance beyond the border of the faces that still counts, in voxels.
  static let slack: Float = 0.05
  private let input: SolidInput
  private let tracer: RayTracer
  /// The faces of the input.
  private let faces: [UInt32]
  /// The edges of the input.
  let edges: Edges
  /// The normal at each vertex, weighted with angles (Bærentzen and Aanæs 2005).
  private let vertexNormals: [SIMD3<Float>]
  private let isBorderVertex: [Bool]

  /// - Parameters:
  ///   - edges: Of the input.
  ///   - faces: The faces that have a skin; all if nil.
  init(
    _ input: SolidInput, _ edges: Edges, faces: [UInt32]? = nil, thickness: Float,
    isOffset: Bool = false
  ) throws {
    self.edges = edges
    self.isOffset = isOffset
    self.input = input
    self.thickness = thickness
    if let faces {
      self.faces = faces
      var indices: [UInt32] = []
      indices.reserveCapacity(3 * faces.count)
      for face in faces.lazy.map(Int.init) { indices += input.indices[3 * face..<3 * face + 3] }
      tracer = try RayTracer(
        positions: input.positions, indices: consume indices, quality: .low)
    } else {
      self.faces = Array(0..<UInt32(input.faceCount))
      tracer = input.tracer
    }
    var normals = [SIMD3<Float>](repeating: .zero, count: input.positions.count)
    var isBorder = [Bool](repeating: false, count: input.positions.count)
    for corner in input.indices.indices {
      let vertex = Int(input.indices[corner])
      let position = input.positions[vertex].simd
      let next = input.positions[Int(input.indices[nextCorner(corner)])].simd - position
      let previous = input.positions[Int(input.indices[previousCorner(corner)])].simd - position
      let cosine = next.normalized.dot(previous.normalized)
      normals[vertex] +=
        input.areaVector(ofFace: corner / 3).normalized * Self.angle(ofCosine: cosine)
      if edges.isBoundary(ofCorner: corner) {
        isBorder[vertex] = true
        isBorder[Int(input.indices[nextCorner(corner)])] = true
      }
    }
    vertexNormals = normals
    isBorderVertex = isBorder
  }

  /// The arc cosine within some hundredths, enough for a weight (Lagarde 2014).
  private static func angle(ofCosine cosine: Float) -> Float {
    let size = min(1, cosine.magnitude)
    let angle = (1.5707 - 0.1565 * size) * (1 - size).squareRoot()
    return cosine >= 0 ? angle : .pi - angle
  }

  /// The nearest point of the faces to a point, and on which side of the faces that point is.
  struct Foot {
    /// The face among those that have the skin.
    var face: UInt32
    /// The vector from the nearest point.
    var offset: SIMD3<Float>
    var distance: Float
    /// The normal of the surface at the nearest point; not of unit length.
    var normal: SIMD3<Float>
    /// At the border the part of the offset along the surface, else zero.
    var beyond: SIMD3<Float>
    var isBehind: Bool
  }

  /// - Parameter likely: The face of the foot of a point nearby.
  private func foot(
    of point: SIMD3<Float>, within radius: Float, likely: UInt32? = nil
  ) -> Foot? {
    guard let hit = tracer.nearest(to: point, within: radius, likely: likely) else { return nil }
    let face = Int(faces[Int(hit.face)])
    let (a, b, c) = input.corners(ofFace: face)
    let weights = SIMD3(
      1 - hit.barycentric.x - hit.barycentric.y, hit.barycentric.x, hit.barycentric.y)
    let offset = point - (a + (b - a) * weights.y + (c - a) * weights.z)
    var normal = input.areaVector(ofFace: face).normalized
    var isBorder = false
    let own = normal
    let isZero = weights .<= 1e-6
    let zeroCount = (0..<3).count { isZero[$0] }
    let zeroSum = (0..<3).reduce(0) { isZero[$1] ? $0 + $1 : $0 }
    if zeroCount == 2 {
      let vertex = Int(input.indices[3 * face + 3 - zeroSum])
      normal = vertexNormals[vertex]
      isBorder = isBorderVertex[vertex]
    } else if zeroCount == 1 {
      // The halfedge opposite of the corner without a weight.
      let corner = nextCorner(3 * face + zeroSum)
      if let other = edges.opposite(ofCorner: corner) {
        normal += input.areaVector(ofFace: other / 3).normalized
      } else {
        isBorder = edges.isBoundary(ofCorner: corner)
      }
    }
    if normal.lengthSquared < 1e-6 { normal = own }
    let height = offset.dot(normal) / normal.length
    return Foot(
      face: hit.face, offset: offset, distance: hit.distance, normal: normal,
      beyond: isBorder ? offset - normal * (height / normal.length) : .zero,
      isBehind: height < 0)
  }

  /// Whether a face is within a distance of a point.
  func isNear(_ point: SIMD3<Float>, within radius: Float) -> Bool {
    tracer.isNear(point, within: radius)
  }

  /// The nearest point of the faces for a point in the skin; nil for one that is not in it.
  ///
  /// - Parameters:
  ///   - slack: How far beyond the border is still in it.
  ///   - likely: The face of the foot of a point nearby.
  func footInside(of point: SIMD3<Float>, slack: Float, likely: UInt32? = nil) -> Foot? {
    guard let foot = foot(of: point, within: thickness, likely: likely) else { return nil }
    guard !isOffset else { return foot }
    return foot.isBehind && foot.beyond.lengthSquared <= slack * slack ? foot : nil
  }

  /// The direction out of the skin from a point in it that is near to where it ends, and how far it is.
  func exit(from foot: Foot, slack: Float) -> (normal: SIMD3<Float>, distance: Float) {
    let beyond = foot.beyond.length
    if !isOffset, beyond > slack / 2 { return (foot.beyond / beyond, slack - beyond) }
    return (foot.offset.normalized, thickness - foot.distance)
  }
}
