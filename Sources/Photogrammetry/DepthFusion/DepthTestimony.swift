import MeshpipeBase
import MeshpipeScene
import SurfaceKernels

/// Some points that a frame measured, to be compared with what all frames together say.
struct DepthTestimony: Sendable {
  private let camera: SIMD3<Float>
  private let points: [SIMD3<Float>]

  /// Points along each side of the image: few enough to keep for thousands of frames.
  private static let side = 8
  /// The fewest points with a verdict that tell something about a frame.
  private static let leastCount = 16
  /// A distance is behind a surface below this share of the truncation.
  private static let behind: Float = -0.05

  init(_ view: DepthView) {
    let size = view.planes.size
    var points: [SIMD3<Float>] = []
    for row in 0..<Self.side {
      for column in 0..<Self.side {
        let x = (2 * column + 1) * size.x / (2 * Self.side)
        let y = (2 * row + 1) * size.y / (2 * Self.side)
        guard view.planes.weights[y * size.x + x] > 0 else { continue }
        points.append(view.inScene(view.surfacePoint(x, y)))
      }
    }
    camera = view.position
    self.points = points
  }

  /// The share of the points that the others outvote: they see through them, or see a surface before
  /// them; nil if there are too few to tell.
  func contradictedShare(in blocks: VoxelBlocks, truncation: Float) -> Double? {
    var (known, contradicted) = (0, 0)
    for point in points {
      guard let distance = blocks.distance(at: point), !distance.isNaN else { continue }
      known += 1
      let way = point - camera
      let length = way.dot(way).squareRoot()
      let ray = TestimonyRay(
        camera: camera, direction: way / length, limit: Self.behind * truncation)
      if ray.meetsInside(of: blocks, from: 0, to: length - 2 * truncation)
        || !ray.meetsInside(of: blocks, from: length, to: length + truncation)
      {
        contradicted += 1
      }
    }
    return known >= Self.leastCount ? Double(contradicted) / Double(known) : nil
  }
}

/// A ray from a camera to a point that it measured.
private struct TestimonyRay {
  let camera: SIMD3<Float>
  let direction: SIMD3<Float>
  /// Below this signed distance a voxel is inside.
  let limit: Float

  /// Whether a voxel between two distances from the camera is behind a surface.
  func meetsInside(of blocks: VoxelBlocks, from start: Float, to end: Float) -> Bool {
    let blockWidth = blocks.voxel * Float(SparseBlocks.width)
    var depth = start
    while depth < end {
      // Where nothing was measured there are no blocks, so that half of one is passed at once.
      guard let distance = blocks.distance(at: camera + direction * depth) else {
        depth += blockWidth / 2
        continue
      }
      if distance < limit { return true }
      depth += blocks.voxel
    }
    return false
  }
}

extension VoxelBlocks {
  /// The signed distance of the voxel around a point, NaN if it has no weight; nil outside all blocks.
  fileprivate func distance(at point: SIMD3<Float>) -> Float? {
    let position = (point / voxel).rounded(.down)
    let limit = SIMD3<Float>(repeating: SparseBlocks.greatestCoordinate)
    guard all((position .< limit) .& (position .> -limit)) else { return nil }
    let index = SIMD3<Int32>(position)
    let block = grid.block(at: index &>> 3)
    guard block >= 0 else { return nil }
    let inner = index & 7
    return distances[
      Int(block) * SparseBlocks.volume + Int(inner.x) + 8 * Int(inner.y) + 64 * Int(inner.z)]
  }
}
