import MeshpipeScene
import Synchronization

/// A surface that is being decimated, in memory that several workers share.
///
/// Vertices and faces are in spatial order, so that a ring is close together in memory.
final class CollapseState: Sendable {
  /// The freedom of a vertex to move.
  enum Kind: UInt8, BitwiseCopyable { case free, onLine, fixed, removed }

  /// No face, corner or vertex.
  static let none = UInt32.max

  let frame: CollapseFrame
  /// The input's index of each vertex; the working order is spatial.
  let vertexOrder: ScratchBuffer<UInt32>
  /// Where the faces stored next to each vertex in memory end, and those of the next one begin.
  let faceEnds: ScratchBuffer<UInt32>
  let positions: ScratchBuffer<Vector3>
  let kinds: ScratchBuffer<Kind>
  /// The planes of the original surface that each vertex represents, and the perpendicular ones on
  /// its lines.
  let quadrics: ScratchBuffer<Quadric>
  /// The planes of the present faces around each vertex; empty if no vertex moves freely.
  let planes: ScratchBuffer<PlaneSum>
  /// The original surface around each vertex and all that were merged into it: the sum of its area
  /// vectors.
  let areaVectors: ScratchBuffer<Vector3>
  /// The approximately nearest vertex of the input.
  let anchors: ScratchBuffer<UInt32>
  /// The cost of the cheapest step of each vertex when last computed; infinite if there is none.
  let costs: ScratchBuffer<Float>
  /// The links of the workers' queues.
  let links: ScratchBuffer<UInt32>
  /// The part that each vertex currently belongs to.
  let owners: ScratchBuffer<UInt16>
  let faces: CollapseFaces
  /// The first corner of each vertex; those that follow may include corners of removed faces.
  let firstCorners: ScratchBuffer<CollapseCorner>
  /// The wedge of each corner as in the input, three per face.
  let wedges: ScratchBuffer<UInt32>
  let hasWedges: Bool
  /// Where each corner is in its texture, as lengths; three per face, not finite if unknown.
  let places: ScratchBuffer<SIMD2<Float>>
  /// The sum of the texture mappings of the faces around each vertex; as old as ``planes``.
  let mappings: ScratchBuffer<MappingSum>
  let hasMapping: Bool

  /// An empty state with capacity for a surface or a part of it.
  ///
  /// The system provides memory when it is first written to, so the capacity may be larger than
  /// needed.
  init(
    _ frame: CollapseFrame, _ options: EdgeCollapse.Options, room: Size,
    of surface: EdgeCollapse.Surface
  ) {
    self.frame = frame
    hasWedges = surface.wedges != nil
    hasMapping = surface.mapping != nil
    let movable = options.movesVertices ? room.vertices : 0
    vertexOrder = ScratchBuffer(uninitialized: room.vertices)
    faceEnds = ScratchBuffer(uninitialized: room.vertices)
    positions = ScratchBuffer(uninitialized: room.vertices)
    kinds = ScratchBuffer(uninitialized: room.vertices)
    quadrics = ScratchBuffer(uninitialized: room.vertices)
    planes = ScratchBuffer(uninitialized: movable)
    areaVectors = ScratchBuffer(uninitialized: room.vertices)
    anchors = ScratchBuffer(uninitialized: movable)
    costs = ScratchBuffer(uninitialized: room.vertices)
    links = ScratchBuffer(uninitialized: room.vertices)
    owners = ScratchBuffer(uninitialized: room.vertices)
    firstCorners = ScratchBuffer(uninitialized: room.vertices)
    faces = CollapseFaces(capacity: room.faces)
    wedges = ScratchBuffer(uninitialized: hasWedges ? 3 * room.faces : 0)
    places = ScratchBuffer(uninitialized: hasMapping ? 3 * room.faces : 0)
    mappings = ScratchBuffer(uninitialized: hasMapping ? movable : 0)
  }

  /// Starts with vertices whose faces are set: only their positions are known so far.
  ///
  /// - Parameter own: The number of vertices, the first ones, that may move.
  func begin(_ size: Size, own: Int, at places: [Vector3]) {
    let vertices = 0..<size.vertices
    for vertex in vertices where vertexOrder[vertex] != Self.none {
      // NaN stays NaN: a vertex that is not finite is fixed, and so are its neighbours.
      positions[vertex] = frame.inside(places[Int(vertexOrder[vertex])])
    }
    kinds.fill(vertices, with: .fixed)
    quadrics.fill(vertices, with: Quadric())
    areaVectors.fill(vertices, with: .zero)
    costs.fill(vertices, with: .infinity)
    links.fill(vertices, with: BucketQueue.notWaiting)
    owners.fill(0..<own, with: 0)
    owners.fill(own..<size.vertices, with: 1)
    if planes.count > 0 {
      planes.fill(vertices, with: PlaneSum())
      for vertex in vertices { anchors[vertex] = vertexOrder[vertex] }
    }
    linkCorners(size)
  }

  /// Connects the blocks that it was built from.
  ///
  /// - Parameter numbers: Memory for an index for each vertex of the input, by which faces refer to
  ///   their vertices.
  func join(_ size: Size, numbers: borrowing ScratchBuffer<UInt32>) {
    Parallel.forEachChunk(of: size.vertices) { [self] _, range in
      for vertex in range { numbers[vertexOrder[vertex]] = UInt32(truncatingIfNeeded: vertex) }
      links.fill(range, with: BucketQueue.notWaiting)
      owners.fill(range, with: 0)
    }
    Parallel.forEachChunk(of: size.faces) { [self] _, range in
      for face in range {
        for index in 0..<3 {
          let corner = CollapseCorner(index, of: face)
          faces[corner] = numbers[faces[corner]]
        }
      }
    }
    linkCorners(size)
  }

  @inline(__always)
  func isMovable(_ vertex: Int) -> Bool { kinds[vertex] == .free || kinds[vertex] == .onLine }

  /// Chains the corners of each vertex, those of the last face first.
  private func linkCorners(_ size: Size) {
    firstCorners.fill(0..<size.vertices, with: .none)
    Self.forEachPiece(of: size.vertices) { [self] own in
      for face in 0..<size.faces {
        for index in 0..<3 {
          let corner = CollapseCorner(index, of: face)
          let vertex = faces[corner]
          guard own.contains(vertex) else { continue }
          faces.follow(corner, by: firstCorners[vertex])
          firstCorners[vertex] = corner
        }
      }
    }
  }

  /// Runs `body` for ranges of the vertices on all cores, each of which visits all faces for its
  /// own range.
  ///
  /// Only a few ranges, since each visits all faces.
  private static func forEachPiece(of vertexCount: Int, _ body: @Sendable (Range<UInt32>) -> Void) {
    let pieces = vertexCount < 1 << 15 ? 1 : min(4, Parallel.maximumThreads)
    Parallel.forEach(0..<pieces) { piece in
      let (first, end) = (vertexCount * piece / pieces, vertexCount * (piece + 1) / pieces)
      body(UInt32(truncatingIfNeeded: first)..<UInt32(truncatingIfNeeded: end))
    }
  }

  /// The share of the arrays that is in use.
  struct Size {
    var vertices: Int
    var faces: Int
  }

  /// Compacts the gaps that removed vertices and faces left, so that rings are close together
  /// again.
  ///
  /// The order is kept. No queue may be in use.
  func compact(_ size: Size) -> Size {
    let newVertex = ScratchBuffer<UInt32>(repeating: Self.none, count: size.vertices)
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
      { [self] in mappings.move(to: newVertex) },
      { [self] in positions.move(to: newVertex) },
      { [self] in areaVectors.move(to: newVertex) },
      { [self] in vertexOrder.move(to: newVertex) },
      { [self] in anchors.move(to: newVertex) },
      { [self] in costs.move(to: newVertex) },
      { [self] in kinds.move(to: newVertex) },
    ]
    Parallel.forEach(0..<arrays.count) { arrays[$0]() }
    let result = Size(vertices: vertexCount, faces: faceCount.load(ordering: .relaxed))
    linkCorners(result)
    return result
  }

  /// Compacts the faces, except for the chains of corners.
  ///
  /// - Returns: The number of faces.
  private func compactFaces(_ size: Size, _ newVertex: borrowing ScratchBuffer<UInt32>) -> Int {
    var (face, count) = (0, 0)
    var last: UInt32?
    for vertex in 0..<size.vertices {
      let end = Int(faceEnds[vertex])
      while face < end {
        if !faces.isRemoved(face) {
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

  private func moveFace(_ face: Int, to index: Int, _ newVertex: borrowing ScratchBuffer<UInt32>) {
    for corner in 0..<3 {
      faces[CollapseCorner(corner, of: index)] = newVertex[faces[CollapseCorner(corner, of: face)]]
      if hasWedges { wedges[3 * index + corner] = wedges[3 * face + corner] }
      if hasMapping { places[3 * index + corner] = places[3 * face + corner] }
    }
    faces.set(index, region: faces.region(face), input: faces.input(face))
  }

  /// Fills a ring with the faces of a vertex, and unlinks removed faces.
  ///
  /// - Returns: Whether there are any and they fit.
  func gather(_ vertex: Int, into ring: inout Ring) -> Bool {
    var count = 0
    var last = CollapseCorner.none
    var corner = firstCorners[vertex]
    while corner != .none {
      let following = faces.following(corner)
      if faces.isRemoved(faceOf: corner) {
        if last == .none {
          firstCorners[vertex] = following
        } else {
          faces.follow(last, by: following)
        }
      } else {
        guard count < Ring.capacity else { return false }
        ring.corners[count] = corner
        ring.next[count] = faces[corner.next]
        ring.previous[count] = faces[corner.previous]
        count += 1
        last = corner
      }
      corner = following
    }
    ring.count = count
    return count > 0
  }
}

/// The coordinate frame in which a surface is decimated.
///
/// Lengths are in units of the square root of a face's mean area, so that costs neither vanish nor
/// overflow.
struct CollapseFrame: Sendable {
  /// The factor from units of the input to those of the computation.
  let scale: Float
  let center: SIMD3<Float>
  /// The bounds of the surface.
  let box: Box

  init(_ surface: EdgeCollapse.Surface) {
    let bounds = Box(surface.positions)
    (center, scale) = (bounds.center, Self.scale(of: surface))
    box = Box(
      minimum: (bounds.minimum - center) * scale, maximum: (bounds.maximum - center) * scale)
  }

  @inline(__always)
  func inside(_ position: Vector3) -> Vector3 { Vector3((position.simd - center) * scale) }

  @inline(__always)
  func outside(_ position: Vector3) -> Vector3 { Vector3(position.simd / scale + center) }

  /// One over the square root of the mean area of a face.
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
}
