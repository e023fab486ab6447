import MeshpipeBase

/// A signed coordinate axis.
public enum SignedAxis: String, Sendable, CaseIterable {
  /// In the direction of increasing coordinates.
  case x, y, z
  /// Against the x axis.
  case negativeX = "-x"
  /// Against the y axis.
  case negativeY = "-y"
  /// Against the z axis.
  case negativeZ = "-z"

  /// The unit vector along the axis.
  public var vector: SIMD3<Double> {
    switch self {
    case .x: SIMD3(1, 0, 0)
    case .y: SIMD3(0, 1, 0)
    case .z: SIMD3(0, 0, 1)
    case .negativeX: SIMD3(-1, 0, 0)
    case .negativeY: SIMD3(0, -1, 0)
    case .negativeZ: SIMD3(0, 0, -1)
    }
  }

  /// The index of the axis without its sign: 0, 1 or 2.
  public var index: Int {
    switch self {
    case .x, .negativeX: 0
    case .y, .negativeY: 1
    case .z, .negativeZ: 2
    }
  }
}

/// The meaning of a scene's coordinates: the up and forward axes, the handedness and the unit.
public struct CoordinateSystem: Sendable, Equatable {
  /// Whether `right`, `up` and `backward` correspond to the thumb, index and middle finger of the
  /// right or left hand.
  public enum Handedness: String, Sendable, CaseIterable {
    /// The hand whose fingers the axes correspond to.
    case right, left
  }

  /// The axis that points up.
  public var up: SignedAxis
  /// The axis that points to the front of the model.
  public var forward: SignedAxis
  /// Whether the axes form a right-handed or a left-handed system.
  public var handedness: Handedness
  /// The length of a unit in metres.
  public var metersPerUnit: Double

  /// Creates a system; `up` and `forward` must be different axes.
  public init(
    up: SignedAxis, forward: SignedAxis, handedness: Handedness = .right, metersPerUnit: Double = 1
  ) {
    self.up = up
    self.forward = forward
    self.handedness = handedness
    self.metersPerUnit = metersPerUnit
  }

  /// ARKit's and glTF's world: right-handed, Y up along gravity, looking along −Z, metres.
  public static let arkit = CoordinateSystem(up: .y, forward: .negativeZ)

  /// Blender's world: right-handed, Z up, looking along +Y, metres.
  public static let blender = CoordinateSystem(up: .z, forward: .y)

  /// The unit vector to the right of an upright viewer looking forward.
  public var right: SIMD3<Double> {
    let product = forward.vector.cross(up.vector)
    return handedness == .right ? product : -product
  }

  /// The map from coordinates of this system to those of `target`, including units.
  ///
  /// It maps right to right, up to up and forward to forward; its determinant is negative exactly
  /// if the handedness differs. `up` and `forward` of both must be different axes.
  public func transform(to target: CoordinateSystem) -> Transform {
    let scale = metersPerUnit / target.metersPerUnit
    func image(_ axis: SIMD3<Double>) -> SIMD3<Double> {
      (target.right * axis.dot(right) + target.up.vector * axis.dot(up.vector)
        + target.forward.vector * axis.dot(forward.vector)) * scale
    }
    return Transform(
      x: image(SIMD3(1, 0, 0)), y: image(SIMD3(0, 1, 0)), z: image(SIMD3(0, 0, 1)))
  }
}

extension CoordinateSystem {
  /// The foot of the United States until 2022 in metres, two millionths longer than the international one: 0.6 m at
  /// 300 km.
  package static let usSurveyFoot = 1200.0 / 3937

  /// The unit in words: `metres`.
  package var unitWords: String { Self.unitWords(ofMeters: metersPerUnit) }

  /// A unit of a length in metres, in words: `US survey feet`.
  package static func unitWords(ofMeters meters: Double) -> String {
    let known = unitNames.first { abs(meters / $0.meters - 1) < 1e-9 }
    return known?.words ?? "units of \(JSONValue.text(of: meters)) m"
  }

  private static let unitNames: [(meters: Double, words: String)] = [
    (1, "metres"), (0.1, "decimetres"), (0.01, "centimetres"), (0.001, "millimetres"),
    (1000, "kilometres"), (0.0254, "inches"), (0.3048, "feet"), (usSurveyFoot, "US survey feet"),
  ]

  /// The system as meshpipe writes it into comments and headers of formats that can't express it.
  ///
  /// `meshpipe up=z forward=y hand=right unit=0.001m`
  package var declaration: String {
    "meshpipe up=\(up.rawValue) forward=\(forward.rawValue) hand=\(handedness.rawValue) "
      + "unit=\(JSONValue.text(of: metersPerUnit))m"
  }

  /// The system declared in a line, whatever precedes the declaration.
  ///
  /// - Returns: Nil if the line has no valid declaration.
  package init?(declaredIn line: String) {
    let words = line.split { $0 == " " || $0 == "\t" }
    guard let name = words.firstIndex(of: "meshpipe") else { return nil }
    let values = words[(name + 1)...].prefix(4).map { word in
      word.split(separator: "=", maxSplits: 1).map(String.init)
    }
    guard values.count == 4, values.allSatisfy({ $0.count == 2 }),
      values.map({ $0[0] }) == ["up", "forward", "hand", "unit"],
      let up = SignedAxis(rawValue: values[0][1]), let forward = SignedAxis(rawValue: values[1][1]),
      up.index != forward.index, let hand = Handedness(rawValue: values[2][1]),
      values[3][1].hasSuffix("m"), let unit = Double(values[3][1].dropLast()),
      (1e-9...1e9).contains(unit)
    else { return nil }
    self.init(up: up, forward: forward, handedness: hand, metersPerUnit: unit)
  }
}
