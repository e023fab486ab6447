import MeshPipeline
import NativeLibraries
import Photogrammetry
import SurfaceKernels

/// The place of a scan on a map by where its photographs were taken, as their EXIF data says.
struct PhotographPlacement: MapPlacement {
  let fit: PlacementFit
  let system: MapSystem
  /// The middle of the photographs' positions.
  let middle: GeographicPosition
  /// Half of the interval that holds the turn with 95 % probability, in radians.
  let turnUncertainty: Double
  /// What the turn is known by.
  private let turnSource: String
  private let count: Int
  /// The typical error that the photographs give of their positions, in metres.
  private let error: Double

  /// The error of a phone's position outdoors, in metres, where a photograph gives none; heights are twice as wrong.
  private static let usualError = 5.0
  /// More photographs of one walk do not make it surer.
  private static let mostPhotographs = 500
  /// Errors of satellites change over minutes: a walk has few that are independent.
  private static let independent = 4.0
  /// A turn that is less sure is not taken, in radians: 30°.
  private static let mostTurn = 30 * Double.pi / 180

  /// - Parameter flat: From coordinates of the scene to metres with z up and y ahead.
  init(
    _ parameters: Georeference.Parameters, _ frames: [Capture.Frame], _ flat: Transform,
    in context: StageContext, progress: (Double) throws -> Void
  ) throws {
    let photographs = try LocatedPhotograph.all(
      of: frames, atMost: Self.mostPhotographs, progress: progress
    ).filter { $0.location.position != nil }
    let positions = photographs.compactMap(\.location.position)
    guard !positions.isEmpty else { throw GeoreferenceFailure.nothingKnown }
    guard positions.count > 2, let latitude = positions.map(\.latitude).median(),
      let longitude = positions.map(\.longitude).median(),
      let height = positions.map(\.height).median()
    else { throw GeoreferenceFailure.tooFewPhotographs }
    let middle = GeographicPosition(latitude: latitude, longitude: longitude, height: height)
    let system = try MapSystem(parameters.system, around: middle)
    let places = try system.places(of: positions)
    let pairs = zip(photographs, places).map { photograph, place in
      let error = max(1, photograph.location.positionError ?? Self.usualError)
      return PlacementFit.Pair(
        scan: flat.apply(toPoint: photograph.pose.translation), map: place,
        deviation: (error, 2 * error))
    }
    var freedom = parameters.freedom
    freedom.isLevel = true
    freedom.isRobust = true
    (self.middle, self.system, count) = (middle, system, positions.count)
    error = pairs.map(\.deviation.horizontal).median() ?? Self.usualError
    let walked = PlacementFit(pairs, freedom)
    let share = (Double(max(1, pairs.count)) / Self.independent).squareRoot()
    let walkedTurn = 2 * (walked?.turnDeviation ?? .infinity) * max(1, share)
    let compass = freedom.turn == nil ? Self.compass(photographs, flat) : nil
    if freedom.turn != nil {
      (turnUncertainty, turnSource) = (0, "'heading'")
    } else if let compass, compass.north.uncertainty < walkedTurn {
      freedom.turn = -compass.north.angle
      (turnUncertainty, turnSource) = (
        compass.north.uncertainty,
        compass.isMagnetic ? "the magnetic compass" : "the compass"
      )
    } else {
      (turnUncertainty, turnSource) = (walkedTurn, "the way that was walked")
    }
    guard turnUncertainty <= Self.mostTurn, let fit = PlacementFit(pairs, freedom) else {
      throw GeoreferenceFailure.turnUnknown(
        spread: Self.text(Self.spread(of: pairs.map(\.scan))), error: Self.text(error),
        turn: "\(NumberText.fixed(min(180, turnUncertainty * 180 / .pi), digits: 0))°")
    }
    self.fit = fit
    if compass?.isMagnetic == true, freedom.turn == compass.map({ -$0.north.angle }) {
      context.warn(
        "the directions of the photographs are magnetic: the scan's turn is off by the declination of the place"
      )
    }
  }

  /// Which way north is, by the compass.
  private static func compass(
    _ photographs: [LocatedPhotograph], _ flat: Transform
  ) -> (north: CompassNorth, isMagnetic: Bool)? {
    let (views, isMagnetic) = photographs.compassViews(in: flat)
    return CompassNorth(views).map { ($0, isMagnetic) }
  }

  /// The longer side of the rectangle around cameras, seen from above.
  private static func spread(of cameras: [SIMD3<Double>]) -> Double {
    let (low, high) = cameras.reduce((cameras[0], cameras[0])) {
      (pointwiseMin($0.0, $1), pointwiseMax($0.1, $1))
    }
    return max(high.x - low.x, high.y - low.y)
  }

  private static func text(_ meters: Double) -> String {
    "\(NumberText.fixed(meters, digits: 0)) m"
  }

  var summary: String {
    let turn = NumberText.fixed(turnUncertainty * 180 / .pi, digits: 0)
    return
      "on \(system.reference.words) by \(count) photographs, to ± \(Self.text(2 * error)), its turn by \(turnSource) to "
      + "± \(turn)°"
  }

  func note(to context: StageContext) {
    context.note("photographs", count.json)
    context.note("latitude", middle.latitude.json(digits: 7))
    context.note("longitude", middle.longitude.json(digits: 7))
    // Errors of satellites are common to all photographs of a walk.
    context.note("positionUncertainty", (2 * error).json(digits: 1))
  }
}
