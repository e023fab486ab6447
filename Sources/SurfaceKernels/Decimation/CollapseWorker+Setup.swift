import MeshpipeScene

extension CollapseWorker {
  /// Classifies a vertex, and computes the planes that it represents; fills the ring.
  ///
  /// - Returns: Whether it has faces that can be examined.
  mutating func prepare(_ vertex: Int) -> Bool {
    guard state.positions[vertex].isFinite, state.gather(vertex, into: &ring) else { return false }
    addPlanes(to: vertex)
    // A shortcut for most vertices; the general code below gives the same in five times the work.
    if !state.hasWedges, ring.isClosedFan(), hasOneRegion() {
      state.kinds[vertex] = .free
      return true
    }
    var lines = 0
    var isComplex = false
    for index in 0..<ring.count {
      look(toward: ring.next[index])
      if !ring.isNext(ring.previous[index]) { look(toward: ring.previous[index]) }
    }

    func look(toward neighbor: UInt32) {
      let line = self.line(toward: neighbor)
      guard line != .none else { return }
      lines += 1
      if line == .complex { isComplex = true }
      if let weight = weight(of: line) { hold(edgeFrom: vertex, to: neighbor, weight) }
    }
    if !isComplex, lines == 0 || lines == 2, ring.isSingleFan() {
      state.kinds[vertex] = lines == 0 ? .free : .onLine
    }
    return true
  }

  private func hasOneRegion() -> Bool {
    let region = state.faces.region(of: ring.corners[0])
    for index in 1..<max(1, ring.count)
    where state.faces.region(of: ring.corners[index]) != region {
      return false
    }
    return true
  }

  /// Adds the planes of the ring's faces to its vertex.
  private func addPlanes(to vertex: Int) {
    let origin = state.positions[vertex].simd
    var quadric = Quadric()
    var sum = SIMD3<Float>.zero
    for index in 0..<ring.count {
      let areaVector = (state.positions[ring.next[index]].simd - origin)
        .cross(state.positions[ring.previous[index]].simd - origin)
      let length = areaVector.length
      guard length > 0, length.isFinite else { continue }
      quadric.addPlane(normal: areaVector / length, weight: length / 6)
      sum += areaVector
    }
    state.quadrics[vertex] = quadric
    state.areaVectors[vertex] = Vector3(sum)
    // Computed now, since others read them while costs are computed on all cores.
    if options.movesVertices { freshPlanes(of: vertex) }
  }

  /// The weight of the planes perpendicular to a line relative to the surface, or nil if it is not
  /// preserved.
  ///
  /// The ragged borders of scans and of classes are as jagged as the faces along them; preserving
  /// each jag more strictly would cost faces that the shape needs. Beside seams of textures are
  /// pixels that nothing else shows.
  private func weight(of line: Line) -> Float? {
    switch line {
    case .none, .complex: nil
    // For error bounds on the surface only, lines add their error to it: ten times is enough.
    case .border: options.holdsBorders ? (options.boundsSurfaceAlone ? 100 : 20_000) : nil
    case .region: options.holdsRegions ? 1 : nil
    case .seam: options.holdsSeams ? (state.hasMapping ? 10 : 1) : nil
    }
  }

  /// Adds planes through an edge, perpendicular to each of its faces, to one of its vertices.
  private func hold(edgeFrom vertex: Int, to neighbor: UInt32, _ weight: Float) {
    let origin = state.positions[vertex].simd
    let edge = state.positions[neighbor].simd - origin
    for index in 0..<ring.count where ring.has(neighbor, at: index) {
      let normal = (state.positions[ring.next[index]].simd - origin)
        .cross(state.positions[ring.previous[index]].simd - origin)
      let upright = edge.cross(normal).normalized
      var quadric = state.quadrics[vertex]
      quadric.addPlane(
        normal: upright, weight: weight * edge.lengthSquared,
        counts: !options.boundsSurfaceAlone)
      state.quadrics[vertex] = quadric
    }
  }
}
