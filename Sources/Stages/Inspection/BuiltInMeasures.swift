public import MeshPipeline
import Photogrammetry
import Rendering
import SurfaceKernels

/// What conditions can ask for beyond counts and sizes, by name.
public let builtInMeasures: [SceneMeasure] = [
  SceneMeasure("watertight", .property) { health(of: $0).isWatertight ? 1 : 0 },
  SceneMeasure("manifold", .property) { health(of: $0).isManifold ? 1 : 0 },
  SceneMeasure("boundaryEdges", .count) { Double(health(of: $0).boundaryEdges) },
  SceneMeasure("boundaryLoops", .count) { Double(health(of: $0).boundaryLoops.count) },
  SceneMeasure("nonManifoldEdges", .count) { Double(health(of: $0).nonManifoldEdges) },
  SceneMeasure("nonManifoldVertices", .count) { Double(health(of: $0).nonManifoldVertices) },
  SceneMeasure("invertedFaces", .count) { measured in
    let windings = try? Winding.outward(of: measured.scene)
    return windings.map { Double($0.reduce(0) { $0 + $1.flippedCount }) } ?? .infinity
  },
  SceneMeasure("degenerateFaces", .count) { Double(health(of: $0).degenerateFaces) },
  SceneMeasure("duplicateFaces", .count) { Double(health(of: $0).duplicateFaces) },
  SceneMeasure("components", .count) { Double(health(of: $0).components) },
  SceneMeasure("selfIntersections", .count) { measured in
    let found = measured.finding { $0.meshes.map { SelfIntersections(of: $0) } }
    return Double(found.reduce(0) { $0 + $1.faces.count })
  },
  SceneMeasure("volume", .volume) { measured in
    let unit = measured.scene.coordinateSystem.metersPerUnit
    let health = health(of: measured)
    return health.isWatertight ? health.volume * unit * unit * unit : .nan
  },
  SceneMeasure("floatingParts", .count) { measured in
    let up = measured.scene.coordinateSystem.up.vector
    // Without attributes, which don't matter.
    let meshes = measured.scene.meshes.map { Mesh(positions: $0.positions, indices: $0.indices) }
    let mesh = Mesh(
      joining: meshes, fillsMissing: false, neutralMaterial: 0, up: Vector3(SIMD3<Float>(up)))
    let stand = SolidStand(SolidBodies(of: mesh), of: mesh, up: up, slack: 3)
    return Double(stand.floatingCount)
  },
  SceneMeasure("smallestAngle", .angle) { health(of: $0).smallestAngle ?? .pi },
  SceneMeasure("thinnestWall", .length) { measured in
    let walls = measured.finding { $0.meshes.compactMap { try? ThinnestWall.measured(in: $0) } }
    let thinnest = walls.map(\.thickness).min() ?? .infinity
    return thinnest * measured.scene.coordinateSystem.metersPerUnit
  },
  SceneMeasure("ownMesh", .property, of: [.frames]) { measured in
    measured.scene.capture?.origin?.hasOwnMesh == true ? 1 : 0
  },
  SceneMeasure("depthOffset", .length, of: [.frames, .depthMaps]) { measured in
    abs(measured.finding { DepthOffset($0) }?.median ?? 0)
  },
  SceneMeasure("depthsOnSurface", .share, of: [.depthMaps]) { measured in
    share(measured.finding { DepthCoverage($0) }?.depthsOnSurface)
  },
  SceneMeasure("surfaceMeasured", .share, of: [.depthMaps]) { measured in
    share(measured.finding { DepthCoverage($0) }?.surfaceMeasured)
  },
  SceneMeasure("agreement", .share, of: [.frames]) { measured in
    share(measured.finding { try? PhotographAgreement($0) }?.similarity)
  },
]

/// A share as reports show it; 0 where nothing can be measured.
private func share(_ value: Double?) -> Double { ((value ?? 0) * 10_000).rounded() / 10_000 }

private func health(of scene: MeasuredScene) -> MeshHealth {
  scene.finding { $0.meshes.reduce(into: MeshHealth()) { $0 += MeshHealth($1) } }
}
