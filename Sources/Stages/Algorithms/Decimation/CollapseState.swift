import MeshPipeline

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
  /// The face of the input that each face was.
  let faceOrder: SharedArray<UInt32>
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
  /// Eight numbers per face: three vertices, the region, and for each corner the next one of its vertex.
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
  init(_ surface: EdgeCollapse.Surface, movesVertices: Bool) {
    let vertexCount = surface.positions.count
    let order = spatialOrder(of: surface.positions)
    vertexOrder = .allocate(order)
    let bounds = Box(surface.positions)
    let (center, scale) = (bounds.center, Self.scale(of: surface))
    self.center = center
    self.scale = scale
    box = Box(
      minimum: (bounds.minimum - center) * scale, maximum: (bounds.maximum - center) * scale)
    var newVertex = [UInt32](repeating: 0, count: vertexCount)
    for vertex in order.indices {
      newVertex[Int(order[vertex])] = UInt32(truncatingIfNeeded: vertex)
    }
    let (faces, faceEnds) = Self.faceOrder(of: surface, newVertex)
    faceOrder = .allocate(faces)
    self.faceEnds = .allocate(faceEnds)
    // Not a number stays so: a vertex that is not finite is fixed, and so is what touches it.
    positions = .allocate(repeating: .zero, count: vertexCount)
    kinds = .allocate(repeating: .fixed, count: vertexCount)
    quadrics = .allocate(repeating: Quadric(), count: vertexCount)
    planes = .allocate(repeating: PlaneSum(), count: movesVertices ? vertexCount : 0)
    areaVectors = .allocate(repeating: .zero, count: vertexCount)
    anchors = .allocate(repeating: 0, count: movesVertices ? vertexCount : 0)
    costs = .allocate(repeating: .infinity, count: vertexCount)
    links = .allocate(repeating: BucketQueue.notWaiting, count: vertexCount)
    owners = .allocate(repeating: 0, count: vertexCount)
    self.faces = .allocate(repeating: Self.none, count: 8 * faces.count)
    firstCorners = .allocate(repeating: Self.none, count: vertexCount)
    hasWedges = surface.wedges != nil
    wedges = .allocate(repeating: 0, count: hasWedges ? surface.vertices.count : 0)
    fill(from: surface, newVertex)
  }

  deinit {
    vertexOrder.deallocate()
    faceOrder.deallocate()
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

  private func fill(from surface: EdgeCollapse.Surface, _ newVertex: [UInt32]) {
    for vertex in 0..<vertexOrder.count {
      let old = vertexOrder[vertex]
      positions[vertex] = Vector3((surface.positions[Int(old)].simd - center) * scale)
      if anchors.count > 0 { anchors[vertex] = old }
    }
    for face in 0..<faceOrder.count {
      let old = 3 * Int(faceOrder[face])
      let vertices = SIMD3(
        newVertex[Int(surface.vertices[old])], newVertex[Int(surface.vertices[old + 1])],
        newVertex[Int(surface.vertices[old + 2])])
      setFace(face, vertices, region: surface.regions?[old / 3] ?? 0)
      if let all = surface.wedges {
        for place in 0..<3 { wedges[3 * face + place] = all[old + place] }
      }
    }
  }

  /// Fills a face and makes its corners the first ones of their vertices.
  private func setFace(_ face: Int, _ vertices: SIMD3<UInt32>, region: UInt32) {
    faces[8 * face + 3] = region
    for place in 0..<3 {
      let corner = 8 * face + place
      faces[corner] = vertices[place]
      faces[corner + 4] = firstCorners[vertices[place]]
      firstCorners[vertices[place]] = UInt32(truncatingIfNeeded: corner)
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
    var result = Size(vertices: 0, faces: 0)
    for vertex in 0..<size.vertices where kinds[vertex] != .removed {
      newVertex[vertex] = UInt32(truncatingIfNeeded: result.vertices)
      moveVertex(vertex, to: result.vertices)
      result.vertices += 1
    }
    var face = 0
    for vertex in 0..<size.vertices {
      let end = Int(faceEnds[vertex])
      while face < end {
        if faces[8 * face] != Self.none {
          moveFace(face, to: result.faces, newVertex)
          result.faces += 1
        }
        face += 1
      }
      if newVertex[vertex] != Self.none {
        faceEnds[newVertex[vertex]] = UInt32(truncatingIfNeeded: result.faces)
      }
    }
    if result.vertices > 0 {
      faceEnds[result.vertices - 1] = UInt32(truncatingIfNeeded: result.faces)
    }
    return result
  }

  private func moveVertex(_ vertex: Int, to place: Int) {
    vertexOrder[place] = vertexOrder[vertex]
    positions[place] = positions[vertex]
    kinds[place] = kinds[vertex]
    quadrics[place] = quadrics[vertex]
    areaVectors[place] = areaVectors[vertex]
    costs[place] = costs[vertex]
    if planes.count > 0 {
      planes[place] = planes[vertex]
      anchors[place] = anchors[vertex]
    }
    firstCorners[place] = Self.none
  }

  private func moveFace(_ face: Int, to place: Int, _ newVertex: SharedArray<UInt32>) {
    faceOrder[place] = faceOrder[face]
    let old = 8 * face
    let vertices = SIMD3(
      newVertex[faces[old]], newVertex[faces[old + 1]], newVertex[faces[old + 2]])
    setFace(place, vertices, region: faces[old + 3])
    if hasWedges {
      for corner in 0..<3 { wedges[3 * place + corner] = wedges[3 * face + corner] }
    }
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

  /// The faces by their first corner's place in the spatial order, but for those that name a vertex twice.
  private static func faceOrder(
    of surface: EdgeCollapse.Surface, _ newVertex: [UInt32]
  ) -> (order: [UInt32], ends: [UInt32]) {
    let faceCount = surface.vertices.count / 3
    var starts = FixedArray<UInt32>(repeating: 0, count: newVertex.count + 1)
    for face in 0..<faceCount where surface.hasThreeVertices(face) {
      starts[Int(newVertex[Int(surface.vertices[3 * face])]) + 1] += 1
    }
    for vertex in newVertex.indices { starts[vertex + 1] += starts[vertex] }
    var order = [UInt32](repeating: 0, count: Int(starts[newVertex.count]))
    for face in 0..<faceCount where surface.hasThreeVertices(face) {
      let vertex = newVertex[Int(surface.vertices[3 * face])]
      order[Int(starts[vertex])] = UInt32(truncatingIfNeeded: face)
      starts[vertex] += 1
    }
    return (order, newVertex.indices.map { starts[$0] })
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
