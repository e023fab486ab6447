import POSIX

/// The lens of a camera: distorts and undistorts points.
///
/// Points are on the plane at distance 1, Y down. Formulas and names of coefficients are OpenCV's.
struct Lens: Sendable {
  let distortion: Capture.Distortion
  /// The undistorted distance from the axis up to which the model is injective.
  ///
  /// Beyond its turning point the polynomial folds the outside back into the image. An angle for a
  /// fisheye.
  private let limit: Double

  init(_ distortion: Capture.Distortion) {
    self.distortion = distortion
    let slope: (Double) -> Double
    let end: Double
    switch distortion {
    case .none: (slope, end) = ({ _ in 1 }, .infinity)
    // Beyond 84° from the axis no such model is valid.
    case .radialTangential(let k, let d, _): (slope, end) = ({ Radial(k, d, $0 * $0).slope }, 10)
    case .fisheye(let k): (slope, end) = ({ Self.fisheyeSlope($0, k) }, .pi / 2 - 1e-3)
    }
    limit = Self.firstZero(of: slope, below: end)
  }

  /// The coefficients of the polynomial of a lens that is nothing else, and its limit squared; nil for other lenses.
  var radialPolynomial: SIMD4<Float>? {
    guard case .radialTangential(let k, .zero, .zero) = distortion else { return nil }
    return SIMD4(SIMD3<Float>(k), Float(limit * limit))
  }

  /// The distorted position of a point; nil beyond the model's field of view.
  func distorted(_ p: SIMD2<Double>) -> SIMD2<Double>? {
    switch distortion {
    case .none: return p
    case .radialTangential(let k, let d, let t):
      let r2 = (p * p).sum()
      guard r2 < limit * limit else { return nil }
      return p * Radial(k, d, r2).factor + Self.tangential(p, r2, t)
    case .fisheye(let k):
      let r = (p * p).sum().squareRoot()
      guard r > 1e-9 else { return p }
      let angle = atan(r)
      guard angle < limit else { return nil }
      return p * (Self.fisheye(angle, k) / r)
    }
  }

  /// The undistorted position of `q`; beyond the model's field of view, the last valid one before.
  func undistorted(_ q: SIMD2<Double>) -> SIMD2<Double> {
    let bent = (q * q).sum().squareRoot()
    guard bent > 1e-9 else { return q }
    switch distortion {
    case .none: return q
    case .radialTangential(let k, let d, let t):
      let r = inverse(of: bent) { r in
        let radial = Radial(k, d, r * r)
        return (r * radial.factor, radial.slope)
      }
      let start = q * (r / bent)
      return t == .zero
        ? start : refined(from: start, toward: q, numerator: k, denominator: d, tangential: t)
    case .fisheye(let k):
      let angle = inverse(of: bent) { (Self.fisheye($0, k), Self.fisheyeSlope($0, k)) }
      return q * (tan(angle) / bent)
    }
  }

  /// Newton's method for an increasing function, bracketed by bounds.
  private func inverse(
    of value: Double, _ function: (Double) -> (value: Double, slope: Double)
  ) -> Double {
    var (low, high) = (0.0, limit)
    var guess = min(value, limit)
    for _ in 0..<60 {
      let (found, slope) = function(guess)
      if found > value { high = guess } else { low = guess }
      let step = (value - found) / slope
      // Rounding leaves the last step on a bound.
      if abs(step) < 1e-13 * max(guess, 1) { break }
      let next = guess + step
      guess = next > low && next < high ? next : (low + high) / 2
    }
    return guess
  }

  /// Newton's method in two dimensions, starting from the solution for a lens without tilt.
  private func refined(
    from start: SIMD2<Double>, toward q: SIMD2<Double>, numerator k: SIMD3<Double>,
    denominator d: SIMD3<Double>, tangential t: SIMD2<Double>
  ) -> SIMD2<Double> {
    var p = start
    for _ in 0..<12 {
      let r2 = (p * p).sum()
      let radial = Radial(k, d, r2)
      let bent: SIMD2<Double> = p * radial.factor + Self.tangential(p, r2, t)
      let miss = q - bent
      let mixed: Double = 2 * (p.x * p.y * radial.derivative + t.x * p.x + t.y * p.y)
      let stretch = p * p * (2 * radial.derivative) + radial.factor
      let xx: Double = stretch.x + 2 * t.x * p.y + 6 * t.y * p.x
      let yy: Double = stretch.y + 6 * t.x * p.y + 2 * t.y * p.x
      let determinant = xx * yy - mixed * mixed
      guard determinant > 1e-9 else { return p }
      let (x, y): (Double, Double) = (yy * miss.x - mixed * miss.y, xx * miss.y - mixed * miss.x)
      let step = SIMD2(x, y) / determinant
      let next = p + step
      guard (next * next).sum() < limit * limit else { return p }
      p = next
      if (step * step).sum() < 1e-24 { break }
    }
    return p
  }

  private static func tangential(
    _ p: SIMD2<Double>, _ r2: Double, _ t: SIMD2<Double>
  ) -> SIMD2<Double> {
    let cross = 2 * p.x * p.y
    let x: Double = t.x * cross + t.y * (r2 + 2 * p.x * p.x)
    let y: Double = t.x * (r2 + 2 * p.y * p.y) + t.y * cross
    return SIMD2(x, y)
  }

  private static func fisheye(_ angle: Double, _ k: SIMD4<Double>) -> Double {
    let a2 = angle * angle
    return angle * (1 + a2 * (k.x + a2 * (k.y + a2 * (k.z + a2 * k.w))))
  }

  private static func fisheyeSlope(_ angle: Double, _ k: SIMD4<Double>) -> Double {
    let a2 = angle * angle
    return 1 + a2 * (3 * k.x + a2 * (5 * k.y + a2 * (7 * k.z + a2 * 9 * k.w)))
  }

  /// The first zero of a function that is 1 at 0, or `end`.
  private static func firstZero(of function: (Double) -> Double, below end: Double) -> Double {
    guard end.isFinite else { return end }
    let steps = 1000
    guard
      let step = (1...steps).first(where: { !(function(end * Double($0) / Double(steps)) > 0) })
    else { return end }
    var low = end * Double(step - 1) / Double(steps)
    var high = end * Double(step) / Double(steps)
    for _ in 0..<40 {
      let middle = (low + high) / 2
      if function(middle) > 0 { low = middle } else { high = middle }
    }
    return low
  }
}

/// The radial part of Brown's and Conrady's model, at a squared distance from the axis.
private struct Radial {
  /// The factor of distances.
  var factor: Double
  /// The derivative of ``factor`` with respect to the squared distance.
  var derivative: Double
  /// The derivative of the distorted distance with respect to the distance.
  var slope: Double

  @inline(__always)
  init(_ k: SIMD3<Double>, _ d: SIMD3<Double>, _ r2: Double) {
    let top = 1 + r2 * (k.x + r2 * (k.y + r2 * k.z))
    let bottom = 1 + r2 * (d.x + r2 * (d.y + r2 * d.z))
    let topSlope = k.x + r2 * (2 * k.y + r2 * 3 * k.z)
    let bottomSlope = d.x + r2 * (2 * d.y + r2 * 3 * d.z)
    factor = top / bottom
    derivative = (topSlope - factor * bottomSlope) / bottom
    slope = factor + 2 * r2 * derivative
  }
}
