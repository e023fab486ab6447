package import MeshpipeScene

/// The plane parts of a mesh, found by growing regions of faces.
///
/// A region starts at a face whose surroundings are flattest and takes neighbours that look the same way and lie within
/// a tolerance of its plane, which is fitted again each time the region has doubled (Rabbani, van den Heuvel and
/// Vosselman, "Segmentation of point clouds using smoothness constraint", 2006; on faces as CGAL's region growing does).
/// What turns steadily is round and makes no region, whatever the tolerance.
package struct PlaneRegions: Sendable {
  package struct Region: Sendable {
    package fileprivate(set) var plane: Plane
    package fileprivate(set) var center: SIMD3<Double>
    package fileprivate(set) var area: Double
    /// The root mean square of the distances from the center.
    fileprivate(set) var extent: Double
  }

  package private(set) var regions: [Region] = []
  /// The region of each face; -1 of faces that are not on a plane.
  package private(set) var labels: [Int32]

  /// The cosine of the angle by which normals within a plane differ, of usually 25°, and of its dents, 60°.
  package static let usualCosine: Float = 0.906
  private static let looseCosine: Float = 0.5
  /// The greatest steady turn of a region's normals, in radians: 3°, and 1° where the surface goes on smoothly beside it,
  /// as that of a round wall does.
  private static let (greatestTurn, greatestTurnOfFacet) = (0.05, 0.015)
  /// The part of a region's border across which the surface goes on smoothly that makes it a facet.
  private static let facetBorder = 0.3
  /// Round parts are looked at again from seeds beside them, so that no narrow rest of them looks plane; this often.
  private static let mostVisits: UInt8 = 4
  /// Faces after which a plane is fitted for the first time.
  private static let firstFit = 12

  /// The number of regions with each face that were rejected as not plane.
  private var visits: [UInt8]

  private let mesh: Mesh
  /// The smoothed normals of all faces, and their areas in squares of the mesh's extent; 0 of degenerate ones.
  let normals: [SIMD4<Float>]
  /// The face across the halfedge of each corner; -1 where there is none, or more than one.
  private let across: [Int32]
  private let tolerance: Double
  private let cosine: Float
  private let middle: SIMD3<Double>

  /// Finds the planes of a mesh whose noise is not known yet.
  ///
  /// - Returns: Nil if the mesh has no extent.
  package init?(
    _ mesh: Mesh, tolerance: Double, leastArea: Double,
    cosine: Float = PlaneRegions.usualCosine, progress: (Double) throws -> Void
  ) rethrows {
    guard let surface = SmoothingSurface(mesh, holdsBorders: false) else { return nil }
    let noise = NoiseEstimate.standardDeviation(of: surface) ?? 0
    try self.init(
      mesh, on: surface, noise: noise, tolerance: tolerance, leastArea: leastArea,
      cosine: cosine, progress: progress)
  }

  /// Finds the planes.
  ///
  /// - Parameters:
  ///   - surface: That of the mesh, with open borders; released as soon as normals are smooth.
  ///   - noise: Its standard deviation, in extents of the surface.
  ///   - tolerance: The greatest distance of a vertex from its plane, in the mesh's units.
  ///   - leastArea: The least area of a region, in the mesh's square units.
  ///   - cosine: The least cosine between the normals of a region and its faces.
  ///   - progress: Called with the share done; an error ends the search.
  /// - Complexity: O(faces)
  init(
    _ mesh: Mesh, on surface: consuming SmoothingSurface, noise: Double, tolerance: Double,
    leastArea: Double, cosine: Float, progress: (Double) throws -> Void
  ) rethrows {
    self.mesh = mesh
    self.tolerance = tolerance
    self.cosine = cosine
    middle = SIMD3<Double>(mesh.bounds.center)
    let edge = surface.meanEdgeLength()
    var filter = NormalFilter(of: copy surface, surface.original)
    try filter.denoise(surface, slope: edge > 0 ? noise / edge : 0) { try progress(0.5 * $0) }
    normals = filter.normals
    let scale = surface.scale * surface.scale
    _ = consume surface
    across = Self.facesAcross(mesh)
    labels = [Int32](repeating: -1, count: mesh.faceCount)
    visits = [UInt8](repeating: 0, count: mesh.faceCount)
    let seeds = seedsByFlatness()
    for (place, seed) in seeds.lazy.map(Int.init).enumerated()
    where labels[seed] < 0 && visits[seed] == 0 {
      if place.isMultiple(of: 1 << 14) {
        try progress(0.5 + 0.4 * Double(place) / Double(seeds.count))
      }
      grow(from: seed, areaScale: scale, leastArea: leastArea)
    }
    takeDents()
    for index in regions.indices {
      // In the mesh's own coordinates.
      regions[index].center += middle
      regions[index].plane = Plane(
        normal: regions[index].plane.normal, through: regions[index].center)
    }
  }
}

extension PlaneRegions {
  private static func facesAcross(_ mesh: Mesh) -> [Int32] {
    let edges = Edges(mesh)
    var across = [Int32](repeating: -1, count: 3 * mesh.faceCount)
    for edge in edges where edge.valence == 2 {
      let (one, other) = (
        Int(edges.halfedges[edge.places.lowerBound]),
        Int(edges.halfedges[edge.places.lowerBound + 1])
      )
      across[one] = Int32(other / 3)
      across[other] = Int32(one / 3)
    }
    return across
  }

  /// Faces with an area, flattest surroundings first.
  private func seedsByFlatness() -> [UInt32] {
    let bends: [Float] = Parallel.array(count: mesh.faceCount) { face in
      guard normals[face].w > 0 else { return 2 }
      var least: Float = 1
      for corner in 3 * face..<3 * face + 3 where across[corner] >= 0 {
        least = min(least, Self.cosine(normals[face], normals[Int(across[corner])]))
      }
      return 1 - least
    }
    // A few classes are enough, and keep the order of faces within.
    var classes = [[UInt32]](repeating: [], count: 32)
    for face in bends.indices where bends[face] < 2 {
      classes[min(Int(bends[face] * 320), classes.count - 1)].append(UInt32(face))
    }
    return classes.flatMap(\.self)
  }

  private static func cosine(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> Float {
    a.x * b.x + a.y * b.y + a.z * b.z
  }

  private func middle(of face: Int) -> SIMD3<Double> {
    let (a, b, c) = mesh.vertices(ofFace: face)
    return (position(a) + position(b) + position(c)) / 3
  }

  /// Relative to the middle of the mesh, so that sums of squares keep their digits.
  private func position(_ vertex: UInt32) -> SIMD3<Double> {
    mesh.positions[Int(vertex)].double - middle
  }

  private func isNear(_ face: Int, _ plane: Plane) -> Bool {
    let (a, b, c) = mesh.vertices(ofFace: face)
    return abs(plane.distance(to: position(a))) <= tolerance
      && abs(plane.distance(to: position(b))) <= tolerance
      && abs(plane.distance(to: position(c))) <= tolerance
  }

  private func normal(of face: Int) -> SIMD3<Double> {
    SIMD3(Double(normals[face].x), Double(normals[face].y), Double(normals[face].z))
  }

  private mutating func grow(from seed: Int, areaScale: Double, leastArea: Double) {
    let label = Int32(regions.count)
    var plane = Plane(normal: normal(of: seed), through: middle(of: seed))
    var fit = PlaneFit()
    var faces = [seed]
    labels[seed] = label
    var next = 0
    var nextFit = Self.firstFit
    while next < faces.count {
      let face = faces[next]
      next += 1
      fit.add(
        middle: middle(of: face), normal: normal(of: face),
        area: Double(normals[face].w) * areaScale)
      if next == nextFit {
        plane = Plane(normal: fit.normal, through: fit.center)
        nextFit *= 2
      }
      for corner in 3 * face..<3 * face + 3 where across[corner] >= 0 {
        let other = Int(across[corner])
        guard labels[other] < 0, visits[other] < Self.mostVisits, normals[other].w > 0,
          normal(of: other).dot(plane.normal) >= Double(cosine), isNear(other, plane)
        else { continue }
        labels[other] = label
        faces.append(other)
      }
    }
    keep(faces, first: fit, label: label, areaScale: areaScale, leastArea: leastArea)
  }

  /// Makes a region of faces, if they are plane and large enough.
  private mutating func keep(
    _ faces: [Int], first: PlaneFit, label: Int32, areaScale: Double, leastArea: Double
  ) {
    var fit = PlaneFit()
    var plane = Plane(normal: first.normal, through: first.center)
    for _ in 0..<2 {
      fit = PlaneFit()
      for face in faces where isNear(face, plane) {
        fit.add(
          middle: middle(of: face), normal: normal(of: face),
          area: Double(normals[face].w) * areaScale)
      }
      guard fit.area > 0 else { break }
      plane = Plane(normal: fit.normal, through: fit.center)
    }
    let own = faces.filter { isNear($0, plane) }
    guard fit.area >= leastArea,
      !isRound(own, label: label, plane: plane, center: fit.center, areaScale: areaScale)
    else {
      for face in faces {
        labels[face] = -1
        visits[face] += 1
      }
      return
    }
    for face in faces where !isNear(face, plane) { labels[face] = -1 }
    regions.append(
      Region(plane: plane, center: fit.center, area: fit.area, extent: fit.extent)
    )
  }

  /// Whether the normals of a region turn steadily, as part of something round.
  private func isRound(
    _ faces: [Int], label: Int32, plane: Plane, center: SIMD3<Double>, areaScale: Double
  ) -> Bool {
    var turn = NormalTurn(plane)
    var (smooth, border) = (0.0, 0.0)
    for face in faces {
      turn.add(
        offset: middle(of: face) - center, normal: normal(of: face),
        area: Double(normals[face].w) * areaScale)
      for corner in 3 * face..<3 * face + 3 {
        let other = Int(across[corner])
        if other >= 0, labels[other] == label { continue }
        border += 1
        if other >= 0, normal(of: other).dot(plane.normal) >= Double(cosine) { smooth += 1 }
      }
    }
    let isFacet = smooth > Self.facetBorder * border
    return turn.angle > (isFacet ? Self.greatestTurnOfFacet : Self.greatestTurn)
  }

  /// Gives faces that are within the tolerance of a plane beside them to it: dents, bumps and rounded edges.
  private mutating func takeDents() {
    var front: [UInt32] = []
    for face in labels.indices where labels[face] >= 0 { front.append(UInt32(face)) }
    while !front.isEmpty {
      var next: [UInt32] = []
      for face in front.lazy.map(Int.init) {
        for corner in 3 * face..<3 * face + 3 where across[corner] >= 0 {
          let other = Int(across[corner])
          let plane = regions[Int(labels[face])].plane
          guard labels[other] < 0, isNear(other, plane),
            normals[other].w == 0
              || normal(of: other).dot(plane.normal) >= Double(Self.looseCosine)
          else { continue }
          labels[other] = labels[face]
          next.append(UInt32(other))
        }
      }
      front = next
    }
  }
}
