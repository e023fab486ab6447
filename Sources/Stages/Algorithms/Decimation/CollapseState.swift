import MeshPipeline
import Synchronization

/// A surface that is being thinned, in memory that several workers share.
///
/// Vertices and faces are put in spatial order, so that a ring lies together in memory. Lengths are in
/// units of the root of the mean area of a face, so that costs neither vanish nor overflow.
final class CollapseState: Sendable {
  /// What a vertex may do.
  enum Kind: UInt8, BitwiseCopyable { case free, onLine, fixed, removed }

  /// No face, corner or vertex.
  static let none = UInt32.max

  /// From units of the input to those of the computation.
  let scale: Float
  let center: SIMD3<Float>
  /// The bounds of the surface.
  let box: Box
  /// The vertex of the input that each vertex was; the working order is spatial.
  let vertexOrder: SharedArray<UInt32>
  /// Where the faces that lie beside each vertex in memory end, and those of the next one begin.
  let faceEnds: SharedArray<UInt32>
  let positions: SharedArray<Vector3>
  let kinds: SharedArray<Kind>
  /// The planes of the original surface that each vertex stands for, and those upright on its lines.
  let quadrics: SharedArray<Quadric>
  /// The planes of the present faces around each vertex; empty when no vertex moves freely.
  let planes: SharedArray<PlaneSum>
  /// The original surface around each vertex and all that moved onto it: the sum of its area vectors.
  let areaVectors: SharedArray<Vector3>
  /// The vertex of the input that lies nearest, roughly.
  let anchors: SharedArray<UInt32>
  /// What the cheapest step of each vertex cost when it was last looked at; infinite when there is none.
  let costs: SharedArray<Float>
  /// The links of the workers' queues.
  let links: SharedArray<UInt32>
  /// The part that each vertex belongs to at present.
  let owners: SharedArray<UInt16>
  /// Eight numbers per face: three vertices, the region, for each corner the next one of its vertex, and
  /// the face of the input that it was.
  ///
  /// The first vertex of a removed face is `none`. A corner is named by the place of its vertex here,
  /// `8 * face + 0…2`; the next corner of that vertex stands four places on.
  let faces: SharedArray<UInt32>
  /// The first corner of each vertex; corners of removed faces may still be among those that follow.
  let firstCorners: SharedArray<UInt32>
  /// By corner as in the input, three per face.
  let wedges: SharedArray<UInt32>
  let hasWedges: Bool

  /// Takes over a surface; faces that name a vertex twice are left out.
  ///
  /// - Parameters:
  ///   - surface: Loses what nobody needs any more, before the larger part of the state is allocated.
  ///   - keepsFaces: Whether faces and wedges of the surface are needed afterwards.
  init(_ surface: inout EdgeCollapse.Surface, movesVertices: Bool, keepsFaces: Bool) {
    let original = surface.positions
    let vertexCount = original.count
    let order = SharedArray<UInt32>.allocate(surface.order)
    surface.order = []
    vertexOrder = order
    let bounds = Box(original)
    let (center, scale) = (bounds.center, Self.scale(of: surface))
    self.center = center
    self.scale = scale
    box = Box(
      minimum: (bounds.minimum - center) * scale, maximum: (bounds.maximum - center) * scale)
    hasWedges = surface.wedges != nil
    (faces, faceEnds, wedges) = Self.faces(of: surface, order)
    surface.regions = nil
    if !keepsFaces { (surface.vertices, surface.wedges) = ([], nil) }
    // Not a number stays so: a vertex that is not finite is fixed, and so is what touches it.
    positions = .allocate(count: vertexCount) {
      Vector3((original[Int(order[$0])].simd - center) * scale)
    }
    kinds = .allocate(repeating: .fixed, count: vertexCount)
    quadrics = .allocate(repeating: Quadric(), count: vertexCount)
    planes = .allocate(repeating: PlaneSum(), count: movesVertices ? vertexCount : 0)
    areaVectors = .allocate(repeating: .zero, count: vertexCount)
    anchors = .allocate(count: movesVertices ? vertexCount : 0) { order[$0] }
    costs = .allocate(repeating: .infinity, count: vertexCount)
    links = .allocate(repeating: BucketQueue.notWaiting, count: vertexCount)
    owners = .allocate(repeating: 0, count: vertexCount)
    firstCorners = .allocate(repeating: Self.none, count: vertexCount)
    linkCorners(Size(vertices: vertexCount, faces: faces.count / 8))
  }

  deinit {
    vertexOrder.deallocate()
    faceEnds.deallocate()
    positions.deallocate()
    kinds.deallocate()
    quadrics.deallocate()
    planes.deallocate()
    areaVectors.deallocate()
    anchors.deallocate()
    costs.deallocate()
    links.deallocate()
    owners.deallocate()
    faces.deallocate()
    firstCorners.deallocate()
    wedges.deallocate()
  }

  /// Chains the corners of each vertex, those of the last face first.
  private func linkCorners(_ size: Size) {
    Self.forEachPiece(of: size.vertices) { [self] own in
      for face in 0..<size.faces {
        for corner in 8 * face..<8 * face + 3 where own.contains(faces[corner]) {
          faces[corner + 4] = firstCorners[faces[corner]]
          firstCorners[faces[corner]] = UInt32(truncatingIfNeeded: corner)
        }
      }
    }
  }

  /// Runs `body` for pieces of the vertices on all cores, each of which goes over all faces for its own.
  ///
  /// A few pieces, for each more is another time through the faces.
  private static func forEachPiece(of vertexCount: Int, _ body: @Sendable (Range<UInt32>) -> Void) {
    let pieces = min(4, Parallel.maximumThreads)
    Parallel.forEach(0..<pieces) { piece in
      let (first, end) = (vertexCount * piece / pieces, vertexCount * (piece + 1) / pieces)
      body(UInt32(truncatingIfNeeded: first)..<UInt32(truncatingIfNeeded: end))
    }
  }

  /// How much of the arrays is in use.
  struct Size {
    var vertices: Int
    var faces: Int
  }

  /// Closes the gaps that removed vertices and faces have left, so that rings lie together again.
  ///
  /// The order stays. No queue may be in use.
  func compact(_ size: Size) -> Size {
    let newVertex = SharedArray<UInt32>.allocate(repeating: Self.none, count: size.vertices)
    defer { newVertex.deallocate() }
    var vertexCount = 0
    for vertex in 0..<size.vertices where kinds[vertex] != .removed {
      newVertex[vertex] = UInt32(truncatingIfNeeded: vertexCount)
      vertexCount += 1
    }
    let faceCount = Atomic(0)
    // The largest first, so that no core waits long for another.
    let arrays: [@Sendable () -> Void] = [
      { [self] in faceCount.store(compactFaces(size, newVertex), ordering: .relaxed) },
      { [self] in quadrics.move(to: newVertex) },
      { [self] in planes.move(to: newVertex) },
      { [self] in positions.move(to: newVertex) },
      { [self] in areaVectors.move(to: newVertex) },
      { [self] in vertexOrder.move(to: newVertex) },
      { [self] in anchors.move(to: newVertex) },
      { [self] in costs.move(to: newVertex) },
      { [self] in kinds.move(to: newVertex) },
    ]
    Parallel.forEach(0..<arrays.count) { arrays[$0]() }
    for vertex in 0..<vertexCount { firstCorners[vertex] = Self.none }
    let result = Size(vertices: vertexCount, faces: faceCount.load(ordering: .relaxed))
    linkCorners(result)
    return result
  }

  /// Closes the gaps between faces, but for the chains of corners.
  ///
  /// - Returns: How many faces there are.
  private func compactFaces(_ size: Size, _ newVertex: SharedArray<UInt32>) -> Int {
    var (face, count) = (0, 0)
    var last: UInt32?
    for vertex in 0..<size.vertices {
      let end = Int(faceEnds[vertex])
      while face < end {
        if faces[8 * face] != Self.none {
          moveFace(face, to: count, newVertex)
          count += 1
        }
        face += 1
      }
      if newVertex[vertex] != Self.none { last = newVertex[vertex] }
      if let last { faceEnds[last] = UInt32(truncatingIfNeeded: count) }
    }
    return count
  }

  private func moveFace(_ face: Int, to place: Int, _ newVertex: SharedArray<UInt32>) {
    for corner in 0..<3 {
      faces[8 * place + corner] = newVertex[faces[8 * face + corner]]
      if hasWedges { wedges[3 * place + corner] = wedges[3 * face + corner] }
    }
    faces[8 * place + 3] = faces[8 * face + 3]
    faces[8 * place + 7] = faces[8 * face + 7]
  }

  /// One over the root of the mean area of a face.
  private static func scale(of surface: EdgeCollapse.Surface) -> Float {
    let faceCount = surface.vertices.count / 3
    let sums = Parallel.mapChunks(of: faceCount) { range in
      var sum = 0.0
      for face in range {
        let a = surface.positions[Int(surface.vertices[3 * face])].simd
        let b = surface.positions[Int(surface.vertices[3 * face + 1])].simd
        let c = surface.positions[Int(surface.vertices[3 * face + 2])].simd
        let area = (b - a).cross(c - a).length
        if area.isFinite { sum += Double(area) }
      }
      return sum
    }
    let mean = sums.reduce(0, +) / 2 / Double(max(1, faceCount))
    let scale = Float(1 / mean.squareRoot())
    return scale > 0 && scale.isFinite ? scale : 1
  }

  /// The faces in the order of their first corners, but for the chains of corners, and where those of each
  /// vertex end; and the wedges.
  private static func faces(
    of surface: EdgeCollapse.Surface, _ order: SharedArray<UInt32>
  ) -> (faces: SharedArray<UInt32>, ends: SharedArray<UInt32>, wedges: SharedArray<UInt32>) {
    let newVertex = SharedArray<UInt32>.allocate(repeating: 0, count: order.count)
    defer { newVertex.deallocate() }
    Parallel.forEachChunk(of: order.count) { _, range in
      for vertex in range { newVertex[order[vertex]] = UInt32(truncatingIfNeeded: vertex) }
    }
    let (faces, ends) = faceOrder(of: surface, newVertex)
    let count = faces.count / 8
    let wedges = SharedArray<UInt32>.allocate(
      repeating: 0, count: surface.wedges != nil ? 3 * count : 0)
    Parallel.forEachChunk(of: count) { _, range in
      for face in range {
        let old = 3 * Int(faces[8 * face + 7])
        for place in 0..<3 {
          faces[8 * face + place] = newVertex[surface.vertices[old + place]]
          if let all = surface.wedges { wedges[3 * face + place] = all[old + place] }
        }
        faces[8 * face + 3] = surface.regions?[old / 3] ?? 0
      }
    }
    return (faces, ends, wedges)
  }

  /// The faces by their first corner's place in the spatial order, but for those that name a vertex twice;
  /// of the eight numbers of each only the last is there.
  private static func faceOrder(
    of surface: EdgeCollapse.Surface, _ newVertex: SharedArray<UInt32>
  ) -> (faces: SharedArray<UInt32>, ends: SharedArray<UInt32>) {
    let firstVertices = SharedArray<UInt32>.allocate(count: surface.vertices.count / 3) { face in
      surface.hasThreeVertices(face) ? newVertex[surface.vertices[3 * face]] : none
    }
    defer { firstVertices.deallocate() }
    // First the number of faces of each vertex, then where they begin, and at last where they end.
    let ends = SharedArray<UInt32>.allocate(repeating: 0, count: newVertex.count)
    forEachPiece(of: newVertex.count) { own in
      for face in 0..<firstVertices.count where own.contains(firstVertices[face]) {
        ends[firstVertices[face]] += 1
      }
    }
    var before: UInt32 = 0
    for vertex in 0..<ends.count {
      let count = ends[vertex]
      ends[vertex] = before
      before += count
    }
    let faces = SharedArray<UInt32>.allocate(repeating: none, count: 8 * Int(before))
    forEachPiece(of: newVertex.count) { own in
      for face in 0..<firstVertices.count where own.contains(firstVertices[face]) {
        let vertex = firstVertices[face]
        faces[8 * ends[vertex] + 7] = UInt32(truncatingIfNeeded: face)
        ends[vertex] += 1
      }
    }
    return (faces, ends)
  }

  /// Fills a ring with the faces of a vertex, and forgets removed faces on the way.
  ///
  /// - Returns: Whether there are any and they fit.
  func gather(_ vertex: Int, into ring: inout Ring) -> Bool {
    var count = 0
    var last = Self.none
    var corner = firstCorners[vertex]
    while corner != Self.none {
      let following = faces[corner + 4]
      if faces[corner & ~7] == Self.none {
        if last == Self.none {
          firstCorners[vertex] = following
        } else {
          faces[last + 4] = following
        }
      } else {
        guard count < Ring.capacity else { return false }
        ring.corners[count] = corner
        ring.next[count] = faces[Self.next(corner)]
        ring.previous[count] = faces[Self.previous(corner)]
        count += 1
        last = corner
      }
      corner = following
    }
    ring.count = count
    return count > 0
  }

  /// The next corner of the same face.
  @inline(__always)
  static func next(_ corner: UInt32) -> UInt32 { corner & 7 == 2 ? corner - 2 : corner + 1 }

  /// The previous corner of the same face.
  @inline(__always)
  static func previous(_ corner: UInt32) -> UInt32 { corner & 7 == 0 ? corner + 2 : corner - 1 }

  /// The place of a corner's wedge.
  @inline(__always)
  static func wedgePlace(_ corner: UInt32) -> Int { Int(corner >> 3 * 3 + corner & 7) }
}

extension EdgeCollapse.Surface {
  fileprivate func hasThreeVertices(_ face: Int) -> Bool {
    let (a, b, c) = (vertices[3 * face], vertices[3 * face + 1], vertices[3 * face + 2])
    return a != b && b != c && c != a
  }
}

/// The planes of the faces around a vertex, each with the square of twice its area as weight.
///
/// All pass through the vertex, so that a matrix says how far a point is from them.
struct PlaneSum: BitwiseCopyable {
  /// The first entry is negative when it is out of date.
  var matrix = SymmetricMatrix(xx: -1)
  private var x: Float = 0
  private var y: Float = 0
  private var z: Float = 0

  static let zero = PlaneSum(matrix: SymmetricMatrix())

  /// The sum of the area vectors of the faces.
  var areaVector: SIMD3<Float> {
    @inline(__always) get { SIMD3(x, y, z) }
  }

  var isStale: Bool {
    @inline(__always) get { matrix.xx < 0 }
  }

  @inline(__always)
  mutating func add(_ areaVector: SIMD3<Float>) {
    matrix.addSquare(of: areaVector, times: 1)
    x += areaVector.x
    y += areaVector.y
    z += areaVector.z
  }

  @inline(__always)
  mutating func add(_ other: PlaneSum) {
    matrix.add(other.matrix)
    x += other.x
    y += other.y
    z += other.z
  }
}
