import MeshpipeScene
import NativeLibraries

/// The faces of a mesh that have an area, about the middle of its box and in units in which its extent is
/// from 1 to 2, with vertices at one position welded.
struct SolidInput: Sendable {
  /// Relative to ``middle``, in units of ``unit``.
  let positions: [Vector3]
  /// The vertex of each corner, three per face.
  let indices: [UInt32]
  /// The face of the mesh that each face was.
  let sources: [UInt32]
  /// The middle of the input, in units of the mesh.
  let middle: SIMD3<Double>
  /// A power of two, so that scaling is exact.
  let unit: Double
  /// The bounding box of the positions.
  let bounds: Box
  let tracer: RayTracer

  /// - Parameter isFlipped: Whether to reverse each face.
  /// - Returns: Nil for a mesh without an area.
  init?(_ mesh: Mesh, isFlipped: [Bool]?) throws {
    let sources = (0..<UInt32(mesh.faceCount)).filter {
      mesh.isFinite(Int($0)) && !mesh.isDegenerate(Int($0))
    }
    var box = Box()
    for face in sources {
      for vertex in mesh.indices[3 * Int(face)..<3 * Int(face) + 3] {
        box.add(mesh.positions[Int(vertex)].simd)
      }
    }
    let middle = SIMD3<Double>(box.center)
    let extent = Double(box.extent)
    guard !box.isEmpty, extent > 0, extent.isFinite else { return nil }
    let unit = extent.binade
    self.middle = middle
    self.unit = unit
    self.sources = sources
    (positions, indices) = Self.welded(
      mesh, sources, isFlipped: isFlipped, middle: middle, unit: unit)
    bounds = Box(indices.lazy.map { [positions] in positions[Int($0)] })
    tracer = try RayTracer(positions: positions, indices: indices)
  }

  /// Some faces of a mesh about a middle, and in a unit.
  private static func welded(
    _ mesh: Mesh, _ faces: [UInt32], isFlipped: [Bool]?, middle: SIMD3<Double>, unit: Double
  ) -> (positions: [Vector3], indices: [UInt32]) {
    let local = Parallel.array(count: mesh.vertexCount) { vertex -> Vector3 in
      let position = mesh.positions[vertex]
      return position.isFinite
        ? Vector3(SIMD3<Float>((position.double - middle) / unit)) : .zero
    }
    let welded = PositionWelder.weld(local)
    var indices: [UInt32] = []
    indices.reserveCapacity(3 * faces.count)
    for face in faces.lazy.map(Int.init) {
      let (a, b, c) = mesh.vertices(ofFace: face)
      let isReversed = isFlipped?[face] ?? false
      for vertex in isReversed ? [a, c, b] : [a, b, c] {
        indices.append(welded.vertices[Int(vertex)])
      }
    }
    return (welded.firstPoints.map { local[Int($0)] }, indices)
  }

  var faceCount: Int { sources.count }

  /// Their edges; not kept, since few steps need them.
  var edges: Edges { Edges(indices: indices, vertexCount: positions.count) }

  /// Loops of boundary edges.
  func holeCount(_ edges: Edges) -> Int {
    let borders = BoundaryLoops(of: Mesh(positions: positions, indices: indices), edges: edges)
    return borders.loops.count + borders.mixedLoops.count
  }

  @inline(__always)
  func corners(ofFace face: Int) -> (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>) {
    (
      positions[Int(indices[3 * face])].simd, positions[Int(indices[3 * face + 1])].simd,
      positions[Int(indices[3 * face + 2])].simd
    )
  }

  @inline(__always)
  func areaVector(ofFace face: Int) -> SIMD3<Float> {
    let (a, b, c) = corners(ofFace: face)
    return (b - a).cross(c - a)
  }

  var area: Double {
    (0..<faceCount).reduce(0) { $0 + Double(areaVector(ofFace: $1).length) / 2 }
  }

  /// The mean number of faces whose bounding box contains a point of the bounds: small for a surface of small faces,
  /// and large where large ones lie across each other.
  var crowding: Double {
    let least = Double(bounds.extent) / 100
    func volume(_ box: Box) -> Double {
      let size = SIMD3<Double>(box.size)
      return size.x * size.y * size.z
    }
    let whole = pointwiseMax(SIMD3<Double>(bounds.size), SIMD3(repeating: least))
    let sum = (0..<faceCount).reduce(0.0) { sum, face in
      let (a, b, c) = corners(ofFace: face)
      return sum + volume(Box([a, b, c].map { Vector3($0) }))
    }
    return sum / (whole.x * whole.y * whole.z)
  }

  /// The pieces of a face, none longer than a length, by their corners.
  func forEachPiece(
    ofFace face: Int, longest: Float,
    _ body: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>) -> Void
  ) {
    var open = [corners(ofFace: face)]
    while let (a, b, c) = open.popLast() {
      let (ab, bc, ca) = ((b - a).lengthSquared, (c - b).lengthSquared, (a - c).lengthSquared)
      guard max(ab, bc, ca) > longest * longest else {
        body(a, b, c)
        continue
      }
      if ab >= bc, ab >= ca {
        let middle = (a + b) / 2
        open.append((a, middle, c))
        open.append((middle, b, c))
      } else if bc >= ca {
        let middle = (b + c) / 2
        open.append((a, b, middle))
        open.append((a, middle, c))
      } else {
        let middle = (c + a) / 2
        open.append((a, b, middle))
        open.append((middle, b, c))
      }
    }
  }
}
