import MeshPipeline

/// The transforms of meshes and point clouds, which are applied when all parts of a scene are known: only together do they
/// tell whether the scene is far from zero.
struct PartPlacement {
  private var ofMeshes: [Transform] = []
  private var ofPointClouds: [Transform] = []

  /// Adds a mesh in coordinates of its own.
  mutating func append(_ mesh: Mesh, at transform: Transform, to scene: inout Scene) {
    scene.meshes.append(mesh)
    ofMeshes.append(transform)
  }

  /// Adds a point cloud in coordinates of its own.
  mutating func append(_ cloud: PointCloud, at transform: Transform, to scene: inout Scene) {
    scene.pointClouds.append(cloud)
    ofPointClouds.append(transform)
  }

  /// Moves all parts to their places, relative to a round one if they are far from zero.
  func apply(to scene: inout Scene) {
    let origin = origin(of: scene)
    func placed(_ transform: Transform) -> Transform {
      origin == .zero ? transform : Transform(translation: -origin) * transform
    }
    for (index, transform) in ofMeshes.enumerated() {
      let transform = placed(transform)
      if transform != .identity { scene.meshes[index].apply(transform) }
    }
    for (index, transform) in ofPointClouds.enumerated() {
      let transform = placed(transform)
      if transform != .identity { scene.pointClouds[index].apply(transform) }
    }
    scene.takeOrigin(origin)
  }

  private func origin(of scene: Scene) -> SIMD3<Double> {
    let unit = scene.coordinateSystem.metersPerUnit
    let isFar = (ofMeshes + ofPointClouds).contains { transform in
      (0..<3).contains { DistantOrigin.isFar(transform.translation[$0], metersPerUnit: unit) }
    }
    guard isFar else { return .zero }
    let corners =
      zip(scene.meshes, ofMeshes).flatMap { Self.corners(of: $0.bounds, at: $1) }
      + zip(scene.pointClouds, ofPointClouds).flatMap { Self.corners(of: $0.bounds, at: $1) }
    return DistantOrigin.place(of: corners, metersPerUnit: unit)
  }

  private static func corners(of box: Box, at transform: Transform) -> [SIMD3<Double>] {
    [box.minimum.x, box.maximum.x].flatMap { x in
      [box.minimum.y, box.maximum.y].flatMap { y in
        [box.minimum.z, box.maximum.z].map { z in
          transform.apply(toPoint: SIMD3<Double>(SIMD3(x, y, z)))
        }
      }
    }
  }
}

extension Transform {
  /// A scaling along the axes, then a rotation by a quaternion x, y, z, w, then a translation; nil for
  /// none.
  init(scale: SIMD3<Double>?, rotation: SIMD4<Double>?, translation: SIMD3<Double>?) {
    self = scale.map { Transform(scale: $0) } ?? .identity
    if let rotation { self = Transform(quaternion: rotation) * self }
    if let translation { self.translation = translation }
  }
}
