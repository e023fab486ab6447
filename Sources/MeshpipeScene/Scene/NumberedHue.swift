/// Colours for numbered things, such as shapes or charts.
package enum NumberedHue {
  /// A pure hue for a number, far from those of the numbers beside it: red, green and blue from 0 to 1.
  package static func rgb(_ number: Float) -> SIMD3<Float> {
    // The golden ratio, of which no multiples are close.
    let hue = (number * 0.618).truncatingRemainder(dividingBy: 1)
    let parts = SIMD3<Float>(0, 1, 2) / 3 + hue
    let waves = parts - parts.rounded(.down)
    return SIMD3(abs(2 * waves.x - 1), abs(2 * waves.y - 1), abs(2 * waves.z - 1))
  }
}
