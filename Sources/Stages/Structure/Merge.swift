public import MeshPipeline

/// Merges all meshes into one, and all point clouds into one.
public struct Merge: Stage {
  public static let otherNames = ["join", "combine"]
  public static let summary = "Merges all meshes into one, and all point clouds into one."
  public static let discussion = """
    Vertices and faces are concatenated in the order of the meshes, and classes with the same \
    name become one. Nothing is welded: run `weld` afterwards to connect meshes that touch.

    An attribute that only some meshes have gets neutral values in the others (normals of the \
    faces, white, confidence 0, texture coordinate (0, 0), a plain material, class `none`), or \
    is dropped everywhere (`missing`).

    Gaussian splats of a lower degree get the coefficients of the highest one, as zeros. With plain points they don't \
    become one cloud, unless `missing: drop` makes plain points of them, too.
    """
  public static let example = #"{ "use": "merge" }"#

  public struct Parameters: StageParameters {
    @Parameter(
      "Treatment of an attribute that only some meshes have: the others get neutral values, or all lose it."
    )
    public var missing = Missing.fill

    @Parameter("Name of the merged mesh; if empty, that of the first.")
    public var name = ""

    public init() {}
  }

  /// The treatment of attributes that only some meshes have.
  public enum Missing: String, CaseIterable, ParameterValue {
    /// Meshes without it get neutral values.
    case fill
    /// All lose it, with a warning.
    case drop
  }

  /// A scene that does not fit into one mesh.
  public enum Failure: StageFailure {
    /// A mesh holds at most 4,294,967,295 vertices.
    case tooManyVertices(Int)

    public var message: String {
      switch self {
      case .tooManyVertices(let count):
        "\(count) vertices are more than one mesh can hold (4294967295); run 'decimate' before 'merge'"
      }
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    if scene.meshes.count > 1 { try mergeMeshes(of: &scene, context) }
    try context.progress(0.9)
    if scene.pointClouds.count > 1 {
      try uniteSplats(of: &scene, context)
      mergePointClouds(of: &scene, context)
    }
    if !parameters.name.isEmpty {
      for index in scene.meshes.indices { scene.meshes[index].name = parameters.name }
      for index in scene.pointClouds.indices { scene.pointClouds[index].name = parameters.name }
    }
    try context.progress(1)
    return scene
  }

  private func mergeMeshes(of scene: inout Scene, _ context: StageContext) throws {
    guard scene.vertexCount < UInt32.max else { throw Failure.tooManyVertices(scene.vertexCount) }
    let (before, names) = (features(of: scene.meshes), customNames(of: scene.meshes))
    var neutralMaterial: UInt32 = 0
    if parameters.missing == .fill, before.contains(.materials),
      scene.meshes.contains(where: { $0.faceMaterials == nil && $0.faceCount > 0 })
    {
      neutralMaterial = UInt32(scene.materials.count)
      scene.materials.append(Material(name: "default"))
    }
    // Joining empties the meshes array by array, so that they never coexist completely with their
    // union.
    var meshes: [Mesh] = []
    swap(&meshes, &scene.meshes)
    scene.meshes = [
      Mesh(
        joining: consume meshes, fillsMissing: parameters.missing == .fill,
        neutralMaterial: neutralMaterial,
        up: Vector3(SIMD3<Float>(scene.coordinateSystem.up.vector)))
    ]
    warn(
      of: before.subtracting(features(of: scene.meshes)),
      and: names.subtracting(customNames(of: scene.meshes)), "meshes", context)
  }

  private func uniteSplats(of scene: inout Scene, _ context: StageContext) throws {
    var clouds = Scene(pointClouds: scene.pointClouds)
    do {
      try clouds.uniteSplats()
    } catch {
      guard parameters.missing == .drop else { throw error }
      clouds.makeSplatsPlain()
      context.warn("only some of the point clouds are Gaussian splats, which become plain points")
    }
    scene.pointClouds = clouds.pointClouds
  }

  private func mergePointClouds(of scene: inout Scene, _ context: StageContext) {
    let before = Scene(pointClouds: scene.pointClouds).features
    let names = customNames(of: scene.pointClouds)
    scene.pointClouds = [
      PointCloud(
        joining: scene.pointClouds, fillsMissing: parameters.missing == .fill,
        up: Vector3(SIMD3<Float>(scene.coordinateSystem.up.vector)))
    ]
    warn(
      of: before.subtracting(Scene(pointClouds: scene.pointClouds).features),
      and: names.subtracting(customNames(of: scene.pointClouds)), "point clouds", context)
  }

  private func features(of meshes: [Mesh]) -> Set<SceneFeature> { Scene(meshes: meshes).features }

  private func customNames(of owners: [some AttributeOwner]) -> Set<String> {
    Set(owners.flatMap { $0.allCustomAttributes.map(\.name) })
  }

  private func warn(
    of lost: Set<SceneFeature>, and names: Set<String>, _ what: String, _ context: StageContext
  ) {
    for name in lost.subtracting([.customAttributes]).map(\.rawValue).sorted() + names.sorted() {
      context.warn("only some of the \(what) have \(name): dropped from all")
    }
  }
}
