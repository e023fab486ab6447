import MeshPipeline

extension EdgeCollapse {
  /// Takes over a surface; faces that name a vertex twice are left out.
  ///
  /// Vertices and faces are put in spatial order, so that a ring lies together in memory.
  init(_ surface: Surface, _ options: Options) {
    self.options = options
    let box = Box(surface.positions)
    let scale = box.extent > 0 && box.extent.isFinite ? 1 / box.extent : 1
    self.scale = scale
    let vertexCount = surface.positions.count
    let cornerCount = surface.vertices.count
    vertexOrder = spatialOrder(of: surface.positions)
    // Not a number stays so: a vertex that is not finite is fixed, and so is what touches it.
    positions = FixedArray(repeating: .zero, count: vertexCount)
    var newVertex = FixedArray<UInt32>(repeating: 0, count: vertexCount)
    for vertex in vertexOrder.indices {
      let old = Int(vertexOrder[vertex])
      positions[vertex] = (surface.positions[old].simd - box.center) * scale
      newVertex[old] = UInt32(truncatingIfNeeded: vertex)
    }
    kinds = FixedArray(repeating: .fixed, count: vertexCount)
    quadrics = FixedArray(repeating: Quadric(), count: vertexCount)
    areaVectors = FixedArray(repeating: .zero, count: vertexCount)
    faceOrder = Self.faceOrder(of: surface, newVertex)
    faces = FixedArray(repeating: Self.none, count: 4 * faceOrder.count)
    hasWedges = surface.wedges != nil
    wedges = FixedArray(repeating: 0, count: hasWedges ? cornerCount : 0)
    rows = FixedArray(repeating: Row(start: 0, count: 0), count: vertexCount)
    // Room for all corners and for the rows of half of the steps until the next packing.
    rowCorners = FixedArray(repeating: 0, count: 2 * cornerCount + 4 * Ring.capacity)
    marks = FixedArray(repeating: 0, count: vertexCount)
    queue = BucketQueue(memberCount: vertexCount)
    faceCount = 0
    for face in faceOrder.indices {
      let old = 3 * Int(faceOrder[face])
      let a = newVertex[surface.vertices[old]]
      let b = newVertex[surface.vertices[old + 1]]
      let c = newVertex[surface.vertices[old + 2]]
      guard a != b, b != c, c != a else { continue }
      faceCount += 1
      faces[4 * face + 3] = surface.regions?[old / 3] ?? 0
      for place in 0..<3 {
        let vertex = place == 0 ? a : place == 1 ? b : c
        faces[4 * face + place] = vertex
        if let all = surface.wedges { wedges[3 * face + place] = all[old + place] }
      }
      addFaceQuadrics(a, b, c)
    }
    packRows()
  }

  /// The faces by their first corner's place in the spatial order.
  private static func faceOrder(
    of surface: Surface, _ newVertex: borrowing FixedArray<UInt32>
  ) -> [UInt32] {
    let faceCount = surface.vertices.count / 3
    var starts = FixedArray<UInt32>(repeating: 0, count: newVertex.count + 1)
    for face in 0..<faceCount { starts[newVertex[surface.vertices[3 * face]] + 1] += 1 }
    for vertex in 0..<newVertex.count { starts[vertex + 1] += starts[vertex] }
    var order = [UInt32](repeating: 0, count: faceCount)
    for face in 0..<faceCount {
      let vertex = newVertex[surface.vertices[3 * face]]
      order[Int(starts[vertex])] = UInt32(truncatingIfNeeded: face)
      starts[vertex] += 1
    }
    return order
  }

  /// Adds the plane of a face to its three vertices.
  private mutating func addFaceQuadrics(_ a: UInt32, _ b: UInt32, _ c: UInt32) {
    let areaVector = (positions[b] - positions[a]).cross(positions[c] - positions[a])
    let length = areaVector.length
    guard length > 0, length.isFinite else { return }
    var quadric = Quadric()
    quadric.addPlane(normal: areaVector / length, weight: length / 6)
    add(to: a)
    add(to: b)
    add(to: c)

    func add(to vertex: UInt32) {
      areaVectors[vertex] += areaVector
      quadrics[vertex].add(quadric, offset: .zero)
    }
  }

  /// Finds out what each vertex may do, and adds the planes upright on lines that are to be held.
  mutating func prepareVertices() {
    for vertex in 0..<kinds.count where isFinite(vertex) && gatherRing(of: vertex) {
      var lines = 0
      var isComplex = false
      for place in 0..<ring.count {
        look(toward: ring.next[place])
        if !ring.isNext(ring.previous[place]) { look(toward: ring.previous[place]) }
      }

      func look(toward neighbor: UInt32) {
        let line = self.line(toward: neighbor)
        guard line != .none else { return }
        lines += 1
        if line == .complex { isComplex = true }
        if let weight = weight(of: line) { hold(edgeFrom: vertex, to: neighbor, weight) }
      }
      if !isComplex, lines == 0 || lines == 2, isSingleFan() {
        kinds[vertex] = lines == 0 ? .free : .onLine
      }
    }
  }

  private func isFinite(_ vertex: Int) -> Bool {
    let sum = positions[vertex].sum()
    return sum.isFinite
  }

  /// How much more than the surface the planes upright on a line count, or nil when it is not held.
  ///
  /// The ragged borders of scans and lines between classes are as jagged as the faces that they run
  /// along; to hold each jag more firmly would cost faces that the shape needs.
  private func weight(of line: Line) -> Float? {
    switch line {
    case .none, .complex: nil
    case .border: options.holdsBorders ? 3 : nil
    case .region: options.holdsRegions ? 1 : nil
    case .seam: options.holdsSeams ? 1 : nil
    }
  }

  /// Adds planes through an edge, upright on each of its faces, to one of its vertices.
  private mutating func hold(edgeFrom vertex: Int, to neighbor: UInt32, _ weight: Float) {
    let edge = positions[neighbor] - positions[vertex]
    for place in 0..<ring.count
    where ring.next[place] == neighbor || ring.previous[place] == neighbor {
      let normal = (positions[ring.next[place]] - positions[vertex])
        .cross(positions[ring.previous[place]] - positions[vertex])
      let upright = edge.cross(normal).normalized
      quadrics[vertex].addPlane(
        normal: upright, weight: weight * edge.lengthSquared)
    }
  }
}
