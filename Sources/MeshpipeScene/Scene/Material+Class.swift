extension Material {
  /// The default material of a class: a muted colour for each of ARKit's classes, light grey for
  /// all others.
  ///
  /// - Parameter isColored: Whether vertices have colours, which the material must not tint.
  package init(ofClass name: String, isColored: Bool) {
    let color = isColored ? SIMD4<Float>(repeating: 1) : Self.color(ofClass: name)
    self.init(name: name, baseColor: color, isDoubleSided: true)
  }

  /// Linear red, green, blue and opacity.
  private static func color(ofClass name: String) -> SIMD4<Float> {
    switch name {
    case "wall": SIMD4(0.60, 0.57, 0.50, 1)
    case "floor": SIMD4(0.30, 0.17, 0.08, 1)
    case "ceiling": SIMD4(0.80, 0.80, 0.78, 1)
    case "table": SIMD4(0.50, 0.24, 0.06, 1)
    case "seat": SIMD4(0.08, 0.22, 0.40, 1)
    case "window": SIMD4(0.28, 0.52, 0.64, 1)
    case "door": SIMD4(0.36, 0.10, 0.07, 1)
    default: SIMD4(0.50, 0.50, 0.50, 1)
    }
  }
}
