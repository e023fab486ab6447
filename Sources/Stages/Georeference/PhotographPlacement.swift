import MeshPipeline
import NativeLibraries
import Photogrammetry
import SurfaceKernels

/// The place of a scan on a map by where its photographs were taken, as their EXIF data says.
struct PhotographPlacement {
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

  /// A photograph with a position.
  private struct View {
    var camera: SIMD3<Double>
    var direction: SIMD3<Double>
    var location: PictureLocation
    var position: GeographicPosition
  }

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
    let views = try Self.views(frames, flat, progress)
    guard !views.isEmpty else { throw GeoreferenceFailure.nothingKnown }
    guard views.count > 2, let latitude = views.map(\.position.latitude).median(),
      let longitude = views.map(\.position.longitude).median(),
      let height = views.map(\.position.height).median()
    else { throw GeoreferenceFailure.tooFewPhotographs }
    let middle = GeographicPosition(latitude: latitude, longitude: longitude, height: height)
    let system = try MapSystem(parameters.system, around: middle)
    let places = try system.places(of: views.map(\.position))
    let pairs = zip(views, places).map { view, place in
      let error = max(1, view.location.positionError ?? Self.usualError)
      return PlacementFit.Pair(
        scan: view.camera, map: place, deviation: (error, 2 * error))
    }
    var freedom = parameters.freedom
    freedom.isLevel = true
    freedom.isRobust = true
    (self.middle, self.system, count) = (middle, system, views.count)
    error = pairs.map(\.deviation.horizontal).median() ?? Self.usualError
    let walked = PlacementFit(pairs, freedom)
    let share = (Double(max(1, pairs.count)) / Self.independent).squareRoot()
    let walkedTurn = 2 * (walked?.turnDeviation ?? .infinity) * max(1, share)
    let compass = freedom.turn == nil ? Self.compass(views) : nil
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
        spread: Self.text(Self.spread(of: views.map(\.camera))), error: Self.text(error),
        turn: "\(NumberText.fixed(min(180, turnUncertainty * 180 / .pi), digits: 0))°")
    }
    self.fit = fit
    if compass?.isMagnetic == true, freedom.turn == compass.map({ -$0.north.angle }) {
      context.warn(
        "the directions of the photographs are magnetic: the scan's turn is off by the declination of the place"
      )
    }
  }

  private static func views(
    _ frames: [Capture.Frame], _ flat: Transform, _ progress: (Double) throws -> Void
  ) throws -> [View] {
    let step = max(1, (frames.count + mostPhotographs - 1) / mostPhotographs)
    var views: [View] = []
    for index in stride(from: 0, to: frames.count, by: step) {
      try progress(Double(index) / Double(frames.count))
      guard case .file(let path) = frames[index].image,
        let file = try? MappedFile(path: path, allowsPipes: false),
        let location = PictureLocation(file), let position = location.position
      else { continue }
      let pose = frames[index].pose
      views.append(
        View(
          camera: flat.apply(toPoint: pose.translation),
          // A camera looks along −z.
          direction: flat.apply(toVector: -pose.z), location: location, position: position))
    }
    return views
  }

  private static func compass(_ views: [View]) -> (north: CompassNorth, isMagnetic: Bool)? {
    let told = views.filter { $0.location.bearing != nil }
    // True north is told by phones that know where they are.
    let isMagnetic = told.allSatisfy(\.location.isMagnetic)
    let usable = told.filter { $0.location.isMagnetic == isMagnetic }
    let north = CompassNorth(
      usable.map { CompassNorth.View(direction: $0.direction, bearing: $0.location.bearing ?? 0) })
    return north.map { ($0, isMagnetic) }
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
