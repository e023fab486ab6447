import MeshPipeline
import Photogrammetry
import SurfaceKernels

extension RegisteredSurface {
  private static let neighbors = 12

  /// The surface of a scene: of its faces, or without these of its points, or else of its depth maps.
  init(_ scene: Scene, in context: StageContext) throws {
    let (positions, indices) = scene.meshes.joinedSurface
    let up = scene.coordinateSystem.up.vector
    let mesh = Mesh(positions: positions, indices: indices)
    if let surface = RegisteredSurface(ofFaces: mesh, up: up) {
      self = surface
      return
    }
    if scene.pointCount == 0, let capture = scene.capture, capture.hasDepth {
      let fused = try Self.fused(capture, scene.coordinateSystem, in: context)
      self =
        RegisteredSurface(ofFaces: fused, up: up)
        ?? RegisteredSurface(points: [], normals: [], area: 0, up: up)
      return
    }
    var (points, normals): ([Vector3], [Vector3]) = ([], [])
    let knowsSides = scene.pointClouds.allSatisfy { $0.normals != nil || $0.positions.isEmpty }
    for cloud in scene.pointClouds {
      points += cloud.positions
      if knowsSides, let own = cloud.normals { normals += own }
    }
    self = try Self.ofPoints(points, normals: knowsSides ? normals : nil, up: up, in: context)
  }

  /// The most depth maps that show a capture as finely as registration looks, and their voxels in metres.
  private static let coarse = (maps: 300, voxel: 0.025)

  /// A coarse surface of the depth maps of a capture; without faces where they show none.
  private static func fused(
    _ capture: Capture, _ system: CoordinateSystem, in context: StageContext
  ) throws -> Mesh {
    let settings = DepthFusion.Settings(
      voxel: coarse.voxel, maximumDepth: 5, minimumConfidence: 1, minimumWeight: 0.05,
      minimumFrames: 1, noise: 0.004, removesBias: false)
    let maps = capture.allDepthFrames.evenly(atMost: coarse.maps)
    do {
      return try DepthFusion(maps, system, settings).fused { _ in
        try context.checkCancellation()
      }.mesh
    } catch let failure as DepthFusion.Failure {
      context.warn(failure.message)
      return Mesh()
    }
  }

  /// - Parameter known: One per point, as it was seen; nil to find them.
  static func ofPoints(
    _ all: [Vector3], normals known: [Vector3]?, up: SIMD3<Double>, in context: StageContext
  ) throws -> RegisteredSurface {
    let chosen = all.indices.filter { all[$0].isFinite }.evenly(atMost: samples)
    let points = chosen.map { all[$0] }
    let area = area(of: points)
    if let known {
      return RegisteredSurface(
        points: points, normals: chosen.map { known[$0] }, area: area, up: up)
    }
    var computed = try PointNormals(
      of: points, neighbors: neighbors, fallback: Vector3(SIMD3<Float>(up))
    ) { _ in try context.checkCancellation() }
    try computed.turnConsistently(neighbors: neighbors) { _ in try context.checkCancellation() }
    return RegisteredSurface(
      points: points, normals: computed.normals, area: area, up: up, knowsSides: false)
  }

  /// The area of a cloud, by the cells of a grid that it is in: a plane is in one and a half for each face of a cell.
  private static func area(of points: [Vector3]) -> Double {
    let box = Box(points)
    let size = max(box.extent / 64, .leastNormalMagnitude)
    let cells = Set(points.map { SIMD3<Int32>((($0.simd - box.minimum) / size).rounded(.down)) })
    return Double(cells.count) * Double(size) * Double(size) / 1.5
  }
}
