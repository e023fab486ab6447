import MeshpipeScene
import POSIX

/// A colour in CIE L*a*b* (D65), whose differences are those that people see.
package struct LabColor: BitwiseCopyable, Sendable {
  private let lightness: Double
  private let a: Double
  private let b: Double

  package init(lightness: Double, a: Double, b: Double) {
    (self.lightness, self.a, self.b) = (lightness, a, b)
  }

  /// - Parameter light: Linear sRGB, 0 to 1.
  package init(light: SIMD3<Float>) {
    let light = SIMD3<Double>(light)
    // IEC 61966-2-1, divided by the white of D65.
    let x = SIMD3(0.4124564, 0.3575761, 0.1804375).dot(light) / 0.95047
    let y = SIMD3(0.2126729, 0.7151522, 0.0721750).dot(light)
    let z = SIMD3(0.0193339, 0.1191920, 0.9503041).dot(light) / 1.08883
    func response(_ value: Double) -> Double {
      value > 216.0 / 24389 ? cbrt(value) : (24389.0 / 27 * value + 16) / 116
    }
    let (fx, fy, fz) = (response(x), response(y), response(z))
    self.init(lightness: 116 * fy - 16, a: 500 * (fx - fy), b: 200 * (fy - fz))
  }

  /// The difference by CIEDE2000 (Sharma, Wu and Dalal 2005): 1 is just visible.
  package func difference(from other: LabColor) -> Double {
    let meanChroma = (hypot(a, b) + hypot(other.a, other.b)) / 2
    let stretch = 1.5 - 0.5 * Self.saturation(meanChroma)
    let (one, two) = (a * stretch, other.a * stretch)
    let (c1, c2) = (hypot(one, b), hypot(two, other.b))
    let (h1, h2) = (Self.hue(one, b), Self.hue(two, other.b))
    let isGray = c1 * c2 == 0
    var turn = isGray ? 0 : h2 - h1
    if turn > 180 { turn -= 360 } else if turn < -180 { turn += 360 }
    var hue = h1 + h2
    if !isGray {
      if abs(h1 - h2) > 180 { hue += hue < 360 ? 360 : -360 }
      hue /= 2
    }
    let (light, chroma) = ((lightness + other.lightness) / 2, (c1 + c2) / 2)
    let cosines =
      1 - 0.17 * Self.cosine(hue - 30) + 0.24 * Self.cosine(2 * hue)
      + 0.32 * Self.cosine(3 * hue + 6) - 0.20 * Self.cosine(4 * hue - 63)
    let fromMiddle = (light - 50) * (light - 50)
    let lightScale = 1 + 0.015 * fromMiddle / (20 + fromMiddle).squareRoot()
    let chromaScale = 1 + 0.045 * chroma
    let hueScale = 1 + 0.015 * chroma * cosines
    let blue = (hue - 275) / 25
    let rotation =
      -2 * Self.saturation(chroma) * sin(60 * exp(-blue * blue) * .pi / 180)
    let byLight = (other.lightness - lightness) / lightScale
    let byChroma = (c2 - c1) / chromaScale
    let byHue = 2 * (c1 * c2).squareRoot() * sin(turn / 2 * .pi / 180) / hueScale
    return
      (byLight * byLight + byChroma * byChroma + byHue * byHue + rotation * byChroma * byHue)
      .squareRoot()
  }

  private static func cosine(_ degrees: Double) -> Double { cos(degrees * .pi / 180) }

  /// From 0 for grey to 1 for vivid colours.
  private static func saturation(_ chroma: Double) -> Double {
    let power = pow(chroma, 7)
    return (power / (power + 6_103_515_625)).squareRoot()
  }

  private static func hue(_ a: Double, _ b: Double) -> Double {
    guard a != 0 || b != 0 else { return 0 }
    let degrees = atan2(b, a) * 180 / .pi
    return degrees < 0 ? degrees + 360 : degrees
  }
}
