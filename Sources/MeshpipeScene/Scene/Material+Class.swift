extension Material {
  /// The default material of a class: a muted colour for ARKit's and RoomPlan's classes and for numbered
  /// ones, such as `plane-2`; light grey for all others.
  ///
  /// - Parameter isColored: Whether vertices have colours, which the material must not tint.
  package init(ofClass name: String, isColored: Bool) {
    let color = isColored ? SIMD4<Float>(repeating: 1) : Self.color(ofClass: name)
    self.init(name: name, baseColor: color, isDoubleSided: true)
  }

  /// The material of faces without one and without a class: light grey.
  ///
  /// - Parameter isColored: Whether vertices have colours, which the material must not tint.
  package init(plain name: String, isColored: Bool) {
    let grey: SIMD4<Float> = isColored ? SIMD4(repeating: 1) : SIMD4(0.8, 0.8, 0.8, 1)
    self.init(name: name, baseColor: grey, isDoubleSided: true)
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
    case "bed", "bathtub", "toilet", "sink": SIMD4(0.50, 0.46, 0.68, 1)
    case "sofa", "chair": SIMD4(0.10, 0.33, 0.46, 1)
    case "storage", "cabinet", "counter": SIMD4(0.42, 0.24, 0.12, 1)
    case "refrigerator", "stove", "oven", "dishwasher", "washer-dryer", "home-appliance":
      SIMD4(0.24, 0.42, 0.38, 1)
    case "television", "tv": SIMD4(0.05, 0.06, 0.08, 1)
    case "fireplace": SIMD4(0.50, 0.14, 0.07, 1)
    case "stairs": SIMD4(0.36, 0.27, 0.16, 1)
    default: color(ofNumberedClass: name) ?? SIMD4(0.50, 0.50, 0.50, 1)
    }
  }

  /// The colour of a class with a number, such as `plane-2`.
  private static func color(ofNumberedClass name: String) -> SIMD4<Float>? {
    guard let hyphen = name.lastIndex(of: "-"), let number = Float(name[hyphen...].dropFirst()),
      number.isFinite
    else { return nil }
    return SIMD4(0.12 + 0.45 * NumberedHue.rgb(number), 1)
  }
}
