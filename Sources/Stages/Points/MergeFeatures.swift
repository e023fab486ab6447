public import MeshPipeline
import SurfaceKernels

/// Merges the samples of features that were tracked over frames into one point for each feature.
public struct MergeFeatures: Stage {
  public static let otherNames = [
    "z-score", "zscore", "feature-points", "compress-features", "average-features",
  ]
  public static let summary =
    "Merges the samples of features that were tracked over frames into one point for each feature."
  public static let discussion = """
    Points with the same identifier are samples of one feature, such as ARKit's `rawFeaturePoints` of many frames. Samples \
    that are far from the mean of their feature are left out, and the mean of the others is the feature's position, as in \
    the demo of FindSurface for feature points (CurvSurf, *ARFeaturePointFindSurface*, 2025).

    - **Identifiers** are an attribute `identifier`, `feature`, `track` or `id` of the points, or the one that `identifier` \
    names. Recorded JSON, text with such a column, PLY, PCD, LAS and `.meshscene` files bring them, unsigned integers of \
    64 bits exactly.
    - **Window**: the samples are taken in the order of the file, and of each feature the latest `window` count, \
    first in, first out.
    - **Outliers** are farther from the mean of their feature's samples than `sigma` standard deviations: those of the \
    samples about it, which is the root mean square of their distances. Fewer than six samples have none at `sigma` 2. \
    A single sample stays as it is.
    - **Result**: one point for each feature, in the order of first appearance, with the attributes `samples`, the number \
    that the mean is of, and `spread`, the root mean square of their distances from it in metres. Normals, colours, confidences and \
    attributes with fractions are averaged over the same samples; classes and whole numbers are those of the first of them.

    Samples without finite coordinates do not count. Each point cloud is handled by itself: `merge` first where \
    a feature is in several. Meshes are left unchanged.
    """
  public static let example =
    #"{ "use": "merge-features", "with": { "window": 100, "sigma": 2 } }"#
  public static let dataFlow = StageDataFlow(needs: [.points], makes: [.customAttributes])

  public struct Parameters: StageParameters {
    @Parameter("Attribute with the identifiers; by default known by its name.")
    public var identifier: String? = nil

    @Parameter("Maximum number of samples of a feature that count, the latest.", in: 1...1e9)
    public var window = 100

    @Parameter(
      "Standard deviations from the mean beyond which samples are left out.",
      in: 0...Double.infinity)
    public var sigma = 2.0

    public init() {}
  }

  /// Why the features are not known.
  public enum Failure: StageFailure, Equatable {
    /// The points have no attribute with identifiers.
    case noIdentifiers(cloud: String, attributes: [String])
    /// The points have no attribute of the name that was given.
    case noAttribute(String, attributes: [String])
    /// An attribute has other values than whole numbers, or several for each point.
    case notIdentifiers(String)

    public var message: String {
      switch self {
      case .noIdentifiers(let cloud, let attributes):
        "the points\(cloud.isEmpty ? "" : " of '\(cloud)'") have no attribute 'identifier', 'feature', 'track' or 'id' that "
          + "tells which of them are samples of the same feature (\(Self.list(attributes))); "
          + "name another one with identifier=NAME, or average points by their places with "
          + "'thin-points representative=mean'"
      case .noAttribute(let name, let attributes):
        "the points have no attribute '\(name)' (\(Self.list(attributes)))"
      case .notIdentifiers(let name):
        "the values of '\(name)' are not identifiers, which are one whole number for each point"
      }
    }

    private static func list(_ names: [String]) -> String {
      names.isEmpty ? "they have none" : "they have " + names.joined(separator: ", ")
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    context.warnOfFacesAlone(scene, work: "merge")
    var outdated = 0
    var nonFinite = 0
    var kept = 0
    let before = scene.pointCount
    for index in scene.pointClouds.indices where !scene.pointClouds[index].positions.isEmpty {
      // Taken out, so that its arrays are changed in place.
      var cloud = scene.pointClouds[index]
      scene.pointClouds[index] = PointCloud()
      let merging = try merge(
        &cloud, metersPerUnit: scene.coordinateSystem.metersPerUnit, in: context)
      outdated += merging.outdatedCount
      nonFinite += merging.nonFiniteCount
      kept += merging.sampleCounts.reduce(0) { $0 + Int($1) }
      scene.pointClouds[index] = cloud
      try context.progress(Double(index + 1) / Double(scene.pointClouds.count))
    }
    context.note("samples", before.json)
    context.note("features", scene.pointCount.json)
    context.note("olderSamples", outdated.json)
    context.note("nonFinite", nonFinite.json)
    context.note("outliers", (before - outdated - nonFinite - kept).json)
    try context.progress(1)
    return scene
  }

  private func merge(
    _ cloud: inout PointCloud, metersPerUnit: Double, in context: StageContext
  ) throws -> FeatureMerging {
    let identifier = try identifier(of: cloud)
    let merging = try FeatureMerging(
      cloud.positions, identifiers: try words(of: identifier, in: context),
      window: parameters.window, sigma: parameters.sigma,
      checkCancellation: { try context.checkCancellation() })
    var own = identifier
    own.values.apply(ChosenElements(merging.first), width: 1)
    cloud.keepPoints(merging.keep)
    cloud.apply(merging.groups, to: .point)
    cloud.positions = merging.positions
    cloud.attributes[own.name] = own
    cloud.attributes["samples"] = CustomAttribute("samples", values: .uint32(merging.sampleCounts))
    cloud.attributes["spread"] = CustomAttribute(
      "spread", values: .float32(merging.spreads.map { $0 * Float(metersPerUnit) }))
    return merging
  }

  // MARK: Identifiers

  private func identifier(of cloud: PointCloud) throws(Failure) -> CustomAttribute {
    let names = cloud.attributes.map(\.name)
    guard let name = parameters.identifier else {
      guard let own = cloud.attributes.identifier else {
        throw .noIdentifiers(cloud: cloud.name, attributes: names)
      }
      return own
    }
    guard let own = cloud.attributes[name] else { throw .noAttribute(name, attributes: names) }
    guard own.width == 1 else { throw .notIdentifiers(name) }
    return own
  }

  /// The identifiers as words, which are equal where they are.
  private func words(
    of attribute: CustomAttribute, in context: StageContext
  ) throws(Failure) -> [UInt64] {
    let values = attribute.values
    if case .uint64(let words) = values { return words }
    if let words = values.exactWords { return words }
    let numbers = values.doubles
    guard numbers.allSatisfy({ $0.rounded() == $0 && $0.isFinite }) else {
      throw .notIdentifiers(attribute.name)
    }
    if !values.type.isInteger, numbers.contains(where: { $0 >= values.type.firstInexact }) {
      context.warn(
        "the identifiers '\(attribute.name)' are rounded, since floating-point numbers hold whole ones up to "
          + "\(NumberText.shortest(values.type.firstInexact)) only: different features may have become one"
      )
    }
    // Adding zero turns -0 into 0.
    return numbers.map { ($0 + 0).bitPattern }
  }
}
