package import MeshpipeScene
import SurfaceKernels

/// A surface tessellated so finely that colours, gains and blend weights may vary per vertex, and linearly over
/// each triangle.
///
/// Its *triangles* are the parts of the *faces* of the surface that was handed in; each belongs to one face.
/// A decimated wall is two faces, but the best image of its left half is not that of its right
/// half. Edges longer than a limit are halved repeatedly; the decision depends on the edge alone,
/// so that the triangles of neighbouring faces meet without T-junctions.
package struct BakeMesh: Sendable {
  /// The vertices of the surface, followed by those inserted between them.
  private(set) var positions: [Vector3]
  /// Unit normals of the vertices.
  private(set) var normals: [Vector3]
  /// Three vertices per triangle.
  private(set) var indices: [UInt32]
  /// The face of the surface that each triangle belongs to; ascending.
  private(set) var surfaceFaces: [UInt32]
  /// The barycentric coordinates of each corner of a triangle in its face: the weights of the face's first two
  /// corners, times two to the power of ``depth``.
  private(set) var barycentrics: [SIMD2<UInt16>]
  /// The number of times that edges were halved.
  private(set) var depth = 0

  /// The number of vertices that are points of clouds; they come last.
  private(set) var pointCount = 0

  var vertexCount: Int { positions.count }
  var triangleCount: Int { surfaceFaces.count }

  /// The most times an edge is halved: corners stay exact in fixed point.
  static let maximumDepth = 8

  /// - Parameters:
  ///   - edgeLimit: The longest edge that is not halved.
  ///   - maximumCells: Subdivision stops above this number.
  package init(_ surface: ObservedSurface, edgeLimit: Float, maximumTriangles: Int = 4_000_000) {
    (positions, normals, indices) = Self.splitAtCreases(surface)
    surfaceFaces = (0..<surface.faceCount).map { UInt32(truncatingIfNeeded: $0) }
    barycentrics = surfaceFaces.flatMap { _ in [SIMD2<UInt16>(1, 0), SIMD2(0, 1), SIMD2(0, 0)] }
    while depth < Self.maximumDepth, triangleCount < maximumTriangles {
      guard halveEdges(longerThan: edgeLimit) else { break }
    }
  }

  /// The vertices of a surface, and after them points, with normals where they have some.
  package init(_ surface: ObservedSurface, points clouds: [PointCloud]) {
    positions = surface.positions + clouds.flatMap(\.positions)
    pointCount = positions.count - surface.positions.count
    normals =
      surface.normals
      + clouds.flatMap { $0.normals ?? Array(repeating: .zero, count: $0.positions.count) }
    indices = surface.indices
    surfaceFaces = (0..<surface.faceCount).map { UInt32(truncatingIfNeeded: $0) }
    barycentrics = surfaceFaces.flatMap { _ in [SIMD2<UInt16>(1, 0), SIMD2(0, 1), SIMD2(0, 0)] }
  }

  /// The least cosine, of 37°, between a face and the mean of the others around a vertex on the same side of a crease:
  /// the sides of a right angle deviate from their mean by 45°, noise of scanned surfaces usually by less than 30°.
  private static let leastCreaseCosine: Float = 0.8

  /// Gives each vertex of a crease one copy per side: its two sides are seen by different frames.
  private static func splitAtCreases(
    _ surface: ObservedSurface
  ) -> (positions: [Vector3], normals: [Vector3], indices: [UInt32]) {
    var (positions, normals, indices) = (surface.positions, surface.normals, surface.indices)
    let around = VertexCorners(indices: indices, vertexCount: positions.count)
    var sides: [(sum: SIMD3<Float>, corners: [Int])] = []
    for vertex in 0..<surface.positions.count {
      let corners = around[vertex].map { Int($0) }
      let areas = corners.map { surface.creaseVector(ofFace: $0 / 3) }
      let mean = normals[vertex].simd
      guard areas.contains(where: { $0.normalized.dot(mean) < leastCreaseCosine && $0 != .zero })
      else {
        continue
      }
      sides.removeAll(keepingCapacity: true)
      for (corner, area) in zip(corners, areas).sorted(by: { $0.1.length > $1.1.length }) {
        let direction = area.normalized
        if let side = sides.indices.first(where: {
          area == .zero || sides[$0].sum.normalized.dot(direction) >= leastCreaseCosine
        }) {
          sides[side].sum += area
          sides[side].corners.append(corner)
        } else {
          sides.append((area, [corner]))
        }
      }
      for (number, side) in sides.enumerated() {
        guard number > 0 else {
          normals[vertex] = Vector3(side.sum.normalized)
          continue
        }
        for corner in side.corners { indices[corner] = UInt32(positions.count) }
        positions.append(surface.positions[vertex])
        normals.append(Vector3(side.sum.normalized))
      }
    }
    return (positions, normals, indices)
  }

  /// Halves all edges longer than `limit` once; false if there are none.
  private mutating func halveEdges(longerThan limit: Float) -> Bool {
    var middles: [UInt64: UInt32] = [:]
    for triangle in 0..<triangleCount {
      for side in 0..<3 {
        let (a, b) = (indices[3 * triangle + side], indices[3 * triangle + (side + 1) % 3])
        let length = (positions[Int(a)].simd - positions[Int(b)].simd).length
        guard a != b, length > limit, length.isFinite else { continue }
        let key = Self.key(a, b)
        if middles[key] == nil {
          middles[key] = UInt32(positions.count)
          addMiddle(Int(min(a, b)), Int(max(a, b)))
        }
      }
    }
    guard !middles.isEmpty else { return false }
    depth += 1
    divide(middles)
    return true
  }

  private static func key(_ a: UInt32, _ b: UInt32) -> UInt64 {
    UInt64(min(a, b)) << 32 | UInt64(max(a, b))
  }

  private mutating func addMiddle(_ a: Int, _ b: Int) {
    positions.append(Vector3((positions[a].simd + positions[b].simd) / 2))
    normals.append(Vector3((normals[a].simd + normals[b].simd).normalized))
  }

  /// Replaces each triangle by one to four, depending on how many of its edges have a midpoint.
  private mutating func divide(_ middles: [UInt64: UInt32]) {
    var newIndices: [UInt32] = []
    var newFaces: [UInt32] = []
    var newBarycentrics: [SIMD2<UInt16>] = []
    newIndices.reserveCapacity(2 * indices.count)
    for triangle in 0..<triangleCount {
      var vertices = (0..<3).map { indices[3 * triangle + $0] }
      var places = (0..<3).map { barycentrics[3 * triangle + $0] &* 2 }
      var middle = (0..<3).map { middles[Self.key(vertices[$0], vertices[($0 + 1) % 3])] }
      // Rotated so that the pattern begins at the first edge with a midpoint after one without.
      if let turn = (0..<3).first(where: { middle[$0] != nil && middle[($0 + 2) % 3] == nil }) {
        vertices = (0..<3).map { vertices[($0 + turn) % 3] }
        places = (0..<3).map { places[($0 + turn) % 3] }
        middle = (0..<3).map { middle[($0 + turn) % 3] }
      }
      for side in 0..<3 {
        vertices.append(middle[side] ?? 0)
        places.append((places[side] &+ places[(side + 1) % 3]) / 2)
      }
      let pattern: [Int] =
        switch middle.count(where: { $0 != nil }) {
        case 0: [0, 1, 2]
        case 1: [0, 3, 2, 3, 1, 2]
        case 2: [3, 1, 4, 0, 3, 2, 3, 4, 2]
        default: [0, 3, 5, 3, 1, 4, 5, 4, 2, 3, 4, 5]
        }
      for corner in pattern {
        newIndices.append(vertices[corner])
        newBarycentrics.append(places[corner])
      }
      for _ in 0..<pattern.count / 3 { newFaces.append(surfaceFaces[triangle]) }
    }
    (indices, surfaceFaces, barycentrics) = (newIndices, newFaces, newBarycentrics)
  }

  @inline(__always)
  func vertices(ofTriangle triangle: Int) -> (Int, Int, Int) {
    (Int(indices[3 * triangle]), Int(indices[3 * triangle + 1]), Int(indices[3 * triangle + 2]))
  }

  /// The neighbours of each vertex along edges, and its copies on the other sides of a crease, in
  /// compressed sparse rows, ascending, without duplicates.
  func neighbors() -> (offsets: [UInt32], vertices: [UInt32]) {
    let around = VertexCorners(indices: indices, vertexCount: vertexCount)
    let (firstPoints, places) = PositionWelder.weld(positions)
    var nextCopy = [UInt32](repeating: .max, count: vertexCount)
    if firstPoints.count < vertexCount {
      var last = firstPoints
      for vertex in 0..<vertexCount where firstPoints[Int(places[vertex])] != vertex {
        nextCopy[Int(last[Int(places[vertex])])] = UInt32(truncatingIfNeeded: vertex)
        last[Int(places[vertex])] = UInt32(truncatingIfNeeded: vertex)
      }
    }
    var offsets: [UInt32] = [0]
    offsets.reserveCapacity(vertexCount + 1)
    var vertices: [UInt32] = []
    vertices.reserveCapacity(indices.count + indices.count / 8)
    var ring: [UInt32] = []
    for vertex in 0..<vertexCount {
      ring.removeAll(keepingCapacity: true)
      for corner in around[vertex] {
        let first = 3 * (Int(corner) / 3)
        for other in first..<first + 3 where Int(indices[other]) != vertex {
          ring.append(indices[other])
        }
      }
      var copy = firstPoints[Int(places[vertex])]
      while copy != .max {
        if Int(copy) != vertex { ring.append(copy) }
        copy = nextCopy[Int(copy)]
      }
      ring.sort()
      var last = UInt32.max
      for other in ring where other != last {
        vertices.append(other)
        last = other
      }
      offsets.append(UInt32(truncatingIfNeeded: vertices.count))
    }
    return (offsets, vertices)
  }
}

extension ObservedSurface {
  /// Normal to a face, as long as twice its area; zero if it has none.
  fileprivate func creaseVector(ofFace face: Int) -> SIMD3<Float> {
    let (a, b, c) = vertices(ofFace: face)
    let origin = positions[a].simd
    let vector = (positions[b].simd - origin).cross(positions[c].simd - origin)
    return vector.length.isFinite ? vector : .zero
  }
}
