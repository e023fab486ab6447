/// The lines in which a plane cuts the meshes of a scene.
///
/// All lengths are in the units of the scene. A section moves along with the scene, but is not cut again.
public struct Section: Sendable, Equatable, Codable {
  /// A chain of cut faces.
  public struct Curve: Sendable, Equatable, Codable {
    /// In the plane's axes, without repetition of the first point at the end of a closed curve; the solid is on the left
    /// where faces look to the right.
    public var points: [SIMD2<Double>]
    /// Whether the last point is joined to the first.
    public var isClosed: Bool
    /// The name of the class or of the mesh that was cut; empty without.
    public var layer: String

    /// Creates a curve.
    public init(points: [SIMD2<Double>], isClosed: Bool, layer: String) {
      self.points = points
      self.isClosed = isClosed
      self.layer = layer
    }
  }

  /// Tells the section from others of the scene, for people: `1.20 m`, `A`.
  public var name: String
  /// From the plane's axes to the scene: x to the right and y to the top of the drawing, z towards its viewer.
  public var placement: Transform
  /// The curves.
  public var curves: [Curve]

  /// Creates a section.
  public init(name: String, placement: Transform, curves: [Curve]) {
    self.name = name
    self.placement = placement
    self.curves = curves
  }
}
