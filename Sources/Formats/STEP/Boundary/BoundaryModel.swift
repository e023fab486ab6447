import MeshPipeline
import POSIX

/// A mesh as CAD describes it: flat faces with polygonal outlines and holes, which share straight edges and vertices, and
/// of which closed ones bound solids.
struct BoundaryModel {
  struct Face {
    var plane: FacePlane
    /// The number of its look.
    var style: Int32
    /// The outline, counterclockwise seen from outside, and the holes, clockwise.
    var loops: [[Side]]
  }

  /// An edge as a side of a face.
  struct Side {
    var edge: Int
    /// Whether it goes from the edge's first vertex to the second.
    var isForward: Bool
  }

  /// Faces that are connected by edges.
  struct Shell {
    var faces: [Int] = []
    /// Whether each edge has faces on both sides.
    var isClosed = true
    /// Within a closed shell; negative around a cavity.
    var volume = 0.0
  }

  private(set) var positions: [SIMD3<Double>]
  private(set) var edges: [(from: UInt32, to: UInt32)] = []
  private(set) var faces: [Face] = []
  private(set) var shells: [Shell]

  /// Corners of planes that meet at less than this (6°) are not moved along them.
  private static let leastSine = 0.1
  /// Sides of a face that are nearer than this touch, in tolerances.
  private static let leastGap = 1.0
  /// A corner moves by at most this many tolerances to where its planes meet.
  private static let farthestMove = 4.0

  private let facets: Facets
  private let tolerance: Double
  /// By the lower corner of the halfedges along it, of a run the lowest; -1 if there is none.
  private var edgesByCorner: [Int32]

  /// Makes the faces of a mesh flat.
  ///
  /// - Parameters:
  ///   - tolerance: The greatest distance of a vertex from the plane of its face, and of one that is left out from its edge.
  ///   - check: Called now and then; may throw to cancel.
  init(_ facets: Facets, tolerance: Double, check: () throws -> Void) rethrows {
    (self.facets, self.tolerance) = (facets, tolerance)
    positions = facets.positions
    edgesByCorner = [Int32](repeating: -1, count: facets.indices.count)
    shells = []
    var regions = try FlatRegions(facets, tolerance: tolerance, check: check).regions
    while true {
      try check()
      build(regions)
      let crossed = Set(
        regions.indices.filter { regions[$0].faces.count > 1 && isCrossed(face: $0) })
      guard !crossed.isEmpty else { break }
      regions = regions.enumerated().flatMap { index, region in
        crossed.contains(index) ? facets.triangles(of: region) : [region]
      }
    }
    measureShells()
  }

  /// Makes a face of each region.
  private mutating func build(_ regions: [FlatRegions.Region]) {
    positions = facets.positions
    (edges, faces) = ([], [])
    shells = [Shell](repeating: Shell(), count: facets.surfaceCount)
    for corner in edgesByCorner.indices { edgesByCorner[corner] = -1 }
    let runs = StraightRuns(facets, regions, tolerance: tolerance)
    for region in regions { add(region, runs) }
    moveCornersOntoPlanes(of: regions)
    for (index, region) in regions.enumerated() where region.faces.count == 1 {
      fitPlane(ofFace: index)
    }
  }

  /// Whether sides of a face cross or touch, or a hole is not within the outline, as where the mesh is folded within the
  /// tolerance.
  private func isCrossed(face: Int) -> Bool {
    let (plane, loops) = (faces[face].plane, faces[face].loops)
    let u = (positions[start(loops[0][1])] - positions[start(loops[0][0])]).normalized
    let v = plane.normal.cross(u)
    func projected(_ vertex: Int) -> SIMD2<Double> {
      let offset = positions[vertex] - plane.center
      return SIMD2(offset.dot(u), offset.dot(v))
    }
    let outline = loops[0].map { projected(start($0)) }
    let corners = Set(loops[0].map { start($0) })
    for hole in loops.dropFirst() {
      let own = hole.lazy.map { start($0) }.first { !corners.contains($0) }
      if let own, !isInside(projected(own), of: outline) { return true }
    }
    let segments = loops.joined().map { side in
      let edge = edges[side.edge]
      return FlatSegment(
        from: projected(Int(edge.from)), to: projected(Int(edge.to)), ends: (edge.from, edge.to))
    }
    return FlatSegment.anyTouch(segments, within: Self.leastGap * tolerance)
  }

  // MARK: Faces

  private mutating func add(_ region: FlatRegions.Region, _ runs: StraightRuns) {
    let loops = region.loops.map { loop in
      let corners = loop.indices.filter { runs.isKept[Int(facets.indices[loop[$0]])] }
      return corners.enumerated().map { index, start in
        let end = index + 1 < corners.count ? corners[index + 1] : corners[0] + loop.count
        return side(along: (start..<end).map { loop[$0 % loop.count] })
      }
    }
    shells[Int(facets.surfaces[region.faces[0]])].faces.append(faces.count)
    faces.append(
      Face(plane: region.plane, style: facets.styles[region.faces[0]], loops: loops))
  }

  /// The edge along halfedges, made where it is first met.
  private mutating func side(along run: [Int]) -> Side {
    var lowest = Int.max
    for corner in run {
      let partner = Int(facets.partners[corner])
      lowest = min(lowest, partner < 0 ? corner : min(corner, partner))
    }
    let start = facets.indices[run[0]]
    if edgesByCorner[lowest] >= 0 {
      let edge = Int(edgesByCorner[lowest])
      return Side(edge: edge, isForward: edges[edge].from == start)
    }
    edgesByCorner[lowest] = Int32(edges.count)
    edges.append((start, facets.indices[nextCorner(run[run.count - 1])]))
    return Side(edge: edges.count - 1, isForward: true)
  }

  /// The vertex at which a side begins.
  func start(_ side: Side) -> Int {
    Int(side.isForward ? edges[side.edge].from : edges[side.edge].to)
  }

  // MARK: Planes

  /// Moves vertices to where the planes of their faces meet, so that faces are flat not only within the tolerance.
  ///
  /// Of more than three planes those of the larger faces count. Triangles have no say, since they follow their corners.
  private mutating func moveCornersOntoPlanes(of regions: [FlatRegions.Region]) {
    // The directions in which a vertex may not move any more without leaving a plane.
    var fixed = [(SIMD3<Double>, SIMD3<Double>)](
      repeating: (.zero, .zero), count: positions.count)
    var counts = [UInt8](repeating: 0, count: positions.count)
    for (face, region) in regions.enumerated() where region.faces.count > 1 {
      let plane = region.plane
      for side in faces[face].loops.joined() {
        let vertex = start(side)
        var axis = plane.normal
        axis -= fixed[vertex].0 * fixed[vertex].0.dot(axis)
        axis -= fixed[vertex].1 * fixed[vertex].1.dot(axis)
        guard counts[vertex] < 3, axis.length > Self.leastSine else { continue }
        axis = axis.normalized
        positions[vertex] -= axis * (plane.distance(to: positions[vertex]) / axis.dot(plane.normal))
        if counts[vertex] == 0 { fixed[vertex].0 = axis } else { fixed[vertex].1 = axis }
        counts[vertex] += 1
      }
    }
    let reach = Self.farthestMove * tolerance
    for (vertex, original) in facets.positions.enumerated()
    where (positions[vertex] - original).length > reach {
      positions[vertex] = original
    }
  }

  private mutating func fitPlane(ofFace face: Int) {
    let corners = faces[face].loops[0].map { positions[start($0)] }
    let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalized
    if normal != .zero { faces[face].plane = FacePlane(normal: normal, center: corners[0]) }
  }

  // MARK: Shells

  private mutating func measureShells() {
    for (corner, partner) in facets.partners.enumerated() where partner < 0 {
      shells[Int(facets.surfaces[corner / 3])].isClosed = false
    }
    for index in shells.indices {
      // A face without an area can't be written, and leaves a gap.
      let flat = shells[index].faces.filter { faces[$0].plane.normal != .zero }
      if flat.count < shells[index].faces.count { shells[index].isClosed = false }
      shells[index].faces = flat
    }
    // Relative to a vertex, so that a small surface far from the origin keeps its digits.
    var origins = [SIMD3<Double>?](repeating: nil, count: shells.count)
    for face in 0..<facets.faceCount {
      let shell = Int(facets.surfaces[face])
      let origin = origins[shell] ?? facets.start(3 * face)
      origins[shell] = origin
      shells[shell].volume += (facets.start(3 * face) - origin).dot(facets.areaVector(face)) / 6
    }
  }
}
