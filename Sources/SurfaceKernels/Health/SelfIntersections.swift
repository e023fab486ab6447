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
  /// The boxes of pairs of faces, of pairs of these, and so on up to one of all.
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

  // MARK: Groups

  /// Faces of a node of this level are looked at together: what is near to one of them is near to all.
  private var groupLevel: Int { min(4, levels.count - 1) }
  /// Near nodes are of this level.
  private var nearLevel: Int { min(2, levels.count - 1) }

  /// The number of groups of faces.
  var groupCount: Int { levels[groupLevel].count }

  /// The places of the faces of some groups that intersect another face.
  func intersecting(ofGroups groups: Range<Int>, where isAsked: (Int) -> Bool) -> [Int] {
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

  /// The nodes that overlap a box.
  private func nodes(near box: GridBox) -> [Int] {
    var found: [Int] = []
    var open = [(level: levels.count - 1, place: 0)]
    while let node = open.popLast() {
      guard levels[node.level][node.place].overlaps(box) else { continue }
      if node.level == nearLevel {
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
      for other in node << nearLevel..<min((node + 1) << nearLevel, order.count)
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

/// A box of whole numbers.
private struct GridBox: Sendable {
  let low: SIMD3<Int32>
  let high: SIMD3<Int32>

  init(_ triangle: GridTriangle) {
    low = pointwiseMin(pointwiseMin(triangle.a, triangle.b), triangle.c)
    high = pointwiseMax(pointwiseMax(triangle.a, triangle.b), triangle.c)
  }

  private init(low: SIMD3<Int32>, high: SIMD3<Int32>) {
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
