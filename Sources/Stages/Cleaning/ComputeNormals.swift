public import MeshPipeline
import Photogrammetry
import SurfaceKernels

/// Computes normals from faces, with hard edges beyond a crease angle, or from neighbouring points.
public struct ComputeNormals: Stage {
  public static let otherNames = ["normals", "recalculate-normals", "smooth-normals"]
  public static let summary =
    "Computes normals from faces, with hard edges beyond a crease angle, or from neighbouring points."
  public static let discussion = """
    The normal of a vertex is the mean of its faces' normals, weighted by area or by angle at \
    the vertex. With `creaseAngle`, edges whose faces differ by more stay hard: the corners of a \
    vertex then have separate normals, one for each group of faces between hard edges.

    Area weights favour large faces, which suits scans. Angle weights do not depend on the \
    triangulation, which suits models with long thin faces (Thürmer and Wüthrich 1998).

    Duplicated vertices look like hard edges: run `weld` first. Faces with reversed winding give \
    normals that point inward: run `clean` first. Tangents, which belong to the old normals, are \
    removed.

    The normal of a point without faces is that of the plane through its nearest `neighbors` \
    (principal component analysis; Hoppe and others 1992). `toward` says on which side it looks:

    - **`cameras`**: to the nearest camera that has the point in its picture; by default where the scene \
    has frames. Nothing hides points: with cameras on both sides of a wall, `normals` is better.
    - **`outside`**: neighbours agree, the most similar ones first, along a minimum spanning tree; \
    separate parts are linked at their nearest points, and the whole looks away from its centre. By \
    default without frames.
    - **`viewpoint`**: to a place, such as that of a scanner on a tripod.
    - **`normals`**: to the side of the normals that the points have, such as those of \
    `points-from-depth`.
    """
  public static let example =
    #"{ "use": "compute-normals", "with": { "weight": "angle", "creaseAngle": "40deg" } }"#
  public static let dataFlow = StageDataFlow(makes: [.normals], removes: [.tangents])

  public struct Parameters: StageParameters {
    @Parameter("Weight of each face in the normal of a vertex.")
    public var weight = Weight.area

    @Parameter(
      "Angle between two faces above which their edge stays hard; if absent, the surface is smooth.",
      in: .degrees(0...180))
    public var creaseAngle: Angle? = nil

    @Parameter(
      "Number of nearest points that the normal of a point is fitted to, itself included.",
      in: 3...1000)
    public var neighbors = 20

    @Parameter(
      "Direction in which normals of points look; by default to the cameras, or outside without frames."
    )
    public var toward: Direction? = nil

    @Parameter("Point to which normals look, in the coordinates of the file; for 'viewpoint'.")
    public var viewpoint: LengthVector? = nil

    public init() {}

    public func faults() -> [String] {
      toward == .viewpoint && viewpoint == nil ? ["'toward' 'viewpoint' needs a 'viewpoint'"] : []
    }
  }

  /// The weight of a face in a mean of normals.
  public enum Weight: String, CaseIterable, ParameterValue {
    /// Its area.
    case area
    /// Its angle at the vertex.
    case angle
  }

  /// Where the normals of points look.
  public enum Direction: String, CaseIterable, ParameterValue {
    /// To the nearest camera that has the point in its picture.
    case cameras
    /// Away from the centre, neighbours alike.
    case outside
    /// To a place.
    case viewpoint
    /// To the side of the normals that the points have.
    case normals
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public var objectionToSplats: String? {
    "their centres lie in front of and behind the surface, and their directions are those of their rotations"
  }

  public func expectedMemory(for scene: PlannedScene) -> Int {
    parameters.creaseAngle == nil ? 0 : 80 * scene.faceCount
  }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    let up = Vector3(SIMD3<Float>(scene.coordinateSystem.up.vector))
    let weight: NormalWeight = parameters.weight == .area ? .area : .angle
    try updatePoints(of: &scene, fallback: up, in: context)
    try scene.updateMeshes(in: context, progress: Self.pointShare...1) { mesh in
      mesh.cornerNormals = nil
      // Programs compute tangents from normals and texture coordinates where a file has none.
      mesh.tangents = nil
      mesh.normals = nil
      mesh.normals = mesh.vertexNormals(weight: weight, fallback: up)
      try context.checkCancellation()
      if let creaseAngle = parameters.creaseAngle {
        mesh.cornerNormals = mesh.cornerNormals(
          weight: weight, creaseAngle: creaseAngle.radians, fallback: up)
      }
    }
    return scene
  }

  /// The progress when the points have their normals.
  private static let pointShare = 0.5

  private func updatePoints(
    of scene: inout Scene, fallback: Vector3, in context: StageContext
  ) throws {
    let viewers = self.viewers(of: scene)
    let total = Double(max(1, scene.pointCount))
    var done = 0.0
    try context.progress(0)
    for index in scene.pointClouds.indices {
      let cloud = scene.pointClouds[index]
      let share = Self.pointShare * Double(cloud.positions.count) / total
      var computed = try PointNormals(
        of: cloud.positions, neighbors: parameters.neighbors, fallback: fallback
      ) { try context.progress(done + $0 * share / 2) }
      try turn(
        &computed, of: cloud, viewers, parameters.viewpoint?.place(in: scene), in: context
      ) {
        try context.progress(done + (1 + $0) * share / 2)
      }
      scene.pointClouds[index].normals = computed.normals
      done += share
    }
  }

  /// The nearest points, itself included, whose normals shall agree with that of a point.
  private static let linked = 20

  private func turn(
    _ computed: inout PointNormals, of cloud: PointCloud, _ viewers: [Camera],
    _ viewpoint: SIMD3<Double>?, in context: StageContext, progress: (Double) throws -> Void
  ) throws {
    let positions = cloud.positions
    switch parameters.toward ?? (viewers.isEmpty ? .outside : .cameras) {
    case .viewpoint:
      let position = SIMD3<Float>(viewpoint ?? .zero)
      return computed.turn { position - positions[$0].simd }
    case .normals:
      if let normals = cloud.normals { return computed.turn { normals[$0].simd } }
      context.warn(
        "the points of '\(cloud.name)' have no normals to turn to: the new ones look outside")
    case .cameras:
      if !viewers.isEmpty {
        return computed.turn { viewers.nearest(thatSees: positions[$0].simd) - positions[$0].simd }
      }
      context.warn("there are no frames to turn the normals of points to: they look outside")
    case .outside: break
    }
    try computed.turnConsistently(neighbors: Self.linked, progress: progress)
  }

  /// The cameras of the frames, with pictures or only depths, if normals shall look to them.
  private func viewers(of scene: borrowing Scene) -> [Camera] {
    guard let capture = scene.capture, parameters.toward ?? .cameras == .cameras else { return [] }
    return capture.frames.map { Camera($0) }
      + capture.depthFrames.map { Camera($0, size: $0.imageSize) }
  }
}

extension [Camera] {
  /// The position of the nearest one that has a point in its picture, or of the nearest one if none has.
  fileprivate func nearest(thatSees point: SIMD3<Float>) -> SIMD3<Float> {
    var (nearest, shortest, isSeen) = (SIMD3<Float>.zero, Float.infinity, false)
    for camera in self {
      let distance = (camera.position - point).lengthSquared
      guard distance < shortest || !isSeen else { continue }
      let pixel = camera.project(point)
      let sees = pixel.map { camera.contains(SIMD2($0.x, $0.y)) } ?? false
      if sees != isSeen ? sees : distance < shortest {
        (nearest, shortest, isSeen) = (camera.position, distance, sees)
      }
    }
    return nearest
  }
}
