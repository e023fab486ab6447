/// Whether a point is inside a polygon, which may cross itself (even-odd rule).
@inlinable
package func isInside<Scalar: BinaryFloatingPoint & SIMDScalar>(
  _ point: SIMD2<Scalar>, of polygon: [SIMD2<Scalar>]
) -> Bool {
  var isInside = false
  guard var a = polygon.last else { return false }
  for b in polygon {
    if (a.y > point.y) != (b.y > point.y),
      point.x < a.x + (b.x - a.x) * (point.y - a.y) / (b.y - a.y)
    {
      isInside.toggle()
    }
    a = b
  }
  return isInside
}
