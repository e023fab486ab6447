public import MeshPipeline
import Photogrammetry

/// Removes what is far from the object that a capture goes around.
public struct CropToObject: Stage {
  public static let otherNames = ["isolate", "remove-background", "object-crop", "crop-object"]
  public static let summary = "Removes what is far from the object that a capture goes around."
  public static let discussion = """
    The cameras of a capture that goes around an object all look at it: the point nearest to their optical axes is its \
    centre, and half of what the median camera sees there is its radius. A capture has an object if nine tenths of \
    the cameras look at one point, from a quarter of a circle around it or more.

    Walks and most rooms have none, and are left as they are.

    - `scope=auto` removes loose parts that are wholly outside this ball and smaller than a quarter of its radius. What is \
    connected with the object stays, such as the ground.
    - `scope=object` removes all faces and points outside the ball. It warns if there is no object.
    - `scope=all` removes nothing.

    Parts that share a position are connected. The report has the centre and the radius.
    """
  public static let example =
    #"{ "use": "crop-to-object", "with": { "scope": "object", "radius": 1.2 } }"#
  public static let dataFlow = StageDataFlow(needs: [.frames])

  public struct Parameters: StageParameters {
    @Parameter("Part of the scan that stays.")
    public var scope = Scope.auto

    @Parameter("Radius of the ball, as a multiple of the one found.", in: 0.1...100)
    public var radius = 1.0

    public init() {}
  }

  /// What stays.
  public enum Scope: String, CaseIterable, ParameterValue {
    /// Everything but small loose parts far from the object.
    case auto
    /// Everything.
    case all
    /// The object alone.
    case object
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    let system = scene.coordinateSystem
    guard parameters.scope != .all else { return scene }
    guard let volume = CircledVolume(scene.capture?.frames ?? [], up: system.up) else {
      if parameters.scope == .object {
        context.warn("the cameras don't go around an object, so that nothing is removed")
      }
      try context.progress(1)
      return scene
    }
    let ball = Ball(
      center: SIMD3<Float>(volume.center), radius: Float(volume.radius * parameters.radius))
    let meters = system.metersPerUnit
    let center = (volume.center + scene.origin) * meters
    context.note(
      "objectCenter", JSONValue(.array((0..<3).map { center[$0].json(digits: 3) })))
    context.note("objectRadius", (Double(ball.radius) * meters).json(digits: 3))
    let before = scene.faceCount
    let stays =
      parameters.scope == .object
      ? scene.meshes.map { ball.facesInside(of: $0) } : ball.facesWithoutCrumbs(of: scene.meshes)
    try scene.keepMeshFaces(in: context, progress: 0.5...0.9) { stays[$0] }
    if parameters.scope == .object {
      for index in scene.pointClouds.indices {
        scene.pointClouds[index].keepPoints(
          scene.pointClouds[index].positions.map { ball.contains($0.simd) })
      }
    }
    context.note("removedFaces", (before - scene.faceCount).json)
    if before > 0, scene.faceCount == 0 {
      context.warn(
        "nothing is within \(NumberText.fixed(Double(ball.radius) * meters, digits: 2)) m of the object's centre"
      )
    }
    try context.progress(1)
    return scene
  }
}

/// A ball around an object, in the scene's unit.
private struct Ball: Sendable {
  let center: SIMD3<Float>
  let radius: Float

  func contains(_ point: SIMD3<Float>) -> Bool { (point - center).length <= radius }

  /// Whether the centroid of each face is inside.
  func facesInside(of mesh: Mesh) -> [Bool] {
    Parallel.array(count: mesh.faceCount) { face in
      contains(SIMD3<Float>(mesh.centroid(ofFace: face)))
    }
  }

  /// Loose parts of at least this share of the radius are things, and no crumbs.
  private static let largestCrumb: Float = 0.25

  /// Whether each face of each mesh belongs to a part that reaches into the ball, or is too large for a crumb.
  func facesWithoutCrumbs(of meshes: [Mesh]) -> [[Bool]] {
    let (positions, indices) = meshes.joinedSurface
    let (firstPoints, vertices) = PositionWelder.weld(positions)
    let welded = indices.map { vertices[Int($0)] }
    let components = FaceComponents(sharingVerticesOf: welded, vertexCount: firstPoints.count)
    var boxes = [Box](repeating: Box(), count: components.count)
    var isInside = [Bool](repeating: false, count: components.count)
    for (corner, vertex) in indices.enumerated() {
      let part = Int(components.labels[corner / 3])
      let position = positions[Int(vertex)].simd
      boxes[part].add(position)
      if contains(position) { isInside[part] = true }
    }
    let stays = zip(isInside, boxes).map { $0 || $1.extent >= Self.largestCrumb * radius }
    var first = 0
    return meshes.map { mesh in
      defer { first += mesh.faceCount }
      return components.labels[first..<first + mesh.faceCount].map { stays[Int($0)] }
    }
  }
}
