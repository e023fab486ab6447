import MeshpipeBase
package import MeshpipeScene

/// Tells on which surface of a room, or in which of its objects, faces and points are.
package struct RoomLabels: Sendable {
  /// The names of the room's classes, each once.
  package private(set) var names: [String] = []
  private var regions: [RoomRegion] = []
  /// Around each region: most tests end here, without a copy of the region.
  private let boxes: [Box]
  private let reach: Float

  /// Faces and points that are tested together against the boxes around parts.
  private static let blockSize = 256

  /// - Parameter maximumDistance: From a part, in metres.
  package init(_ room: Room, maximumDistance: Double) {
    reach = Float(maximumDistance)
    var parts = room.parts
    parts += parts.filter { $0.kind == .floor }.compactMap { room.ceiling(above: $0) }
    for part in parts.flatMap(\.flatPieces) {
      let label = names.firstIndex(of: part.category) ?? names.count
      guard let region = RoomRegion(part, label: label, reach: maximumDistance) else { continue }
      if label == names.count { names.append(part.category) }
      regions.append(region)
    }
    boxes = regions.map(\.box)
  }

  /// The index in ``names`` of each face's part; -1 for faces of no part.
  ///
  /// - Complexity: O(faces) for faces in spatial order, as in scans; otherwise O(faces · parts)
  package func labels(of mesh: borrowing Mesh) -> [Int32] {
    let (positions, indices) = (mesh.positions, mesh.indices)
    return labels(count: mesh.faceCount) { face in
      let (a, b, c) = (
        positions[Int(indices[3 * face])].simd, positions[Int(indices[3 * face + 1])].simd,
        positions[Int(indices[3 * face + 2])].simd
      )
      return ((a + b + c) / 3, (b - a).cross(c - a))
    }
  }

  /// The index in ``names`` of each point's part; -1 for points of no part.
  package func labels(of cloud: borrowing PointCloud) -> [Int32] {
    let (positions, normals) = (cloud.positions, cloud.normals)
    return labels(count: positions.count) { point in
      (positions[point].simd, normals?[point].simd ?? .zero)
    }
  }

  /// - Parameter element: The position and the normal, of any length; zero if it is not known.
  private func labels(
    count: Int, _ element: @Sendable (Int) -> (SIMD3<Float>, SIMD3<Float>)
  ) -> [Int32] {
    Parallel.array(count: count, chunkSize: 16 * Self.blockSize) { range, labels in
      var candidates: [Int] = []
      for index in range {
        if (index - range.lowerBound) % Self.blockSize == 0 {
          var box = Box()
          for other in index..<min(index + Self.blockSize, range.upperBound) {
            let position = element(other).0
            if position.x.isFinite, position.y.isFinite, position.z.isFinite { box.add(position) }
          }
          candidates = boxes.indices.filter { boxes[$0].overlaps(box) }
        }
        let (place, normal) = element(index)
        labels.append(
          candidates.isEmpty ? -1 : label(place, normal.normalized, among: candidates))
      }
    }
  }

  private func label(
    _ position: SIMD3<Float>, _ normal: SIMD3<Float>, among candidates: [Int]
  ) -> Int32 {
    var object: RoomRegion.ObjectClaim?
    var surface: RoomRegion.SurfaceClaim?
    for index in candidates where boxes[index].contains(position) {
      let region = regions[index]
      if region.kind == .object {
        guard let claim = region.objectClaim(position, normal) else { continue }
        if object.map({ claim.precedes($0) }) ?? true { object = claim }
      } else {
        guard let claim = region.surfaceClaim(position, normal) else { continue }
        if surface.map({ claim.precedes($0) }) ?? true { surface = claim }
      }
    }
    guard let object else { return surface?.label ?? -1 }
    guard let surface, surface.isAligned else { return object.label }
    return object.yields(to: surface, reach: reach) ? surface.label : object.label
  }
}

extension Box {
  fileprivate func overlaps(_ other: Box) -> Bool {
    all(minimum .<= other.maximum) && all(maximum .>= other.minimum)
  }
}

extension Room {
  /// The ceiling that ends the walls around a floor, which RoomPlan leaves out; nil without walls.
  fileprivate func ceiling(above floor: Part) -> Part? {
    guard let inverse = floor.placement.inverse else { return nil }
    let half = floor.size / 2 + SIMD3(repeating: 0.5)
    let tops = parts.compactMap { wall -> Double? in
      guard wall.kind == .wall, wall.corners.isEmpty else { return nil }
      let relative = inverse * wall.placement
      let center = relative.translation
      let ends = [-0.5, 0.5].map { relative.apply(toPoint: SIMD3(0, $0 * wall.size.y, 0)).z }
      let (foot, top) = abs(ends[0]) < abs(ends[1]) ? (ends[0], ends[1]) : (ends[1], ends[0])
      let isAround = abs(center.x) < half.x && abs(center.y) < half.y
      return isAround && abs(foot) < 0.3 ? top : nil
    }
    guard let top = tops.median() else { return nil }
    var ceiling = floor
    ceiling.category = "ceiling"
    ceiling.placement =
      floor.placement * Transform(translation: SIMD3(0, 0, top))
    return ceiling
  }
}
