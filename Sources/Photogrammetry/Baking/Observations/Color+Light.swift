package import MeshpipeScene

extension Color {
  /// The opaque colour of linear light, each channel from 0 to 65535.
  package init(light: SIMD4<Float>) {
    let code = clampedToCode(light)
    let codes = SRGBTable.shared.codes
    self.init(red: codes[Int(code.x)], green: codes[Int(code.y)], blue: codes[Int(code.z)])
  }
}
