package import MeshpipeScene

/// The faces of a mesh that intersect or touch other faces than at common vertices and edges.
///
/// Coordinates are rounded to 2^-28 of the extent, a sixteenth of what single precision resolves there;
/// on these the answers are exact. Vertices at one place count as common ones.
package struct SelfIntersections: Sendable {
  /// The faces that intersect another one, ascending.
  package let faces: [Int]

  /// Finds the faces.
  ///
  /// Faces without area, and those with a coordinate that is not finite, intersect nothing.
  /// - Parameter isAsked: Whether to look at each face; by default at all.
  /// - Complexity: O(faces · log faces) for surfaces; a face is compared with at most some hundred
  ///   thousand others.
  package init(of mesh: Mesh, among isAsked: [Bool]? = nil) {
    let search = IntersectionSearch(mesh, in: mesh.bounds)
    faces = search?.faces { isAsked?[$0] ?? true } ?? []
  }

  /// Finds the faces of patches that intersect other patches or a surface.
  ///
  /// Of the surface, only what intersects a patch takes memory.
  /// - Parameter patches: Vertices that they have in common with the surface must be at the same places.
  package init(of patches: Mesh, on surface: Mesh) {
    var bounds = surface.bounds
    bounds.add(patches.bounds)
    var search = IntersectionSearch(patches, in: bounds)
    let others = search?.facesThatMayIntersect(of: surface) ?? []
    if !others.isEmpty {
      var mesh = patches
      for corner in others.lazy.flatMap({ 3 * $0..<3 * $0 + 3 }) {
        mesh.indices.append(UInt32(truncatingIfNeeded: mesh.vertexCount))
        mesh.positions.append(surface.positions[Int(surface.indices[corner])])
      }
      search = IntersectionSearch(mesh, in: bounds)
    }
    faces = search?.faces { $0 < patches.faceCount } ?? []
  }
}

/// Faces in spatial order, under a hierarchy of boxes that halves them.
private struct IntersectionSearch: Sendable {
  /// The faces with an area.
  private let order: [UInt32]
  private let grid: Grid
  private let indices: [UInt32]
  private let points: [SIMD3<Int32>]
  /// The boxes of pairs of faces, of pairs of these, and so on up to one of all.
  private let levels: [[GridBox]]

  /// More comparisons for a face are a pile rather than a surface.
  private static let mostTests = 200_000

  init?(_ mesh: Mesh, in bounds: Box) {
    guard let grid = Grid(bounds) else { return nil }
    let (positions, indices) = (mesh.positions, mesh.indices)
    let points = Parallel.array(count: positions.count) { grid.point(at: positions[$0]) }
    self.grid = grid
    self.points = points
    self.indices = indices
    @Sendable func triangle(_ face: Int) -> GridTriangle {
      GridTriangle(
        a: points[Int(indices[3 * face])], b: points[Int(indices[3 * face + 1])],
        c: points[Int(indices[3 * face + 2])])
    }
    let middles = Parallel.array(count: mesh.faceCount) { face in
      let corners = triangle(face)
      return Vector3(
        (SIMD3<Float>(corners.a) + SIMD3<Float>(corners.b) + SIMD3<Float>(corners.c)) / 3)
    }
    order = SpatialOrder(of: middles).indices.filter { face in
      mesh.isFinite(Int(face)) && !triangle(Int(face)).isDegenerate
    }
    guard !order.isEmpty else { return nil }
    var boxes = order.map { GridBox(triangle(Int($0))) }
    var levels = [boxes]
    while boxes.count > 1 {
      boxes = stride(from: 0, to: boxes.count, by: 2).map { place in
        place + 1 < boxes.count ? boxes[place].joined(boxes[place + 1]) : boxes[place]
      }
      levels.append(boxes)
    }
    self.levels = levels
  }

  private func triangle(_ place: Int) -> GridTriangle {
    let corner = 3 * Int(order[place])
    return GridTriangle(
      a: points[Int(indices[corner])], b: points[Int(indices[corner + 1])],
      c: points[Int(indices[corner + 2])])
  }

  // MARK: Other meshes

  /// The faces of another mesh that are looked at together: neighbours in most files are near to each other.
  private static let groupOfOther = 8
  /// If more nodes are near to a group than this, its faces are not near to each other.
  private static let mostNodesOfGroup = 32
  /// After so many comparisons, a face may intersect one of a pile.
  private static let mostTestsOfOther = 64

  /// The faces of another mesh in the same bounds that may intersect one of this: more than do only at piles.
  func facesThatMayIntersect(of other: Mesh) -> [Int] {
    Parallel.mapChunks(of: other.faceCount) { faces in
      var found: [Int] = []
      for first in stride(from: faces.lowerBound, to: faces.upperBound, by: Self.groupOfOther) {
        let group = first..<min(first + Self.groupOfOther, faces.upperBound)
        let near = nodes(near: box(of: group, of: other), atMost: Self.mostNodesOfGroup)
        if let near, near.isEmpty { continue }
        for face in group where other.isFinite(face) {
          let (a, b, c) = other.vertices(ofFace: face)
          let triangle = GridTriangle(
            a: grid.point(at: other.positions[Int(a)]), b: grid.point(at: other.positions[Int(b)]),
            c: grid.point(at: other.positions[Int(c)]))
          let box = GridBox(triangle)
          if mayIntersect(triangle, box, among: near ?? nodes(near: box)) { found.append(face) }
        }
      }
      return found
    }.flatMap(\.self)
  }

  /// The box of some faces of another mesh, in which the box of each is, since rounding keeps the order.
  private func box(of faces: Range<Int>, of other: Mesh) -> GridBox {
    let corners = other.indices[3 * faces.lowerBound..<3 * faces.upperBound]
    let box = Box(corners.lazy.map { other.positions[Int($0)] })
    return GridBox(
      low: grid.point(at: Vector3(box.minimum)), high: grid.point(at: Vector3(box.maximum)))
  }

  /// Whether a triangle of another mesh may intersect a face in one of some nodes.
  private func mayIntersect(_ other: GridTriangle, _ box: GridBox, among near: [Int]) -> Bool {
    var tests = 0
    for node in near where levels[nearLevel][node].overlaps(box) {
      for place in faces(ofNear: node) where levels[0][place].overlaps(box) {
        tests += 1
        if tests > Self.mostTestsOfOther { return true }
        if !other.isDegenerate, triangle(place).intersects(other) { return true }
      }
    }
    return false
  }

  // MARK: Groups

  /// Faces of a node of this level are looked at together: what is near to one of them is near to all.
  private var groupLevel: Int { min(4, levels.count - 1) }
  /// Near nodes are of this level.
  private var nearLevel: Int { min(2, levels.count - 1) }

  /// The number of groups of faces.
  private var groupCount: Int { levels[groupLevel].count }

  /// The faces that intersect another one, ascending.
  ///
  /// - Parameter isAsked: Whether to look at a face.
  func faces(where isAsked: @Sendable (Int) -> Bool) -> [Int] {
    Parallel.mapChunks(of: groupCount, chunkSize: 64) { groups in
      intersecting(ofGroups: groups) { isAsked(Int(order[$0])) }.map { Int(order[$0]) }
    }.flatMap(\.self).sorted()
  }

  /// The places of the faces of some groups that intersect another face.
  private func intersecting(ofGroups groups: Range<Int>, where isAsked: (Int) -> Bool) -> [Int] {
    let all = groups.lowerBound << groupLevel..<min(groups.upperBound << groupLevel, order.count)
    var free = FreeFaces(all)
    var found: [Int] = []
    for group in groups {
      let places = group << groupLevel..<min((group + 1) << groupLevel, order.count)
      let asked = places.filter(isAsked)
      guard !asked.isEmpty else { continue }
      let near = nodes(near: levels[groupLevel][group])
      for place in asked {
        switch outcome(for: place, among: near, free) {
        case .intersects: found.append(place)
        case .free: free.insert(place)
        case .unknown: break
        }
      }
    }
    return found
  }

  /// The places of the faces of a near node.
  private func faces(ofNear node: Int) -> Range<Int> {
    node << nearLevel..<min((node + 1) << nearLevel, order.count)
  }

  /// The near nodes that overlap a box.
  private func nodes(near box: GridBox) -> [Int] { nodes(near: box, atMost: .max) ?? [] }

  /// The near nodes that overlap a box; nil if there are more of them.
  private func nodes(near box: GridBox, atMost limit: Int) -> [Int]? {
    var found: [Int] = []
    var open = [(level: levels.count - 1, place: 0)]
    while let node = open.popLast() {
      guard levels[node.level][node.place].overlaps(box) else { continue }
      if node.level == nearLevel {
        guard found.count < limit else { return nil }
        found.append(node.place)
      } else {
        let first = 2 * node.place
        open.append((node.level - 1, first))
        if first + 1 < levels[node.level - 1].count { open.append((node.level - 1, first + 1)) }
      }
    }
    return found
  }

  private enum Outcome { case intersects, free, unknown }

  /// Whether a face intersects another one, which is in one of some nodes and not known to be free.
  private func outcome(for place: Int, among near: [Int], _ free: FreeFaces) -> Outcome {
    let (own, box) = (triangle(place), levels[0][place])
    let nearLevel = nearLevel
    let (boxes, nearBoxes) = (levels[0], levels[nearLevel])
    var tests = 0
    for node in near where nearBoxes[node].overlaps(box) {
      for other in faces(ofNear: node)
      where other != place && boxes[other].overlaps(box) && !free.contains(other) {
        tests += 1
        if own.intersects(triangle(other)) { return .intersects }
        if tests > Self.mostTests { return .unknown }
      }
    }
    return .free
  }
}

/// The faces of a range that are known to intersect no other one, which needn't be asked about them again.
private struct FreeFaces {
  private let first: Int
  private var isFree: [Bool]

  init(_ range: Range<Int>) {
    first = range.lowerBound
    isFree = [Bool](repeating: false, count: range.count)
  }

  mutating func insert(_ place: Int) { isFree[place - first] = true }

  @inline(__always)
  func contains(_ place: Int) -> Bool {
    isFree.indices.contains(place - first) && isFree[place - first]
  }
}

/// Whole numbers as coordinates in some bounds.
private struct Grid: Sendable {
  private let low: SIMD3<Double>
  private let extent: Double

  private static let size = 0x1p28

  /// Nil if the bounds have no extent.
  init?(_ bounds: Box) {
    low = SIMD3<Double>(bounds.minimum)
    extent = (SIMD3<Double>(bounds.maximum) - low).max()
    guard !bounds.isEmpty, extent > 0 else { return nil }
  }

  /// The nearest point of the grid; zero for what is not finite.
  @inline(__always)
  func point(at position: Vector3) -> SIMD3<Int32> {
    guard position.isFinite else { return .zero }
    let place = ((position.double - low) / extent * Self.size).rounded(.toNearestOrEven)
    // One by one: the conversion of a vector is a call for each number.
    return SIMD3(Int32(place.x), Int32(place.y), Int32(place.z))
  }
}

/// A box of whole numbers.
private struct GridBox: Sendable {
  let low: SIMD3<Int32>
  let high: SIMD3<Int32>

  init(_ triangle: GridTriangle) {
    low = pointwiseMin(pointwiseMin(triangle.a, triangle.b), triangle.c)
    high = pointwiseMax(pointwiseMax(triangle.a, triangle.b), triangle.c)
  }

  init(low: SIMD3<Int32>, high: SIMD3<Int32>) {
    self.low = low
    self.high = high
  }

  func joined(_ other: GridBox) -> GridBox {
    GridBox(low: pointwiseMin(low, other.low), high: pointwiseMax(high, other.high))
  }

  @inline(__always)
  func overlaps(_ other: GridBox) -> Bool {
    all(low .<= other.high) && all(other.low .<= high)
  }
}
