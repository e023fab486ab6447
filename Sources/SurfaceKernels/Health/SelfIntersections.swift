package import MeshpipeScene

/// The faces of a mesh that intersect or touch other faces than at common vertices and edges.
///
/// Coordinates are rounded to 2^-28 of the extent, a sixteenth of what single precision resolves there;
/// on these the answers are exact. Vertices at one position count as common ones.
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
  /// - Parameter patches: Vertices that they have in common with the surface must be at the same positions.
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
  /// The boxes of the faces.
  private let boxes: [GridBox]
  /// The boxes of some faces each, of pairs of these, and so on up to one of all.
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
    order = Self.order(faceCount: mesh.faceCount, triangle).filter { face in
      mesh.isFinite(Int(face)) && !triangle(Int(face)).isDegenerate
    }
    guard !order.isEmpty else { return nil }
    let boxes = order.map { GridBox(triangle(Int($0))) }
    var levels = [Self.joined(boxes, by: Self.nodeWidth)]
    while levels[levels.count - 1].count > 1 {
      levels.append(Self.joined(levels[levels.count - 1], by: 2))
    }
    self.boxes = boxes
    self.levels = levels
  }

  /// The boxes of `width` boxes each.
  private static func joined(_ boxes: [GridBox], by width: Int) -> [GridBox] {
    stride(from: 0, to: boxes.count, by: width).map { first in
      boxes[first..<min(first + width, boxes.count)].reduce(boxes[first]) { $0.joined($1) }
    }
  }

  /// All faces in spatial order.
  private static func order(
    faceCount: Int, _ triangle: @Sendable (Int) -> GridTriangle
  ) -> [UInt32] {
    let middles = Parallel.array(count: faceCount) { face in
      let corners = triangle(face)
      return Vector3(
        (SIMD3<Float>(corners.a) + SIMD3<Float>(corners.b) + SIMD3<Float>(corners.c)) / 3)
    }
    return SpatialOrder(of: middles).indices
  }

  private func triangle(_ index: Int) -> GridTriangle {
    let corner = 3 * Int(order[index])
    return GridTriangle(
      a: points[Int(indices[corner])], b: points[Int(indices[corner + 1])],
      c: points[Int(indices[corner + 2])])
  }

  // MARK: Other meshes

  /// The faces of another mesh that are looked at together: neighbours in most files are near to each other.
  private static let groupOfOther = 8
  /// If more nodes are near to a group than this, its faces are not near to each other.
  private static let mostNodesOfGroup = 32
  /// A face that takes more comparisons than this may intersect one of a pile.
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
    for node in near where levels[0][node].overlaps(box) {
      for index in faces(ofNode: node) where boxes[index].overlaps(box) {
        tests += 1
        if tests > Self.mostTestsOfOther { return true }
        if !other.isDegenerate, triangle(index).intersects(other) { return true }
      }
    }
    return false
  }

  // MARK: Groups

  /// The faces in a node of the lowest level.
  private static let nodeWidth = 4
  /// Faces of a node of this level are looked at together: what is near to one of them is near to all.
  private var groupLevel: Int { min(2, levels.count - 1) }
  private var groupWidth: Int { Self.nodeWidth << groupLevel }

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

  /// The indices in ``order`` of the faces of some groups that intersect another face.
  private func intersecting(ofGroups groups: Range<Int>, where isAsked: (Int) -> Bool) -> [Int] {
    let all =
      groups.lowerBound * groupWidth..<min(groups.upperBound * groupWidth, order.count)
    var free = FreeFaces(all)
    var found: [Int] = []
    for group in groups {
      let places = group * groupWidth..<min((group + 1) * groupWidth, order.count)
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

  /// The indices in ``order`` of the faces of a node of the lowest level.
  private func faces(ofNode node: Int) -> Range<Int> {
    node * Self.nodeWidth..<min((node + 1) * Self.nodeWidth, order.count)
  }

  /// The nodes of the lowest level that overlap a box.
  private func nodes(near box: GridBox) -> [Int] { nodes(near: box, atMost: .max) ?? [] }

  /// The nodes of the lowest level that overlap a box; nil if there are more of them.
  private func nodes(near box: GridBox, atMost limit: Int) -> [Int]? {
    var found: [Int] = []
    var open = [(level: levels.count - 1, place: 0)]
    while let node = open.popLast() {
      guard levels[node.level][node.place].overlaps(box) else { continue }
      if node.level == 0 {
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
  private func outcome(for index: Int, among near: [Int], _ free: FreeFaces) -> Outcome {
    let (own, box) = (triangle(index), boxes[index])
    let (boxes, nodeBoxes) = (boxes, levels[0])
    var tests = 0
    for node in near where nodeBoxes[node].overlaps(box) {
      for other in faces(ofNode: node)
      where other != index && boxes[other].overlaps(box) && !free.contains(other) {
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

  mutating func insert(_ index: Int) { isFree[index - first] = true }

  @inline(__always)
  func contains(_ index: Int) -> Bool {
    isFree.indices.contains(index - first) && isFree[index - first]
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
    let point = ((position.double - low) / extent * Self.size).rounded(.toNearestOrEven)
    // One by one: the conversion of a vector is a call for each number.
    return SIMD3(Int32(point.x), Int32(point.y), Int32(point.z))
  }
}

/// A box of whole numbers, in 24 bytes.
private struct GridBox: Sendable {
  /// Along x and y.
  private let low: SIMD2<Int32>
  private let high: SIMD2<Int32>
  private let z: (low: Int32, high: Int32)

  init(_ triangle: GridTriangle) {
    self.init(
      low: pointwiseMin(pointwiseMin(triangle.a, triangle.b), triangle.c),
      high: pointwiseMax(pointwiseMax(triangle.a, triangle.b), triangle.c))
  }

  init(low: SIMD3<Int32>, high: SIMD3<Int32>) {
    self.low = SIMD2(low.x, low.y)
    self.high = SIMD2(high.x, high.y)
    z = (low.z, high.z)
  }

  func joined(_ other: GridBox) -> GridBox {
    GridBox(
      low: SIMD3(pointwiseMin(low, other.low), min(z.low, other.z.low)),
      high: SIMD3(pointwiseMax(high, other.high), max(z.high, other.z.high)))
  }

  @inline(__always)
  func overlaps(_ other: GridBox) -> Bool {
    all((low .<= other.high) .& (other.low .<= high)) && z.low <= other.z.high
      && other.z.low <= z.high
  }
}
