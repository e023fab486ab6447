import MeshpipeScene
import SurfaceKernels

/// The mesh of a scan as samples in a grid, to find what of it is near a point.
struct ScanSurface: Sendable {
  private let samples: Surfels
  /// The face of each sample.
  private let faces: [UInt32]
  /// Faces beyond this distance are not found, in metres.
  private let reach: Float
  /// The largest number of samples of a face: 5 m across at 5 cm.
  private static let mostSteps: Float = 200

  /// - Parameter reach: In metres.
  init(_ mesh: Mesh, _ scale: MetricScale, reach: Float) {
    let parts = Parallel.mapChunks(of: mesh.faceCount, chunkSize: 4096) { range in
      range.flatMap { Self.samples(of: $0, mesh, scale, spacing: reach / 2, cell: reach) }
    }
    let all = Parallel.joined(parts)
    let order = all.indices.sorted { (all[$0].patch.key, $0) < (all[$1].patch.key, $1) }
    samples = Surfels(order.map { all[$0].patch }, cell: reach)
    faces = order.map { all[$0].face }
    self.reach = reach
  }

  private struct Sample: BitwiseCopyable, Sendable {
    var patch: Surfels.Patch
    var face: UInt32
  }

  private static func samples(
    of face: Int, _ mesh: Mesh, _ scale: MetricScale, spacing: Float, cell: Float
  ) -> [Sample] {
    let corners = (0..<3).map { scale.meters(mesh.positions[Int(mesh.indices[3 * face + $0])]) }
    let (a, b) = (corners[1] - corners[0], corners[2] - corners[0])
    let normal = a.cross(b).normalized
    let longest = max(a.length, b.length, (a - b).length)
    guard normal != .zero, longest.isFinite else { return [] }
    let steps = Int(min(mostSteps, (longest / spacing).rounded(.up)))
    var result: [Sample] = []
    for i in 0..<steps {
      for j in 0..<steps - i {
        let (u, v) = ((Float(i) + 1 / 3) / Float(steps), (Float(j) + 1 / 3) / Float(steps))
        let position = corners[0] + a * u + b * v
        guard let place = Self.cell(of: position, cell) else { continue }
        result.append(
          Sample(
            patch: Surfels.Patch(
              key: SparseBlocks.key(place), cell: place, position: position, normal: normal,
              mass: 1, variance: 0),
            face: UInt32(face)))
      }
    }
    return result
  }

  static func cell(of position: SIMD3<Float>, _ size: Float) -> SIMD3<Int32>? {
    let cell = (position / size).rounded(.down)
    let limit = SparseBlocks.greatestCoordinate
    guard all(cell .> -limit), all(cell .< limit) else { return nil }
    return SIMD3<Int32>(cell)
  }

  /// The nearest face that a point of a surface is on, within the reach; nil if there is none.
  func face(at point: SIMD3<Float>, facing normal: SIMD3<Float>) -> Int? {
    guard let center = Self.cell(of: point, reach) else { return nil }
    var best = reach * reach
    var found: Int?
    for z in Int32(-1)...1 {
      for y in Int32(-1)...1 {
        for x in Int32(-1)...1 {
          for index in samples.patches(in: center &+ SIMD3(x, y, z)) {
            let sample = samples.patches[index]
            let offset = point - sample.position
            // Samples are half a reach apart: what counts is the distance from their plane.
            let height = sample.normal.dot(offset)
            let distance = height * height + 0.5 * offset.dot(offset)
            guard distance < best, sample.normal.dot(normal) > 0.5 else { continue }
            (best, found) = (distance, Int(faces[index]))
          }
        }
      }
    }
    return found
  }
}
