import MeshPipeline

/// Faces that lie in one plane and are connected, each with one outline and any number of holes.
///
/// Regions grow from the largest faces. A face belongs to one if all its vertices are within the tolerance of the plane
/// through the region's faces, and if it looks the same way; one that is narrower than the tolerance goes with the face
/// at its longest edge, since its own direction says nothing.
struct FlatRegions {
  struct Region {
    /// Connected, the first of them the largest.
    var faces: [Int]
    var plane: FacePlane
    /// The corners of the halfedges around it, the outline first and then the holes; no vertex is twice in one of them.
    var loops: [[Int]]
  }

  private(set) var regions: [Region] = []

  /// The least cosine between the normals of a region and of its faces.
  private static let leastCosine = 0.5
  /// Faces after which a region's plane is fitted for the first time.
  private static let firstFit = 4

  private let facets: Facets
  private let tolerance: Double
  private let areaVectors: [SIMD3<Double>]
  /// The corner at which the longest edge of a narrow face begins; -1 of others.
  private let longestEdges: [Int32]
  private var isTaken: [Bool]
  /// The last attempt at a region in which a face, a corner and a vertex were seen.
  private var attempt: Int32 = 0
  private var attempts: [Int32]
  private var cornerAttempts: [Int32]
  /// 0 for the vertices of the current loop, otherwise -1.
  private var places: [Int32]

  /// - Parameters:
  ///   - tolerance: The greatest distance of a vertex from the plane of its region.
  ///   - check: Called now and then; may throw to cancel.
  /// - Complexity: O(faces) for surfaces that are not folded within the tolerance.
  init(_ facets: Facets, tolerance: Double, check: () throws -> Void) rethrows {
    (self.facets, self.tolerance) = (facets, tolerance)
    let vectors = (0..<facets.faceCount).map(facets.areaVector)
    areaVectors = vectors
    longestEdges = (0..<facets.faceCount).map { face in
      let lengths = (0..<3).map { corner in
        let next = 3 * face + (corner + 1) % 3
        return (facets.start(next) - facets.start(3 * face + corner)).lengthSquared
      }
      let longest = lengths.max() ?? 0
      guard vectors[face].length <= tolerance * longest.squareRoot() else { return -1 }
      return Int32(3 * face + (lengths.firstIndex(of: longest) ?? 0))
    }
    isTaken = [Bool](repeating: false, count: facets.faceCount)
    attempts = [Int32](repeating: 0, count: facets.faceCount)
    cornerAttempts = [Int32](repeating: 0, count: facets.indices.count)
    places = [Int32](repeating: -1, count: facets.positions.count)
    let areas = vectors.map(\.length)
    var rest = areas.indices.filter { longestEdges[$0] < 0 }
      .sorted { (areas[$1], $0) < (areas[$0], $1) }
    while !rest.isEmpty {
      for (place, seed) in rest.enumerated() where !isTaken[seed] {
        if place.isMultiple(of: 1 << 12) { try check() }
        settle(grown(from: seed))
      }
      rest.removeAll { isTaken[$0] }
    }
    for face in areas.indices where !isTaken[face] { settle([face]) }
  }

  // MARK: Growing

  /// Connected faces near the plane of a face, in the order in which they were found.
  private mutating func grown(from seed: Int) -> [Int] {
    attempt += 1
    attempts[seed] = attempt
    var plane = FacePlane(through: [seed], of: facets)
    var faces = [seed]
    var (next, nextFit) = (0, Self.firstFit)
    while next < faces.count {
      let face = faces[next]
      next += 1
      if next == nextFit {
        plane = FacePlane(through: faces[..<next], of: facets)
        nextFit *= 2
      }
      for corner in 3 * face..<3 * face + 3 {
        let partner = Int(facets.partners[corner])
        guard partner >= 0 else { continue }
        let other = partner / 3
        guard !isTaken[other], attempts[other] != attempt,
          facets.styles[other] == facets.styles[seed], isNear(other, plane),
          longestEdges[other] < 0
            ? areaVectors[other].normalized.dot(plane.normal) > Self.leastCosine
            : longestEdges[other] == partner
        else { continue }
        attempts[other] = attempt
        faces.append(other)
      }
    }
    return faces
  }

  private func isNear(_ face: Int, _ plane: FacePlane) -> Bool {
    (3 * face..<3 * face + 3).allSatisfy { abs(plane.distance(to: facets.start($0))) <= tolerance }
  }

  // MARK: Settling

  /// Makes a region of faces, or of as many of them as lie in one plane with one outline.
  ///
  /// - Parameter grown: Connected, in an order of which any first part is connected, too.
  private mutating func settle(_ grown: [Int]) {
    var faces = grown
    while true {
      let plane = FacePlane(through: faces[...], of: facets)
      let near = faces.count == 1 ? faces : connected(faces.filter { isNear($0, plane) })
      guard near.first == faces[0] else {
        faces = [faces[0]]
        continue
      }
      guard near.count == faces.count else {
        faces = near
        continue
      }
      guard let loops = loops(around: faces, plane) else {
        faces.removeLast(faces.count / 2)
        continue
      }
      for face in faces { isTaken[face] = true }
      regions.append(Region(faces: faces, plane: plane, loops: loops))
      return
    }
  }

  /// Those of some faces that are connected with the first, in an order of which any first part is connected.
  private mutating func connected(_ faces: [Int]) -> [Int] {
    guard let first = faces.first else { return [] }
    mark(faces)
    let inside = attempt
    attempt += 1
    attempts[first] = attempt
    var result = [first]
    var next = 0
    while next < result.count {
      for corner in 3 * result[next]..<3 * result[next] + 3 where facets.partners[corner] >= 0 {
        let other = Int(facets.partners[corner]) / 3
        guard attempts[other] == inside else { continue }
        attempts[other] = attempt
        result.append(other)
      }
      next += 1
    }
    return result
  }

  private mutating func mark(_ faces: [Int]) {
    attempt += 1
    for face in faces { attempts[face] = attempt }
  }

  // MARK: Loops

  /// The outline of faces and their holes; nil if they have no single outline.
  private mutating func loops(around faces: [Int], _ plane: FacePlane) -> [[Int]]? {
    if faces.count == 1 { return [Array(3 * faces[0]..<3 * faces[0] + 3)] }
    mark(faces)
    var outlines: [[Int]] = []
    var holes: [[Int]] = []
    for face in faces {
      for corner in 3 * face..<3 * face + 3
      where isBorder(corner) && cornerAttempts[corner] != attempt {
        let loop = border(from: corner)
        guard loop.count > 2, isSimple(loop) else { return nil }
        let area = area(of: loop, plane.normal)
        guard area != 0 else { return nil }
        if area > 0 { outlines.append(loop) } else { holes.append(loop) }
      }
    }
    return outlines.count == 1 ? outlines + holes : nil
  }

  /// Whether the face across the halfedge of a corner is not of the current attempt.
  private func isBorder(_ corner: Int) -> Bool {
    let partner = Int(facets.partners[corner])
    return partner < 0 || attempts[partner / 3] != attempt
  }

  /// The border that goes on from a corner until it is there again, always around the faces on its left.
  private mutating func border(from first: Int) -> [Int] {
    var loop: [Int] = []
    var corner = first
    repeat {
      loop.append(corner)
      cornerAttempts[corner] = attempt
      corner = nextCorner(corner)
      while !isBorder(corner) { corner = nextCorner(Int(facets.partners[corner])) }
    } while corner != first
    return loop
  }

  /// Whether a border is at no vertex twice, as where a hole touches the outline: CAD wants such faces apart.
  private mutating func isSimple(_ loop: [Int]) -> Bool {
    var isSimple = true
    for corner in loop {
      let vertex = Int(facets.indices[corner])
      if places[vertex] >= 0 { isSimple = false }
      places[vertex] = 0
    }
    for corner in loop { places[Int(facets.indices[corner])] = -1 }
    return isSimple
  }

  /// Twice the area within a loop, negative around a hole.
  private func area(of loop: [Int], _ normal: SIMD3<Double>) -> Double {
    let origin = facets.start(loop[0])
    var sum = SIMD3<Double>.zero
    var last = SIMD3<Double>.zero
    for corner in loop.dropFirst() {
      let offset = facets.start(corner) - origin
      sum += last.cross(offset)
      last = offset
    }
    return sum.dot(normal)
  }
}

extension Facets {
  /// The faces of a region as regions of their own.
  func triangles(of region: FlatRegions.Region) -> [FlatRegions.Region] {
    region.faces.map { face in
      FlatRegions.Region(
        faces: [face], plane: FacePlane(through: [face], of: self),
        loops: [Array(3 * face..<3 * face + 3)])
    }
  }
}
