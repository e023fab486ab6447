import MeshpipeBase
import MeshpipeScene

/// A mesh as the smoothing kernels use it: working coordinates, the faces around each vertex, and
/// how freely each vertex moves.
///
/// Coordinates are relative to the middle of the mesh, in units of its extent, so that neither large
/// coordinates nor tiny meshes lose digits.
struct SmoothingSurface: Sendable {
  let indices: [UInt32]
  let around: VertexCorners
  /// The original position of each vertex, an outlier's on the surface around it; zero if it is not finite.
  private(set) var original: [Vector3]
  /// From 0, a vertex that stays, to 1, one that follows its surroundings.
  let freedom: [Float]
  /// Whether the faces around each vertex leave a gap.
  let isOpen: [Bool]
  /// The units of the mesh in one working unit.
  let scale: Double
  private let middle: SIMD3<Double>

  /// The faces considered around a vertex: more make a fan whose cost would grow with its square.
  private static let mostFaces = 64

  /// - Returns: Nil if the mesh has no extent, or too large a one.
  init?(_ mesh: Mesh, holdsBorders: Bool) {
    let box = mesh.bounds
    let low = SIMD3<Double>(box.minimum)
    let high = SIMD3<Double>(box.maximum)
    let scale = (high - low).max()
    guard !box.isEmpty, scale > 0, mesh.faceCount > 0 else { return nil }
    let middle = low + (high - low) / 2
    let positions = mesh.positions
    original = Parallel.array(count: positions.count) { vertex in
      let position = positions[vertex]
      guard position.isFinite else { return .zero }
      return Vector3(SIMD3<Float>((position.double - middle) / scale))
    }
    indices = mesh.indices
    around = VertexCorners(mesh)
    isOpen = Self.openVertices(of: mesh, around)
    freedom = Self.freedom(of: mesh, around, isOpen, holdsBorders: holdsBorders)
    self.scale = scale
    self.middle = middle
  }

  var vertexCount: Int { original.count }
  var faceCount: Int { indices.count / 3 }

  /// The position of the mesh that belongs to a working position.
  func position(_ working: SIMD3<Float>) -> Vector3 {
    Vector3(SIMD3<Float>(SIMD3<Double>(working) * scale + middle))
  }

  /// The corners around a vertex, of a very large fan some of them, evenly spread.
  @inline(__always)
  func corners(around vertex: Int) -> (places: Range<Int>, step: Int) {
    let places = Int(around.offsets[vertex])..<Int(around.offsets[vertex + 1])
    let step = places.count <= Self.mostFaces ? 1 : (places.count - 1) / Self.mostFaces + 1
    return (places, step)
  }

  /// Visits the faces on the other side of a corner's halfedge, by their corners where it starts.
  @inline(__always)
  func forEachFace(across corner: Int, _ body: (Int) -> Void) {
    let end = indices[nextCorner(corner)]
    let (places, step) = corners(around: Int(indices[corner]))
    for index in stride(from: places.lowerBound, to: places.upperBound, by: step) {
      let across = Int(around.corners[index])
      if indices[previousCorner(across)] == end { body(across) }
    }
  }

  /// The mean length of the edges, in working units; zero if there are none.
  func meanEdgeLength() -> Double {
    let sums = Parallel.mapChunks(of: faceCount) { faces in
      var sum = 0.0
      var count = 0
      for corner in 3 * faces.lowerBound..<3 * faces.upperBound {
        let a = original[Int(indices[corner])].simd
        let length = (original[Int(indices[nextCorner(corner)])].simd - a).length
        guard length > 0 else { continue }
        sum += Double(length)
        count += 1
      }
      return SIMD2(sum, Double(count))
    }
    let total = sums.reduce(SIMD2<Double>.zero, +)
    return total.y > 0 ? total.x / total.y : 0
  }
}

extension SmoothingSurface {
  /// Puts outliers on the surface around them.
  /// - Returns: The outliers.
  mutating func settleOutliers() -> Set<Int> {
    var found: Set<Int> = []
    // A second look finds those that hid beside larger ones.
    for _ in 0..<2 {
      let outliers = OutlierSearch(self).outliers()
      for (vertex, position) in outliers {
        original[vertex] = position
        found.insert(vertex)
      }
      if outliers.isEmpty { break }
    }
    return found
  }
}

// MARK: Freedom

extension SmoothingSurface {
  /// The freedom of vertices on open borders and on borders between classes.
  private static let borderFreedom: Float = 0.5
  /// The least freedom of vertices that are known better than most.
  private static let leastFreedom: Float = 0.5

  /// The freedom of each vertex to move: less on borders and where the mesh is surer than elsewhere, none where a
  /// coordinate is not finite or there is no face.
  private static func freedom(
    of mesh: Mesh, _ around: VertexCorners, _ isOpen: [Bool], holdsBorders: Bool
  ) -> [Float] {
    let usual = usualWeight(of: mesh)
    let confidences = usual > 0 ? mesh.confidences : nil
    let labels = holdsBorders ? mesh.classes?.labels : nil
    let positions = mesh.positions
    return Parallel.array(count: mesh.vertexCount) { vertex in
      let corners = around[vertex]
      guard positions[vertex].isFinite, let first = corners.first else { return 0 }
      let isBorder =
        holdsBorders && isOpen[vertex]
        || labels.map { labels in corners.contains { labels[Int($0) / 3] != labels[Int(first) / 3] }
        }
          ?? false
      let freedom: Float = isBorder ? borderFreedom : 1
      guard let confidences else { return freedom }
      let sureness = weight(ofConfidence: confidences[vertex])
      return freedom * min(1, max(leastFreedom, (usual / sureness).squareRoot()))
    }
  }

  /// The number of good observations that gives a confidence, which tends to 2 for many.
  private static func weight(ofConfidence confidence: Float) -> Float {
    let confidence = confidence.isFinite ? min(max(confidence, 0.02), 1.98) : 0.02
    return 2 * confidence / (2 - confidence)
  }

  /// The median of the weights of all vertices; 0 if there are no confidences.
  private static func usualWeight(of mesh: Mesh) -> Float {
    guard let confidences = mesh.confidences, !confidences.isEmpty else { return 0 }
    // A sample: the median of a hundred thousand is that of all.
    let step = max(1, confidences.count / 100_000)
    let sample = stride(from: 0, to: confidences.count, by: step).map {
      weight(ofConfidence: confidences[$0])
    }
    return sample.median() ?? 0
  }
}

// MARK: Borders

extension SmoothingSurface {
  /// The vertices with a neighbour that occurs an odd number of times in their faces: once at a border.
  private static func openVertices(of mesh: Mesh, _ around: VertexCorners) -> [Bool] {
    let indices = mesh.indices
    return Parallel.array(count: mesh.vertexCount) { vertex in
      var parity: UInt64 = 0
      for corner in around[vertex] {
        parity ^= SplitMix64.hash(of: indices[nextCorner(Int(corner))])
        parity ^= SplitMix64.hash(of: indices[previousCorner(Int(corner))])
      }
      return parity != 0
    }
  }

  /// The two neighbours along the border of each vertex that has exactly two.
  func borderNeighbors() -> [UInt32: SIMD2<UInt32>] {
    var result: [UInt32: SIMD2<UInt32>] = [:]
    for vertex in isOpen.indices where isOpen[vertex] {
      var neighbors = around[vertex].flatMap { corner in
        [indices[nextCorner(Int(corner))], indices[previousCorner(Int(corner))]]
      }
      neighbors.sort()
      var odd: [UInt32] = []
      for neighbor in neighbors {
        if odd.last == neighbor { odd.removeLast() } else { odd.append(neighbor) }
      }
      if odd.count == 2 { result[UInt32(vertex)] = SIMD2(odd[0], odd[1]) }
    }
    return result
  }
}
