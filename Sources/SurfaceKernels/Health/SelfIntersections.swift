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
    guard let search = IntersectionSearch(mesh) else {
      faces = []
      return
    }
    faces = Parallel.mapChunks(of: search.groupCount, chunkSize: 64) { groups in
      search.intersecting(ofGroups: groups) { isAsked?[Int(search.order[$0])] ?? true }
        .map { Int(search.order[$0]) }
    }.flatMap(\.self).sorted()
  }
}

/// Faces in spatial order, under a hierarchy of boxes that halves them.
private struct IntersectionSearch: Sendable {
  /// The faces with an area.
  let order: [UInt32]
  private let indices: [UInt32]
  private let points: [SIMD3<Int32>]
  /// The boxes of the faces.
  private let boxes: [GridBox]
  /// The boxes of some faces each, of pairs of these, and so on up to one of all.
  private let levels: [[GridBox]]

  private static let gridSize = 0x1p28
  /// More comparisons for a face are a pile rather than a surface.
  private static let mostTests = 200_000

  init?(_ mesh: Mesh) {
    let box = mesh.bounds
    let low = SIMD3<Double>(box.minimum)
    let extent = (SIMD3<Double>(box.maximum) - low).max()
    guard !box.isEmpty, extent > 0 else { return nil }
    let (positions, indices) = (mesh.positions, mesh.indices)
    let points = Parallel.array(count: positions.count) { vertex in
      let position = positions[vertex]
      guard position.isFinite else { return SIMD3<Int32>.zero }
      return SIMD3<Int32>(
        ((position.double - low) / extent * Self.gridSize).rounded(.toNearestOrEven))
    }
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

  /// The boxes of so many boxes each.
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

  private func triangle(_ place: Int) -> GridTriangle {
    let corner = 3 * Int(order[place])
    return GridTriangle(
      a: points[Int(indices[corner])], b: points[Int(indices[corner + 1])],
      c: points[Int(indices[corner + 2])])
  }

  // MARK: Groups

  /// The faces in a node of the lowest level.
  private static let nodeWidth = 4
  /// Faces of a node of this level are looked at together: what is near to one of them is near to all.
  private var groupLevel: Int { min(2, levels.count - 1) }
  private var groupWidth: Int { Self.nodeWidth << groupLevel }

  /// The number of groups of faces.
  var groupCount: Int { levels[groupLevel].count }

  /// The places of the faces of some groups that intersect another face.
  func intersecting(ofGroups groups: Range<Int>, where isAsked: (Int) -> Bool) -> [Int] {
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

  /// The nodes of the lowest level that overlap a box.
  private func nodes(near box: GridBox) -> [Int] {
    var found: [Int] = []
    var open = [(level: levels.count - 1, place: 0)]
    while let node = open.popLast() {
      guard levels[node.level][node.place].overlaps(box) else { continue }
      if node.level == 0 {
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
    let (own, box) = (triangle(place), boxes[place])
    let (boxes, nodeBoxes, width) = (boxes, levels[0], Self.nodeWidth)
    var tests = 0
    for node in near where nodeBoxes[node].overlaps(box) {
      for other in node * width..<min((node + 1) * width, order.count)
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

  private init(low: SIMD3<Int32>, high: SIMD3<Int32>) {
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
