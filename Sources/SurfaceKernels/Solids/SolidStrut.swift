import MeshpipeScene

/// A round bar in a solid, for what would otherwise hang in mid-air.
struct SolidStrut: Sendable {
  var start: SIMD3<Float>
  var end: SIMD3<Float>
  var radius: Float
  /// The direction of an axis, and the height below which nothing is.
  var up: SIMD3<Float>
  var floor: Float

  /// Whether a point is inside.
  @inline(__always)
  func contains(_ point: SIMD3<Float>) -> Bool {
    point.dot(up) >= floor && (point - foot(of: point)).lengthSquared < radius * radius
  }

  /// The normal out of the bar, at a point of its surface.
  func normal(at point: SIMD3<Float>) -> SIMD3<Float> {
    let offset = point - foot(of: point)
    let toFloor = point.dot(up) - floor
    return toFloor < abs(radius - offset.length) ? -up : offset.normalized
  }

  /// The nearest point of the axis.
  @inline(__always)
  func foot(of point: SIMD3<Float>) -> SIMD3<Float> {
    let axis = end - start
    let square = axis.lengthSquared
    guard square > 0 else { return start }
    return start + axis * min(max((point - start).dot(axis) / square, 0), 1)
  }
}

extension SolidRaster {
  /// The keys of the blocks in a bar and within a distance of it.
  func blocks(around strut: SolidStrut, distance: Float) -> Set<UInt64> {
    let far = strut.radius + distance
    let low = cell(of: pointwiseMin(strut.start, strut.end) - far) &>> 3
    let high = (cell(of: pointwiseMax(strut.start, strut.end) + far) &+ 1) &>> 3
    let width = Float(SparseBlocks.width) * voxel
    // Half of a block's diagonal.
    let reach = far + 0.87 * width
    var keys: Set<UInt64> = []
    for z in low.z...high.z {
      for y in low.y...high.y {
        for x in low.x...high.x {
          let middle = origin + (SIMD3(Float(x), Float(y), Float(z)) + 0.5) * width
          guard (middle - strut.foot(of: middle)).length <= reach else { continue }
          keys.insert(SparseBlocks.key(SIMD3(x, y, z)))
        }
      }
    }
    return keys
  }
}

extension SolidField {
  /// Makes what is in bars a part of the inside.
  mutating func add(_ struts: [SolidStrut]) {
    let field = self
    let found = Parallel.mapChunks(of: grid.count, chunkSize: 16) { blocks in
      blocks.flatMap { field.voxels(ofBlock: $0, in: struts) }
    }
    for voxel in found.joined() { values[Int(voxel)] = Self.strut }
  }

  private func voxels(ofBlock block: Int, in struts: [SolidStrut]) -> [UInt32] {
    let start = block * SparseBlocks.volume
    let middle = position(ofVoxel: start) + 3.5 * voxel
    let reach = 3.5 * voxel * Float(3).squareRoot()
    let near = struts.filter { (middle - $0.foot(of: middle)).length <= $0.radius + reach }
    guard !near.isEmpty else { return [] }
    return (start..<start + SparseBlocks.volume).filter { voxel in
      guard !(values[voxel] < 0) else { return false }
      let place = position(ofVoxel: voxel)
      return near.contains { $0.contains(place) }
    }.map(UInt32.init)
  }
}
