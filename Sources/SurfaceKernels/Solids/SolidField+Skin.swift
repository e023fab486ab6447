import MeshpipeScene

extension SolidField {
  /// Makes what is in a skin a part of the inside.
  mutating func add(_ skin: SolidSkin) {
    let field = self
    let value = skin.isOffset ? Self.offset : -Self.decided
    let found = Parallel.mapChunks(of: grid.count, chunkSize: 16) { range in
      range.flatMap { field.voxels(ofBlock: $0, in: skin) }
    }
    for voxel in found.joined() { values[Int(voxel)] = value }
  }

  /// Voxels outside that are in a skin, first by eighths of the block near to it.
  private func voxels(ofBlock block: Int, in skin: SolidSkin) -> [UInt32] {
    let start = block * SparseBlocks.volume
    let corner = position(ofVoxel: start)
    let diagonal = voxel * Float(3).squareRoot()
    guard skin.isNear(corner + 3.5 * voxel, within: skin.thickness + 3.5 * diagonal) else {
      return []
    }
    var found: [UInt32] = []
    var last: UInt32?
    for low in Self.eighths {
      let middle = (SIMD3<Float>(Float(low.x), Float(low.y), Float(low.z)) + 1.5) * voxel
      guard skin.isNear(corner + middle, within: skin.thickness + 1.5 * diagonal) else { continue }
      for point in 0..<64 {
        let point = low &+ SIMD3(point & 3, point >> 2 & 3, point >> 4)
        let voxel = start + point.x + point.y << 3 + point.z << 6
        guard !(values[voxel] < 0) else { continue }
        let foot = skin.footInside(
          of: position(ofVoxel: voxel), slack: SolidSkin.slack * self.voxel, likely: last)
        guard let foot else { continue }
        found.append(UInt32(voxel))
        last = foot.face
      }
    }
    return found
  }

  /// Gives voxels without a value one.
  mutating func fill(_ value: Float) {
    Parallel.update(&values) { values in
      for index in values.indices where values[index].isNaN { values[index] = value }
    }
  }
}
