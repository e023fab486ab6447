import MeshPipeline

extension Scene {
  /// Notes that the colours of its vertices, if it has some, are linear in the file.
  mutating func noteLinearColors() {
    if features.contains(.colors) { interpretation.set(.colors, "linear light", .format) }
  }
}

extension Material {
  /// The material of faces that have only a colour.
  init(ofFacesColored color: Color) {
    self.init(name: "color-" + color.hexadecimal, baseColor: color.linear)
  }
}

extension [Material] {
  /// The material of faces without one where others have one; added if it does not exist.
  mutating func indexOfPlain() -> UInt32 {
    let plain = Material(name: "default")
    if let known = firstIndex(of: plain) { return UInt32(known) }
    append(plain)
    return UInt32(count - 1)
  }
}

extension Color {
  /// Red, green, blue (linear) and opacity, each 0 to 1.
  var linear: SIMD4<Float> {
    let light = SRGBTable.shared.linear
    return SIMD4(light[Int(red)], light[Int(green)], light[Int(blue)], Float(alpha) / 255)
  }
}
