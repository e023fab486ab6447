import MeshpipeBase
import MeshpipeScene
import SurfaceKernels

extension DepthView {
  /// The step between the rows and columns of the pixels whose surface gets blocks.
  static let allocationStep = 2

  /// The keys of the blocks within the truncation distance of the measured surface, without
  /// repetition; nil if the surface is too far from the origin to be told apart.
  ///
  /// Of each square of ``allocationStep`` pixels one is asked: a block is many pixels wide.
  func touchedBlocks(voxel: Float, truncation: Float) -> Set<UInt64>? {
    let size = voxel * Float(SparseBlocks.width)
    var keys: Set<UInt64> = []
    var last: [UInt64?] = [nil, nil, nil]
    for y in stride(from: 0, to: planes.size.y, by: Self.allocationStep) {
      for x in stride(from: 0, to: planes.size.x, by: Self.allocationStep) {
        let index = y * planes.size.x + x
        guard planes.weights[index] > 0 else { continue }
        let plane = planes.planes[index]
        let normal = SIMD3(plane.x, plane.y, plane.z)
        let point = surfacePoint(x, y)
        for (index, offset) in [-truncation, 0, truncation].enumerated() {
          let world = inScene(point + normal * offset)
          guard let key = SparseBlocks.key(at: world / size) else { return nil }
          if last[index] != key {
            keys.insert(key)
            last[index] = key
          }
        }
      }
    }
    return keys
  }
}
