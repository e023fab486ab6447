import MeshpipeScene

/// A viewpoint relative to the scene's up and forward axes.
public struct Viewpoint: Sendable, Equatable {
  /// The azimuth of the camera in degrees: 0 in front of the scene, 90 to its right, 180 behind it.
  public var azimuth: Double
  /// Degrees above the horizon: 90 looks straight down.
  public var elevation: Double
  /// Whether the camera is inside the scene instead, looking the same way.
  public var isInside: Bool

  /// Creates a viewpoint from angles in degrees.
  public init(azimuth: Double, elevation: Double, isInside: Bool = false) {
    self.azimuth = azimuth
    self.elevation = elevation
    self.isInside = isInside
  }

  /// In front of the scene, at the height of its centre.
  public static let front = Viewpoint(azimuth: 0, elevation: 0)
  /// To the right of the scene.
  public static let right = Viewpoint(azimuth: 90, elevation: 0)
  /// Behind the scene.
  public static let back = Viewpoint(azimuth: 180, elevation: 0)
  /// To the left of the scene.
  public static let left = Viewpoint(azimuth: 270, elevation: 0)
  /// Above the scene, looking straight down.
  public static let top = Viewpoint(azimuth: 0, elevation: 90)
  /// Below the scene, looking straight up.
  public static let bottom = Viewpoint(azimuth: 0, elevation: -90)
  /// Inside the scene, looking the way that ``front`` looks.
  public static let inside = Viewpoint(azimuth: 0, elevation: 0, isInside: true)

  /// The view that shows most of a scene.
  ///
  /// - Parameter isOpened: Whether it is a room that is looked into from above.
  public static func threeQuarter(isOpened: Bool) -> Viewpoint {
    Viewpoint(azimuth: 30, elevation: isOpened ? 50 : 25)
  }

  /// The axes of a camera in a scene: right, up, and opposite to its view, each of length 1.
  func axes(in system: CoordinateSystem) -> Transform {
    let (sine, cosine) = Self.exact(azimuth)
    let (rise, run) = Self.exact(elevation)
    let ahead = system.forward.vector * cosine - system.right * sine
    return Transform(
      x: system.right * cosine + system.forward.vector * sine,
      y: system.up.vector * run + ahead * rise,
      z: system.up.vector * rise - ahead * run)
  }

  /// Sine and cosine of an angle in degrees, exact at quarter turns.
  private static func exact(_ degrees: Double) -> (sine: Double, cosine: Double) {
    let angle = Transform(rotationAbout: SIMD3(0, 0, 1), by: degrees * .pi / 180).x
    return (angle.y, angle.x)
  }
}

extension Viewpoint {
  /// The named views, besides `three-quarter`.
  private static let named: [(name: String, view: Viewpoint)] = [
    ("front", .front), ("back", .back), ("left", .left), ("right", .right), ("top", .top),
    ("bottom", .bottom), ("inside", .inside),
  ]

  /// The names of all views.
  package static var names: [String] { ["three-quarter"] + named.map(\.name) }

  /// Parses a name, `AZIMUTH,ELEVATION`, or `inside,AZIMUTH,ELEVATION`; nil if it is none of these.
  ///
  /// - Parameter isOpened: As for ``threeQuarter(isOpened:)``.
  package init?(_ text: String, isOpened: Bool) {
    if text == "three-quarter" {
      self = .threeQuarter(isOpened: isOpened)
      return
    }
    if let view = Self.named.first(where: { $0.name == text })?.view {
      self = view
      return
    }
    var parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let isInside = parts.first == "inside"
    if isInside { parts.removeFirst() }
    guard parts.count == 2, let azimuth = Double(parts[0]), let elevation = Double(parts[1]),
      azimuth.isFinite, abs(azimuth) <= 3600, abs(elevation) <= 90
    else { return nil }
    self.init(azimuth: azimuth, elevation: elevation, isInside: isInside)
  }
}
