package import MeshpipeScene

/// Closes the holes of a mesh.
package struct HoleFilling: Sendable {
  /// Which holes are closed, and how.
  package struct Options: Sendable {
    /// The greatest edge of a hole's bounding box, in the mesh's units.
    let maximumSize: Double
    /// The most edges of a hole.
    let maximumEdges: Int
    /// Whether the surface around goes on, with new vertices; otherwise it is closed with the fewest triangles.
    let isSmooth: Bool
    /// Whether holes are closed though the fill intersects the surface or another fill.
    let allowsIntersections: Bool
    /// The class labels of the mesh at whose faces holes stay open, such as those of a door.
    let openLabels: Set<UInt16>

    package init(
      maximumSize: Double, maximumEdges: Int, isSmooth: Bool, allowsIntersections: Bool,
      openLabels: Set<UInt16>
    ) {
      self.maximumSize = maximumSize
      self.maximumEdges = maximumEdges
      self.isSmooth = isSmooth
      self.allowsIntersections = allowsIntersections
      self.openLabels = openLabels
    }
  }

  /// A closed loop of boundary edges.
  package struct Hole: Sendable {
    package let edgeCount: Int
    /// The greatest edge of its bounding box, in the mesh's units.
    package let size: Double
    /// The middle of its bounding box.
    package let center: SIMD3<Double>
    package internal(set) var outcome: Outcome
  }

  /// The outcome for a hole.
  package enum Outcome: String, Sendable {
    /// Closed with triangles between its own vertices.
    case flat
    /// Closed with a thin plate that continues the surface.
    case smooth
    /// Closed along the planes that meet in it.
    case planes
    /// Left open: beyond the options' size.
    case tooLarge
    /// Left open: beyond the options' number of edges.
    case tooManyEdges
    /// Left open: it is beside faces of the options' labels.
    case keptOpen
    /// Not a hole but the outline of a flat piece.
    case outline
    /// Left open: each closing surface has an edge of three faces, or a vertex is not finite.
    case impossible
    /// Left open: the fill would intersect the surface, or another fill.
    case intersecting
    /// Left open: the faces around it are wound both ways.
    case mixedWinding

    package var isFilled: Bool { self == .flat || self == .smooth || self == .planes }
  }

  /// A hole, with what closes it.
  struct Fill: Sendable {
    var hole: Hole
    /// The halfedges around it.
    let loop: [Int]
    /// The patch that closes the hole; nil if it stays open.
    var patch: AttachedPatch?
  }

  let mesh: Mesh
  private let edges: Edges
  private let borders: BoundaryLoops
  private let around: LoopCorners
  private let options: Options

  private init(_ mesh: Mesh, _ options: Options) {
    self.mesh = mesh
    self.options = options
    edges = Edges(mesh)
    borders = BoundaryLoops(of: mesh, edges: edges)
    around = LoopCorners(of: options.isSmooth ? borders.loops : [], in: mesh)
  }

  /// Holes are closed side by side in groups of this size; cancellation is checked between them.
  private static let groupSize = 256

  /// Closes the holes; new faces follow the mesh's own, new vertices too.
  ///
  /// Holes are the loops of edges with one face; those beyond the options, or that can't be closed, stay open.
  ///
  /// - Parameter progress: Called with the share done; an error ends the filling.
  /// - Returns: All holes of the mesh, in the order of their first corners, those of mixed winding last.
  package static func run(
    _ mesh: inout Mesh, _ options: Options, progress: (Double) throws -> Void
  ) rethrows -> [Hole] {
    let fills = try fills(of: mesh, options, progress)
    let patches = fills.compactMap(\.patch)
    mesh.reserveElements(
      vertices: patches.reduce(0) { $0 + $1.newVertexCount },
      faces: patches.reduce(0) { $0 + $1.faceCount })
    for patch in patches
    where mesh.positions.count + patch.newVertexCount < Int(UInt32.max) {
      patch.add(to: &mesh)
    }
    return fills.map(\.hole)
  }

  /// The fills that close the holes; the mesh has no other user after it, so that changing it copies nothing.
  private static func fills(
    of mesh: Mesh, _ options: Options, _ progress: (Double) throws -> Void
  ) rethrows -> [Fill] {
    let filling = HoleFilling(mesh, options)
    var fills = try filling.fills(progress)
    if !options.allowsIntersections { filling.avoidIntersections(of: &fills) }
    return fills
  }

  private func fills(_ progress: (Double) throws -> Void) rethrows -> [Fill] {
    let loops = borders.loops
    var fills: [Fill] = []
    // Edges between vertices of loops, which loops that meet at several vertices must not make twice.
    var newEdges: Set<SIMD2<UInt32>> = []
    for start in stride(from: 0, to: loops.count, by: Self.groupSize) {
      try progress(Double(start) / Double(loops.count))
      let group = Array(loops[start..<min(start + Self.groupSize, loops.count)])
      for var fill in Parallel.map(count: group.count, { fill(group[$0], without: []) }) {
        if let patch = fill.patch, !newEdges.isDisjoint(with: patch.newEdges) {
          fill = self.fill(fill.loop, without: newEdges)
        }
        fills.append(fill)
        if let patch = fill.patch { newEdges.formUnion(patch.newEdges) }
      }
    }
    return fills
      + borders.mixedLoops.map { Fill(hole: hole($0, .mixedWinding), loop: $0, patch: nil) }
  }

  private func hole(_ loop: [Int], _ outcome: Outcome) -> Hole {
    let box = Box(
      loop.lazy.flatMap { [$0, nextCorner($0)] }.map { mesh.positions[Int(mesh.indices[$0])] })
    return Hole(
      edgeCount: loop.count, size: Double(box.extent), center: SIMD3<Double>(box.center),
      outcome: outcome)
  }

  /// Fills one hole, without some edges between vertices of loops.
  func fill(_ loop: [Int], without newEdges: Set<SIMD2<UInt32>>, isFlat: Bool = false) -> Fill {
    // Seen from outside, a hole runs against the faces around it.
    let ring = Array(loop.reversed())
    let vertices = ring.map { mesh.indices[$0] }
    let points = vertices.map { mesh.positions[Int($0)] }
    var hole = hole(loop, .impossible)
    if loop.count > options.maximumEdges { hole.outcome = .tooManyEdges }
    if !(hole.size <= options.maximumSize) { hole.outcome = .tooLarge }
    if isKeptOpen(loop) { hole.outcome = .keptOpen }
    guard hole.outcome == .impossible, points.allSatisfy(\.isFinite) else {
      return Fill(hole: hole, loop: loop)
    }
    let positions = points.map(\.double)
    // The edge from a point to the next belongs to the halfedge that starts at the next.
    let beside = ring.indices.map { ring[($0 + 1) % ring.count] / 3 }
    let normals = beside.map { mesh.areaVector(ofFace: $0).normalized }
    let isForbidden: @Sendable (Int, Int) -> Bool = { [edges] in
      let (a, b) = (vertices[$0], vertices[$1])
      return newEdges.contains(SIMD2(min(a, b), max(a, b))) || edges.contains(a, b)
    }
    guard
      let triangles = HoleTriangulation.triangles(
        of: positions, outerNormals: normals, isForbidden: isForbidden)
    else { return Fill(hole: hole, loop: loop) }
    var patch = HolePatch(loop: positions, triangles: triangles, isForbidden: isForbidden)
    guard !liesBack(patch, normals) else {
      hole.outcome = .outline
      return Fill(hole: hole, loop: loop)
    }
    var models = [commonFace(of: beside)]
    hole.outcome =
      options.isSmooth && !isFlat
      ? shape(&patch, models: &models, vertices: vertices, ring: ring, isForbidden: isForbidden)
      : .flat
    return Fill(
      hole: hole, loop: loop,
      patch: AttachedPatch(
        patch, ring: ring, vertices: vertices, models: models,
        isPlanar: hole.outcome == .planes))
  }

  /// The share of a hole's edges that are beside faces of the options' labels if it stays open.
  private static let leastOpenShare = 0.25

  private func isKeptOpen(_ loop: [Int]) -> Bool {
    guard !options.openLabels.isEmpty, let labels = mesh.classes?.labels else { return false }
    let count = loop.count { options.openLabels.contains(labels[$0 / 3]) }
    return Double(count) >= Self.leastOpenShare * Double(loop.count)
  }

  /// Gives a patch vertices and bends it as the surface around.
  private func shape(
    _ patch: inout HolePatch, models: inout [Int], vertices: [UInt32], ring: [Int],
    isForbidden: @escaping @Sendable (Int, Int) -> Bool
  ) -> Outcome {
    let surroundings = HoleSurroundings(of: vertices, in: mesh, around, edges)
    let collar = HoleCollar(of: ring, in: mesh, edges)
    let loop = Array(patch.positions[..<patch.loopCount])
    if collar.isBent,
      let planes = PlanarSurroundings(
        loop: loop, faces: collar.faces, edgeLength: surroundings.meanEdgeLength),
      let planar = HolePatch(
        loop: loop, on: planes, lengths: surroundings.edgeLengths, isForbidden: isForbidden)
    {
      patch = planar
      models = self.models(of: patch, planes, ring, models[0])
      return .planes
    }
    patch.refine(to: surroundings.edgeLengths)
    let isFair = patch.fair(
      with: surroundings, meanCurvature: collar.meanCurvature(in: mesh, edges))
    return isFair ? .smooth : .flat
  }

  /// Whether the fill faces the other way than the surrounding surface, which means that the loop
  /// goes around a flat piece and is not a hole.
  private func liesBack(_ patch: HolePatch, _ outerNormals: [SIMD3<Double>]) -> Bool {
    let fill = (0..<patch.faceCount).reduce(SIMD3<Double>.zero) {
      $0 + patch.areaVector(ofFace: $1)
    }.normalized
    let agreement = outerNormals.reduce(0) { $0 + $1.dot(fill) } / Double(outerNormals.count)
    return agreement < Self.oppositeCosine
  }

  /// The mean cosine between a fill and its surroundings below which the fill covers their back (154°).
  private static let oppositeCosine = -0.9

  /// The face from which each face of a patch on planes has its class and material: one around the hole on its plane.
  private func models(
    of patch: HolePatch, _ planes: PlanarSurroundings, _ ring: [Int], _ common: Int
  ) -> [Int] {
    var beside = [[Int]](repeating: [], count: planes.planes.count)
    for corner in ring {
      beside[planes.plane(along: mesh.centroid(ofFace: corner / 3))].append(corner / 3)
    }
    let models = beside.map { $0.isEmpty ? common : commonFace(of: $0) }
    return (0..<patch.faceCount).map { models[planes.plane(along: patch.centroid(ofFace: $0))] }
  }

  /// The first of some faces with the most common class and material among them.
  private func commonFace(of faces: [Int]) -> Int {
    var votes: [SIMD2<UInt32>: (count: Int, face: Int)] = [:]
    for face in faces {
      let kind = SIMD2(
        UInt32(mesh.classes?.labels[face] ?? 0), mesh.faceMaterials?[face] ?? 0)
      let vote = votes[kind] ?? (0, face)
      votes[kind] = (vote.count + 1, min(vote.face, face))
    }
    let winner = votes.values.max { ($0.count, $1.face) < ($1.count, $0.face) }
    return winner?.face ?? faces[0]
  }
}
