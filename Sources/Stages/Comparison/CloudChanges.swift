import MeshPipeline
import SurfaceKernels

/// What changed between two point clouds, told from noise.
struct CloudChanges: Sendable {
  private let cores: Int
  private let difference: CloudDifference
  private let settings: CloudDifference.Settings

  /// Diameters in distances of nearest neighbours, of which random points have a median of half their spacing: about 40
  /// points are in a cylinder, and four times as many give a normal.
  private static let (normalScale, diameter) = (30.0, 15.0)

  /// The usual reach in diameters at most: points farther away are told as such.
  private static let farthestReach = 50.0

  /// - Parameter farthest: The greatest distance of a point from the other cloud, in units of the scenes.
  /// - Throws: ``SceneComparison/Failure`` if one of the scenes has faces.
  init(
    _ scene: Scene, _ other: ComparedScene, _ parameters: Compare.Parameters, farthest: Double,
    names: (String, String), in context: StageContext
  ) throws(SceneComparison.Failure) {
    guard scene.faceCount == 0 else { throw .noPoints(scene: names.0) }
    guard !other.isSurface else { throw .noPoints(scene: names.1) }
    let clouds = scene.pointClouds
    let positions = clouds.flatMap(\.positions)
    let hasNormals = clouds.allSatisfy { $0.normals != nil }
    let step = max(1, (positions.count + parameters.samples - 1) / parameters.samples)
    let cores = stride(from: 0, to: positions.count, by: step).map { positions[$0] }
      .filter(\.isFinite)
    let unit = scene.coordinateSystem.metersPerUnit
    let spacing = PointDistances.medianSpacing(of: positions)
    func length(_ given: Length, _ usual: Double) -> Double {
      given.meters > 0 ? given.meters / unit : usual * spacing
    }
    let diameter = length(parameters.diameter, Self.diameter)
    settings = CloudDifference.Settings(
      normalScale: length(parameters.normalScale, Self.normalScale), diameter: diameter,
      reach: parameters.reach.meters > 0
        ? parameters.reach.meters / unit
        : max(diameter, min(1.1 * farthest, Self.farthestReach * diameter)),
      registrationError: parameters.registrationError.meters / unit)
    difference = CloudDifference(
      from: positions, to: other.points, at: cores,
      normals: hasNormals ? clouds.flatMap { $0.normals ?? [] } : nil,
      up: scene.coordinateSystem.up.vector, settings)
    self.cores = cores.count
    if difference.changes.isEmpty {
      context.warn(
        "no point of the clouds could be compared along normals: they are too sparse for 'normalScale' and "
          + "'diameter', or farther apart than 'reach'")
    }
  }

  private var significant: [Double] {
    difference.changes.filter(\.isSignificant).map(\.distance)
  }
  private var share: Double {
    Double(significant.count) / Double(max(difference.changes.count, 1))
  }
  private var unmatched: Double { Double(difference.unmatched) / Double(max(cores, 1)) }
  private var mean: Double { significant.reduce(0, +) / Double(max(significant.count, 1)) }
  private var maximum: Double { abs(largest) }
  private var largest: Double { significant.max { abs($0) < abs($1) } ?? 0 }
  /// The median level of detection.
  private var detection: Double { difference.changes.map(\.detection).median() ?? 0 }

  func json(unit: Double) -> JSONValue {
    func length(_ value: Double) -> JSONValue { (value * unit).json(digits: 9) }
    return JSONValue(
      .object([
        .init("cores", cores.json), .init("compared", difference.changes.count.json),
        .init("unmatched", unmatched.json(digits: 6)), .init("significant", share.json(digits: 6)),
        .init("mean", length(mean)), .init("max", length(maximum)),
        .init("detection", length(detection)), .init("normalScale", length(settings.normalScale)),
        .init("diameter", length(settings.diameter)), .init("reach", length(settings.reach)),
      ]))
  }

  func rows(unit: Double) -> [[String]] {
    let scale = LengthScale(of: [maximum * unit, detection * unit])
    guard !difference.changes.isEmpty else { return [["changed", "-"]] }
    return [
      ["changed", NumberText.fixed(100 * share, digits: 1) + " %"],
      ["mean change", scale.text(mean * unit)], ["largest change", scale.text(largest * unit)],
      ["without counterpart", NumberText.fixed(100 * unmatched, digits: 1) + " %"],
      ["noise up to", scale.text(detection * unit)],
    ]
  }
}
