package import MeshpipeScene

/// Moves the vertices of nearly plane parts of a mesh onto planes, and those between two or three planes to where these
/// meet.
package struct SurfaceFlattening {
  package struct Options: Sendable {
    /// The greatest distance that a vertex moves, in the mesh's units.
    let maximumShift: Double
    /// The least area of a plane, in the mesh's square units.
    let leastArea: Double
    /// The unit vector upwards, if planes that are nearly level, upright, parallel or perpendicular become so.
    let up: SIMD3<Double>?
    /// The greatest area of parts on no plane that are removed, in the mesh's square units; 0 for none.
    let bumpArea: Double

    package init(maximumShift: Double, leastArea: Double, up: SIMD3<Double>?, bumpArea: Double) {
      self.maximumShift = maximumShift
      self.leastArea = leastArea
      self.up = up
      self.bumpArea = bumpArea
    }
  }

  package struct Result: Sendable {
    /// The number of planes, of which one may have several regions.
    package var planeCount = 0
    /// Planes that could not be turned to others, since vertices would move too far.
    package var unalignedPlanes = 0
    /// The part of the area that lies on planes.
    package var flatShare = 0.0
    /// The mean and the greatest distance that vertices moved, of those on planes.
    package var meanShift = 0.0
    package var greatestShift = 0.0
    /// Faces of bumps.
    package var removedFaces = 0
  }

  /// Planes that meet at less have no edge (15°).
  private static let greatestCosine = 0.966
  /// Rounds in which the shifts of edges spread, each over a ring of vertices.
  private static let spreadingRounds = 30
  /// Rounds in which vertices that fold faces over go back from edges to their own plane, or to where they were.
  private static let unfoldingRounds = 3

  /// Beside parts that are not on a plane, over these rings of vertices, those that are farther than this share of the
  /// greatest shift from their plane move less, so that the surface is not torn where it leaves the plane.
  private static let (fadingRings, fadingShare) = (5, 0.5)

  private let mesh: Mesh
  private let regions: [PlaneRegions.Region]
  /// The region of each face, as in ``PlaneRegions``.
  private let labels: [Int32]
  private let planes: [Plane]
  private let maximumShift: Double
  /// The rings between each vertex and the nearest face that is on no plane, up to ``fadingRings``.
  private let rings: [UInt8]

  /// Flattens a mesh; its normals and tangents, if it has any, follow.
  ///
  /// - Parameter progress: Called with the share done; an error ends it, and the mesh stays as it was.
  /// - Complexity: O(faces)
  package static func run(
    _ mesh: inout Mesh, _ options: Options, progress: (Double) throws -> Void
  ) rethrows -> Result {
    guard options.maximumShift > 0,
      let (regions, all) = try regions(of: mesh, options, { try progress(0.8 * $0) })
    else { return Result() }
    var (flat, labels) = (mesh, all)
    removeBumps(of: &flat, &labels, upTo: options.bumpArea)
    var alignment = PlaneAlignment(regions, tolerance: options.maximumShift)
    if let up = options.up { alignment.align(regions, up: up) }
    let flattening = SurfaceFlattening(
      mesh: flat, regions: regions, labels: labels, planes: alignment.planes,
      maximumShift: options.maximumShift, rings: Self.ringsFromFreeFaces(flat, labels))
    let around = VertexCorners(flat)
    let positions = flattening.flattened(around)
    try progress(0.95)
    var result = flattening.result(positions)
    result.planeCount =
      Set(alignment.planes.map { [$0.normal.x, $0.normal.y, $0.normal.z, $0.offset] }).count
    result.unalignedPlanes = alignment.leftCount
    result.removedFaces = mesh.faceCount - flat.faceCount
    mesh = flat
    mesh.positions = positions
    mesh.renewNormals(around)
    return result
  }

  /// The regions without the normals and neighbours of faces by which they are found.
  private static func regions(
    of mesh: Mesh, _ options: Options, _ progress: (Double) throws -> Void
  ) rethrows -> (regions: [PlaneRegions.Region], labels: [Int32])? {
    guard
      let found = try PlaneRegions(
        mesh, tolerance: options.maximumShift, leastArea: options.leastArea, progress: progress)
    else { return nil }
    return (found.regions, found.labels)
  }

  /// The new positions of all vertices.
  private func flattened(_ around: VertexCorners) -> [Vector3] {
    var positions = Parallel.array(count: mesh.vertexCount) { vertex in
      target(of: vertex, around, limit: 3)
    }
    guard hasFolds(positions) else { return positions }
    positions = spread(positions, around)
    // How many planes a vertex may lie on: fewer where it would fold a face over.
    var limits = [UInt8](repeating: 3, count: mesh.vertexCount)
    for _ in 0..<Self.unfoldingRounds {
      var isFolded = false
      for face in 0..<mesh.faceCount where isFoldedOver(face, positions) {
        isFolded = true
        for corner in 3 * face..<3 * face + 3 {
          let vertex = Int(mesh.indices[corner])
          limits[vertex] = limits[vertex] > 1 ? 1 : 0
        }
      }
      guard isFolded else { break }
      let (before, now) = (positions, limits)
      positions = Parallel.array(count: mesh.vertexCount) { vertex in
        now[vertex] == 3 ? before[vertex] : target(of: vertex, around, limit: Int(now[vertex]))
      }
    }
    return positions
  }

  /// Lets the vertices within planes follow those on their edges, so that no face folds over.
  private func spread(_ targets: [Vector3], _ around: VertexCorners) -> [Vector3] {
    let planeOf: [Int32] = Parallel.array(count: mesh.vertexCount) { vertex in
      let own = around[vertex].map { labels[Int($0) / 3] }
      guard let first = own.first, own.allSatisfy({ $0 == first }) else { return -1 }
      return first
    }
    var positions = targets
    for _ in 0..<Self.spreadingRounds {
      let before = positions
      positions = Parallel.array(count: mesh.vertexCount) { vertex in
        guard planeOf[vertex] >= 0 else { return before[vertex] }
        var sum = SIMD3<Double>.zero
        for corner in around[vertex] {
          for other in [nextCorner(Int(corner)), previousCorner(Int(corner))] {
            let neighbor = Int(mesh.indices[other])
            sum += before[neighbor].double - mesh.positions[neighbor].double
          }
        }
        let start = mesh.positions[vertex].double
        let index = planes[Int(planeOf[vertex])].projected(
          start + sum / Double(2 * around[vertex].count))
        let isNear = (index - start).length <= maximumShift
        return isNear ? Vector3(SIMD3<Float>(index)) : before[vertex]
      }
    }
    return positions
  }

  private func hasFolds(_ positions: [Vector3]) -> Bool {
    (0..<mesh.faceCount).contains { isFoldedOver($0, positions) }
  }

  private static func ringsFromFreeFaces(_ mesh: Mesh, _ labels: [Int32]) -> [UInt8] {
    var rings = [UInt8](repeating: UInt8(fadingRings), count: mesh.vertexCount)
    for corner in mesh.indices.indices where labels[corner / 3] < 0 {
      rings[Int(mesh.indices[corner])] = 0
    }
    for ring in 1..<UInt8(fadingRings) {
      for face in 0..<mesh.faceCount {
        let corners = 3 * face..<3 * face + 3
        guard corners.contains(where: { rings[Int(mesh.indices[$0])] == ring - 1 }) else {
          continue
        }
        for corner in corners {
          let vertex = Int(mesh.indices[corner])
          rings[vertex] = min(rings[vertex], ring)
        }
      }
    }
    return rings
  }

  /// The share of its way that a vertex goes, by its distance from a region's plane.
  private func share(of vertex: Int, _ label: Int) -> Double {
    let distance = abs(regions[label].plane.distance(to: mesh.positions[vertex].double))
    let excess = (distance / maximumShift - Self.fadingShare) / (1 - Self.fadingShare)
    let nearness = 1 - Double(rings[vertex]) / Double(Self.fadingRings)
    return 1 - nearness * min(max(excess, 0), 1)
  }

  /// Where a vertex goes.
  private func target(of vertex: Int, _ around: VertexCorners, limit: Int) -> Vector3 {
    let start = mesh.positions[vertex]
    guard start.isFinite, limit > 0 else { return start }
    var own: [Plane] = []
    var share = 1.0
    for corner in around[vertex] {
      let label = Int(labels[Int(corner) / 3])
      guard label >= 0 else { continue }
      let plane = planes[label]
      share = min(share, self.share(of: vertex, label))
      // Parallel planes have no edge: the first one counts.
      guard own.allSatisfy({ abs($0.normal.dot(plane.normal)) < Self.greatestCosine }) else {
        continue
      }
      own.append(plane)
    }
    let point = start.double
    own.sort { abs($0.distance(to: point)) < abs($1.distance(to: point)) }
    var targets: [SIMD3<Double>] = []
    if own.count >= 3, limit >= 3, let corner = Plane.meeting(own[0], own[1], own[2]) {
      targets.append(corner)
    }
    if own.count >= 2, limit >= 2 { targets.append(own[0].projected(point, onto: own[1])) }
    if let first = own.first { targets.append(first.projected(point)) }
    let near = targets.first { ($0 - point).length <= maximumShift }
    return near.map { Vector3(SIMD3<Float>(point + ($0 - point) * share)) } ?? start
  }

  /// Whether a face has turned over: from its plane's side, or without a plane from its own.
  private func isFoldedOver(_ face: Int, _ positions: [Vector3]) -> Bool {
    let before = mesh.areaVector(ofFace: face)
    let label = labels[face]
    let side = label >= 0 ? planes[Int(label)].normal : before
    guard before.dot(side) > 0 else { return false }
    let (a, b, c) = mesh.vertices(ofFace: face)
    let corner = positions[Int(a)].double
    let normal = (positions[Int(b)].double - corner).cross(positions[Int(c)].double - corner)
    return normal.dot(side) <= 0
  }

  private func result(_ positions: [Vector3]) -> Result {
    var result = Result()
    var (flat, all, sum, count) = (0.0, 0.0, 0.0, 0.0)
    for face in 0..<mesh.faceCount {
      let area = mesh.area(ofFace: face)
      guard area.isFinite else { continue }
      all += area
      guard labels[face] >= 0 else { continue }
      flat += area
      for corner in 3 * face..<3 * face + 3 {
        let vertex = Int(mesh.indices[corner])
        let shift = (positions[vertex].double - mesh.positions[vertex].double).length
        sum += shift
        count += 1
        result.greatestShift = max(result.greatestShift, shift)
      }
    }
    result.flatShare = all > 0 ? flat / all : 0
    result.meanShift = count > 0 ? sum / count : 0
    return result
  }
}
