package import MeshpipeScene

/// Converts lengths between the units of a scene and metres.
///
/// Lengths in Photogrammetry are in units of the scene, as positions are. What the world decides
/// and not the scene (the error of a mesh, of depths, of poses) is in metres, and says so in its
/// name or comment; depths that are stored in 16 bits are in millimetres.
package struct MetricScale: Sendable {
  /// The length of a metre in units of the scene.
  private let unitsPerMeter: Float
  private let millimetersPerUnit: Float

  /// A scene in metres.
  static let meters = MetricScale(unitsPerMeter: 1)

  package init(_ system: CoordinateSystem) {
    self.init(unitsPerMeter: Float(1 / system.metersPerUnit))
  }

  private init(unitsPerMeter: Float) {
    self.unitsPerMeter = unitsPerMeter
    millimetersPerUnit = 1000 / unitsPerMeter
  }

  /// A length of the scene in metres.
  @inline(__always)
  package func meters(_ units: Float) -> Float { units / unitsPerMeter }

  /// A position in the scene in metres from its origin.
  @inline(__always)
  func meters(_ position: Vector3) -> SIMD3<Float> {
    SIMD3(meters(position.x), meters(position.y), meters(position.z))
  }

  /// A length of the scene in millimetres.
  @inline(__always)
  package func millimeters(_ units: Float) -> Float { units * millimetersPerUnit }

  /// The length of the scene that a length in metres is.
  @inline(__always)
  package func units(meters: Float) -> Float { meters * unitsPerMeter }

  /// The position in the scene of one in metres from its origin.
  @inline(__always)
  func units(meters position: Vector3) -> Vector3 {
    Vector3(units(meters: position.x), units(meters: position.y), units(meters: position.z))
  }

  /// The length of the scene that a length in millimetres is.
  @inline(__always)
  package func units(millimeters: Float) -> Float { millimeters / millimetersPerUnit }

  /// A length of the scene in millimetres.
  package func millimeters(_ units: Double) -> Double {
    units * Double(1 / unitsPerMeter) * 1000
  }
  /// The length of the scene that a length in metres is.
  package func units(meters: Double) -> Double { meters * Double(unitsPerMeter) }

  /// A density per metre, from one per unit of the scene.
  package func perMeter(_ perUnit: Float) -> Float { perUnit * unitsPerMeter }
  /// A density per metre, from one per unit of the scene.
  package func perMeter(_ perUnit: Double) -> Double { perUnit * Double(unitsPerMeter) }
  /// A density per unit of the scene, from one per metre.
  package func perUnit(_ perMeter: Double) -> Double { perMeter * Double(1 / unitsPerMeter) }

  /// An area of the scene in square metres.
  package func squareMeters(_ squareUnits: Double) -> Double {
    squareUnits / (Double(unitsPerMeter) * Double(unitsPerMeter))
  }
}
