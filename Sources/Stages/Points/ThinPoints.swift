public import MeshPipeline
import SurfaceKernels

/// Keeps fewer points, evenly spaced: one per cell of a grid, or a minimum distance apart.
public struct ThinPoints: Stage {
  public static let otherNames = [
    "voxel-down-sample", "downsample", "voxel-grid", "poisson-disk", "subsample",
  ]
  public static let summary =
    "Keeps fewer points, evenly spaced: one per cell of a grid, or a minimum distance apart."
  public static let discussion = """
    With `method: grid` each cell of edge length `spacing` keeps one point: the first, the mean or \
    the most confident. With `method: distance` the points that stay are farther apart than \
    `spacing`, and every other point is within it of one of them: Poisson disks, in the order of \
    the points.

    The mean is that of Open3D's `voxel_down_sample`: positions, normals, colours and other \
    attributes with fractions are averaged; classes and whole numbers are those of the first point. \
    `representative: confident` takes the first point where there is no confidence.

    Points without finite coordinates are removed. Each point cloud is handled by itself: `merge` \
    first where several overlap. Meshes are left unchanged.
    """
  public static let example =
    #"{ "use": "thin-points", "with": { "spacing": "5mm", "representative": "mean" } }"#
  public static let dataFlow = StageDataFlow(needs: [.points])

  public struct Parameters: StageParameters {
    @Parameter(
      "Edge of a cell, or minimum distance.", in: 1e-9...Double.infinity, scope: .detail)
    public var spacing = Length(meters: 0.01)

    @Parameter(
      "Kind of evenness: one point per cell of a grid, or points a minimum distance apart.")
    public var method = Method.grid

    @Parameter("Point that stays of each cell.", formerly: "keep")
    public var representative = Choice.first

    public init() {}

    public func faults() -> [String] {
      guard method == .distance, representative != .first else { return [] }
      return ["'representative' other than 'first' needs the method 'grid'"]
    }
  }

  /// What is even.
  public enum Method: String, CaseIterable, ParameterValue {
    /// One point per cell of a grid.
    case grid
    /// Points are farther apart than the spacing.
    case distance
  }

  /// The point that stays of each cell.
  public enum Choice: String, CaseIterable, ParameterValue {
    /// The first in order.
    case first
    /// A new one, with the means of positions and attributes.
    case mean
    /// The one of the highest confidence.
    case confident
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public var objectionToSplats: String? {
    parameters.representative == .mean
      ? "the mean of several splats does not look like them, while 'representative=first' leaves some as they are"
      : nil
  }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    let spacing = parameters.spacing.units(in: scene.coordinateSystem)
    let before = scene.pointCount
    try context.progress(0)
    context.warnOfFacesAlone(scene, work: "thin")
    for index in scene.pointClouds.indices {
      // Taken out, so that its arrays are changed in place.
      var cloud = scene.pointClouds[index]
      scene.pointClouds[index] = PointCloud()
      cloud.removeNonFinitePoints()
      let groups =
        parameters.method == .grid
        ? VertexClusters(of: cloud.positions, inCellsOf: spacing)
        : VertexClusters(of: cloud.positions, within: spacing)
      try context.checkCancellation()
      cloud.merge(groups, to: choice)
      scene.pointClouds[index] = cloud
      try context.progress(Double(index + 1) / Double(scene.pointClouds.count))
    }
    context.note("removedPoints", (before - scene.pointCount).json)
    context.note("keptPoints", scene.pointCount.json)
    try context.progress(1)
    return scene
  }

  private var choice: PointChoice {
    switch parameters.representative {
    case .first: .first
    case .mean: .mean
    case .confident: .confident
    }
  }
}
