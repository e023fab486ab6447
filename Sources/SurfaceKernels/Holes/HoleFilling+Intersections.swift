import MeshpipeScene

extension HoleFilling {
  /// Makes fills flat that intersect the surface or another fill, and leaves holes open whose flat fills still do.
  func avoidIntersections(of fills: inout [Fill]) {
    let areFaulty = intersecting(fills)
    guard areFaulty.contains(true) else { return }
    var newEdges: Set<SIMD2<UInt32>> = []
    for (fill, isFaulty) in zip(fills, areFaulty) where !isFaulty || fill.hole.outcome == .flat {
      if let patch = fill.patch { newEdges.formUnion(patch.newEdges) }
    }
    for index in fills.indices where areFaulty[index] && fills[index].hole.outcome != .flat {
      fills[index] = fill(fills[index].loop, without: newEdges, isFlat: true)
      if let patch = fills[index].patch { newEdges.formUnion(patch.newEdges) }
    }
    // What is not flat intersected nothing before: if it does now, the other fill is a flat one.
    for (index, isFaulty) in intersecting(fills).enumerated()
    where isFaulty && fills[index].hole.outcome == .flat {
      fills[index].hole.outcome = .intersecting
      fills[index].patch = nil
    }
  }

  /// Whether each fill has a face that intersects a face of the surface or of a fill.
  private func intersecting(_ fills: [Fill]) -> [Bool] {
    var patches = Mesh()
    var owners: [Int] = []
    let count = fills.reduce(0) { $0 + ($1.patch?.faceCount ?? 0) }
    owners.reserveCapacity(count)
    patches.indices.reserveCapacity(3 * count)
    for (place, fill) in fills.enumerated() {
      guard let patch = fill.patch else { continue }
      patch.append(to: &patches)
      owners += [Int](repeating: place, count: patches.faceCount - owners.count)
    }
    var result = [Bool](repeating: false, count: fills.count)
    guard !owners.isEmpty else { return result }
    for face in SelfIntersections(of: patches, on: mesh).faces { result[owners[face]] = true }
    return result
  }
}
