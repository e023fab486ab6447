import MeshPipeline
import NativeLibraries
import Photogrammetry

/// The place of a scan on a map by control points.
struct ControlPlacement: MapPlacement {
  let fit: PlacementFit
  let system: MapSystem
  /// The points that were found, with their residuals in metres.
  private let points: [(name: String, residual: SIMD3<Double>)]
  /// The scale that the points would have, and its standard deviation; nil if they are too few to tell.
  private let freeScale: (value: Double, deviation: Double)?
  /// The standard deviation of the turn in radians.
  private let turnDeviation: Double

  /// How well the coordinates of points are known, and found in the scan, in metres.
  private static let deviation = 0.01
  /// A difference of the scale that is worth a word, if it is certain.
  private static let noticedScale = 0.003

  /// - Parameter flat: From coordinates of the scene to metres with z up and y ahead.
  init(
    _ parameters: Georeference.Parameters, _ scene: borrowing Scene, _ flat: Transform,
    in context: StageContext, progress: (Double) throws -> Void
  ) throws {
    let system = try MapSystem(ofControlPoints: parameters.system)
    let found = try Self.located(parameters.points, scene, in: context, progress)
    let pairs = found.map { point, place in
      PlacementFit.Pair(
        scan: flat.apply(toPoint: place), map: point.place * system.unit,
        deviation: (Self.deviation, Self.deviation))
    }
    let names = found.map(\.point.name)
    var freedom = parameters.freedom
    guard pairs.count > 1 || freedom.turn != nil else { throw GeoreferenceFailure.noHeading }
    guard let fit = PlacementFit(pairs, freedom) else { throw GeoreferenceFailure.undetermined }
    (self.fit, self.system) = (fit, system)
    points = zip(names, fit.residuals).map { ($0, $1) }
    turnDeviation = fit.turnDeviation * Self.scatter(of: fit, freedom) / Self.deviation
    freedom.hasScale = true
    freeScale = pairs.count > 1 ? Self.freeScale(pairs, freedom) : nil
    try refuseDisagreement(pairs, parameters)
    warn(parameters, in: context)
  }

  /// The points with their positions in the scene.
  private static func located(
    _ points: [ControlPoint], _ scene: borrowing Scene, in context: StageContext,
    _ progress: (Double) throws -> Void
  ) throws -> [(point: ControlPoint, place: SIMD3<Double>)] {
    if let twice = Dictionary(grouping: points, by: \.name).first(where: { $0.value.count > 1 }) {
      throw GeoreferenceFailure.repeated(twice.key)
    }
    let markers = points.compactMap { point -> (MarkerDictionary?, Int)? in
      guard case .marker(let dictionary, let number) = point.point else { return nil }
      return (dictionary, number)
    }
    let dictionaries = Set(markers.compactMap(\.0)).sorted { $0.rawValue < $1.rawValue }
    if let unnamed = markers.first(where: { $0.0 == nil }), dictionaries.count != 1 {
      throw ScaleFailure.unknownDictionary(unnamed.1, option: "points")
    }
    let seen =
      markers.isEmpty
      ? []
      : try MarkersOfCapture(
        of: dictionaries, scene.capture?.frames ?? [], in: context, progress
      ).markers
    var found: [(point: ControlPoint, place: SIMD3<Double>)] = []
    var missing: [String] = []
    for point in points {
      switch point.point {
      case .point(let place): found.append((point, place.place(in: scene)))
      case .marker(let dictionary, let number):
        let marker = seen.first {
          $0.name.identifier == number && $0.name.dictionary == dictionary ?? dictionaries.first
        }
        if let marker { found.append((point, marker.center)) } else { missing.append(point.name) }
      }
    }
    guard !found.isEmpty else { throw GeoreferenceFailure.missing(missing) }
    if !missing.isEmpty {
      context.warn(
        "these control points are not in the photographs and are left out: \(missing.joined(separator: ", "))"
      )
    }
    return found
  }

  private static func freeScale(
    _ pairs: [PlacementFit.Pair], _ freedom: PlacementFit.Freedom
  ) -> (value: Double, deviation: Double)? {
    guard let fit = PlacementFit(pairs, freedom) else { return nil }
    let middle = pairs.reduce(SIMD3<Double>.zero) { $0 + $1.map } / Double(pairs.count)
    let spread = pairs.reduce(0) { $0 + ($1.map - middle).dot($1.map - middle) }.squareRoot()
    return spread > 0 ? (fit.scale, scatter(of: fit, freedom) / spread) : nil
  }

  /// The standard deviation of the points that their residuals show, if it is more than the usual one.
  private static func scatter(of fit: PlacementFit, _ freedom: PlacementFit.Freedom) -> Double {
    let redundancy = 3 * fit.residuals.count - freedom.unknownCount
    let square = fit.residuals.reduce(0) { $0 + $1.dot($1) }
    return max(deviation, (square / Double(max(1, redundancy))).squareRoot())
  }

  // MARK: What is wrong with it

  private func refuseDisagreement(
    _ pairs: [PlacementFit.Pair], _ parameters: Georeference.Parameters
  ) throws {
    let limit = parameters.tolerance.meters
    func fits(_ pairs: [PlacementFit.Pair], _ freedom: PlacementFit.Freedom) -> Bool {
      PlacementFit(pairs, freedom)?.residuals.allSatisfy { $0.length <= limit } ?? false
    }
    guard limit > 0, fit.residuals.contains(where: { $0.length > limit }) else { return }
    // What is wrong must be one of several that agree without it.
    let others = pairs.indices.filter { index in
      var rest = pairs
      rest.remove(at: index)
      return fits(rest, parameters.freedom)
    }
    let culprit = pairs.count > 3 && others.count == 1 ? others.first : nil
    var free = parameters.freedom
    free.hasScale = true
    let scale = !parameters.scale && fits(pairs, free) ? freeScale?.value : nil
    throw GeoreferenceFailure.disagreement(
      points.map { "'\($0.name)' is \(Self.text($0.residual.length)) off" },
      culprit: culprit.map { points[$0].name },
      scale: scale.map { NumberText.fixed($0, digits: 4) }, tolerance: Self.text(limit))
  }

  private func warn(_ parameters: Georeference.Parameters, in context: StageContext) {
    if let freeScale, !parameters.scale, points.count > 2,
      abs(freeScale.value - 1) > max(Self.noticedScale, 3 * freeScale.deviation)
    {
      let share = NumberText.fixed(abs(100 * (freeScale.value - 1)), digits: 2)
      context.warn(
        "the control points say that the scan is \(share) % too \(freeScale.value > 1 ? "small" : "large"); 'scale: true' "
          + "scales it")
    }
    let degrees = 2 * turnDeviation * 180 / .pi
    if degrees > 1 {
      context.warn(
        "the scan's turn is known to ± \(NumberText.fixed(degrees, digits: 1))° only, since the control points are near "
          + "each other")
    }
  }

  private static func text(_ meters: Double) -> String {
    meters < 1
      ? "\(NumberText.fixed(1000 * meters, digits: 0)) mm"
      : "\(NumberText.fixed(meters, digits: 2)) m"
  }

  // MARK: Words

  /// Half of the interval that holds the turn with 95 % probability, in radians.
  var turnUncertainty: Double { 2 * turnDeviation }

  var summary: String {
    let count = points.count == 1 ? "1 control point" : "\(points.count) control points"
    return "on \(system.reference.words) by \(count), off by \(Self.text(fit.rootMeanSquare))"
  }

  func note(to context: StageContext) {
    let residuals = points.map { name, residual in
      JSONValue(
        .object([
          .init("point", name.json), .init("east", residual.x.json(digits: 4)),
          .init("north", residual.y.json(digits: 4)), .init("up", residual.z.json(digits: 4)),
        ]))
    }
    context.note("residuals", JSONValue(.array(residuals)))
    context.note("residualMillimeters", (1000 * fit.rootMeanSquare).json(digits: 1))
    guard let freeScale else { return }
    context.note("scaleByPoints", freeScale.value.json(digits: 6))
    context.note("scaleUncertainty", (2 * freeScale.deviation).json(digits: 6))
  }
}
