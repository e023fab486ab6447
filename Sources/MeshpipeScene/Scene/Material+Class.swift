extension Material {
  /// The default material of a class, in its colour of ``ClassPalette``.
  ///
  /// - Parameter isColored: Whether vertices have colours, which the material must not tint.
  package init(ofClass name: String, isColored: Bool) {
    let color =
      isColored ? SIMD4<Float>(repeating: 1) : SIMD4(ClassPalette.linearColor(of: name), 1)
    self.init(name: name, baseColor: color, isDoubleSided: true)
  }

  /// The material of faces without one and without a class: light grey.
  ///
  /// - Parameter isColored: Whether vertices have colours, which the material must not tint.
  package init(plain name: String, isColored: Bool) {
    let grey: SIMD4<Float> = isColored ? SIMD4(repeating: 1) : SIMD4(0.8, 0.8, 0.8, 1)
    self.init(name: name, baseColor: grey, isDoubleSided: true)
  }
}
