public import MeshPipeline
import SurfaceKernels

/// Removes points that do not belong: far from others, uncertain, transparent, or out of range.
public struct FilterPoints: Stage {
  public static let otherNames = [
    "remove-outliers", "statistical-outlier-removal", "radius-outlier-removal", "outlier",
  ]
  public static let summary =
    "Removes points that do not belong: far from others, uncertain, transparent, or out of range."
  public static let discussion = """
    `statistical` compares the mean distance of each point from its nearest `neighbors` with that \
    of all points (Rusu and others 2008); `radius` asks for `minimumNeighbors` others nearer than \
    `radius`. The other methods look at the confidence or the range of each point.

    `statistical` keeps the points whose mean distance is at most `sigma` standard deviations above \
    the mean, which gives the points of Open3D's `remove_statistical_outlier(neighbors, sigma)`; \
    the point itself counts as one of its neighbours, so PCL's `setMeanK` is one less. Points \
    that coincide with all their neighbours stay, as in PCL. `radius` gives those of \
    `remove_radius_outlier(minimumNeighbors, radius)`.

    `confidence` keeps points with at least `minimumConfidence`, and `range` those with an \
    attribute `range`, the distance from the sensor in metres, between `minimumRange` and \
    `maximumRange`. `opacity` keeps the Gaussian splats that are at least as opaque as `minimumOpacity`, of which 0 is \
    invisible and 1 is solid. Points without such an attribute stay, with a warning.

    Points at exactly 0 0 0 beside a cloud that is elsewhere are where a scanner saw nothing: they are removed \
    first, whatever the method. They stay in a cloud that surrounds the origin.

    Points without finite coordinates are removed by the first two. Attributes go along; \
    the order stays. Each point cloud is filtered by itself; meshes are left unchanged. Samples of \
    features that were tracked over frames are for `merge-features`.
    """
  public static let example =
    #"{ "use": "filter-points", "with": { "method": "radius", "radius": "2cm" } }"#
  public static let dataFlow = StageDataFlow(needs: [.points])
  public static let relativeCost = 3.0

  public struct Parameters: StageParameters {
    @Parameter("Criterion for points that do not belong.")
    public var method = Method.statistical

    @Parameter(
      "Number of nearest points of each, itself included; for 'statistical'.", in: 2...1000)
    public var neighbors = 20

    @Parameter(
      "Maximum deviation from the mean, in standard deviations; for 'statistical'.",
      in: 0...Double.infinity)
    public var sigma = 2.0

    @Parameter("Distance below which others count; for 'radius'.", in: 1e-9...Double.infinity)
    public var radius = Length(meters: 0.05)

    @Parameter("Minimum number of others within the radius; for 'radius'.", in: 1...Double.infinity)
    public var minimumNeighbors = 4

    @Parameter("Minimum confidence; for 'confidence'.")
    public var minimumConfidence = 2.0

    @Parameter(
      "Minimum opacity of splats; for 'opacity', by default 0.1.", in: 0...1)
    public var minimumOpacity: Double? = nil

    @Parameter(
      "Minimum distance from the sensor; for 'range'.", in: 0...Double.infinity, scope: .free)
    public var minimumRange = Length(meters: 0)

    @Parameter(
      "Maximum distance from the sensor; for 'range'.", in: 0...Double.infinity, scope: .free)
    public var maximumRange = Length(meters: 5)

    public init() {}

    public func faults() -> [String] {
      var faults: [String] = []
      if minimumRange.meters > maximumRange.meters {
        faults.append("'minimumRange' must not be above 'maximumRange'")
      }
      if minimumOpacity != nil, method != .opacity {
        faults.append("'minimumOpacity' needs the method 'opacity'")
      }
      return faults
    }
  }

  /// What shows that a point does not belong.
  public enum Method: String, CaseIterable, ParameterValue {
    /// It is farther from its neighbours than most points.
    case statistical
    /// It has few others around it.
    case radius
    /// The sensor was not sure of it.
    case confidence
    /// It was too near to the sensor, or too far away.
    case range
    /// It is a splat that is hardly seen.
    case opacity

    /// Accepts a raw value; a former method names the stage that does what was meant.
    public init(json: JSONValue) throws(ParameterFault) {
      if json.text == "z-score" {
        throw ParameterFault(
          "there is no method 'z-score' any more: use the stage 'merge-features', which compares the samples of "
            + "each feature with their mean")
      }
      self = try .init(choice: json)
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    let system = scene.coordinateSystem
    let before = scene.pointCount
    var done = 0.0
    try context.progress(0)
    context.warnOfFacesAlone(scene, work: "filter")
    let unseen = scene.removeUnseenPoints()
    if unseen > 0 { context.note("pointsAtZero", unseen.json) }
    for index in scene.pointClouds.indices {
      let share = Double(scene.pointClouds[index].positions.count) / Double(max(before, 1))
      let keep = try kept(of: scene.pointClouds[index], system, in: context) {
        try context.progress(min(1, done + 0.95 * $0 * share))
      }
      if let keep { scene.pointClouds[index].keepPoints(keep) }
      done += share
    }
    context.note("removedPoints", (before - scene.pointCount).json)
    context.note("keptPoints", scene.pointCount.json)
    if before > 0, scene.pointCount == 0 { context.warn("no point is left") }
    try context.progress(1)
    return scene
  }

  /// Which points stay; nil for all.
  private func kept(
    of cloud: PointCloud, _ system: CoordinateSystem, in context: StageContext,
    progress: (Double) throws -> Void
  ) throws -> [Bool]? {
    let positions = cloud.positions
    switch parameters.method {
    case .statistical:
      return try PointOutliers.statistical(
        positions, neighbors: parameters.neighbors, sigma: parameters.sigma, progress: progress)
    case .radius:
      return try PointOutliers.radius(
        positions, radius: parameters.radius.units(in: system),
        minimumNeighbors: parameters.minimumNeighbors, progress: progress)
    case .confidence:
      let least = Float(parameters.minimumConfidence)
      if let all = cloud.confidences { return all.map { $0 >= least } }
      warn(of: "confidence", missingIn: cloud, in: context)
      return nil
    case .range:
      let range = parameters.minimumRange.meters...parameters.maximumRange.meters
      if let all = cloud.attributes["range"], all.width == 1 {
        return positions.indices.map { range.contains(all.values.double(at: $0)) }
      }
      warn(of: "range", missingIn: cloud, in: context)
      return nil
    case .opacity:
      let least = parameters.minimumOpacity ?? 0.1
      if let all = cloud.splatOpacities { return all.map { $0 >= least } }
      warn(of: "opacity", missingIn: cloud, in: context)
      return nil
    }
  }

  private func warn(of attribute: String, missingIn cloud: PointCloud, in context: StageContext) {
    context.warn(
      "the points of '\(cloud.name)' have no \(attribute), by which to filter them: they stay")
  }
}
