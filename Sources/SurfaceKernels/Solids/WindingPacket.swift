import MeshpipeScene
import POSIX

/// The winding numbers of four points near to each other, which go through the faces together.
struct WindingPacket {
  private let x, y, z: SIMD4<Float>
  /// The part of dipoles and series, times 4π.
  private var far = SIMD4<Float>.zero
  /// The half solid angle of faces, apart from whole turns, is that of a complex number.
  private var real = SIMD4<Float>(repeating: 1)
  private var imaginary = SIMD4<Float>.zero
  private var turns = SIMD4<Float>.zero

  /// - Parameter points: One or more, of which the first four count.
  private init(_ points: ArraySlice<SIMD3<Float>>) {
    var (x, y, z) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
    for lane in 0..<4 {
      let point = points[min(points.startIndex + lane, points.endIndex - 1)]
      (x[lane], y[lane], z[lane]) = (point.x, point.y, point.z)
    }
    (self.x, self.y, self.z) = (x, y, z)
  }

  /// The winding numbers at some points; halves for points on a face are undetermined.
  ///
  /// - Parameter add: Adds all faces to a packet.
  @inline(__always)
  static func values(
    at points: [SIMD3<Float>], _ add: (inout WindingPacket) -> Void
  ) -> [Float] {
    var values: [Float] = []
    values.reserveCapacity(points.count)
    for start in stride(from: 0, to: points.count, by: 4) {
      let four = points[start..<min(start + 4, points.count)]
      var packet = WindingPacket(four)
      add(&packet)
      for lane in four.indices { values.append(packet.value(lane - start)) }
    }
    return values
  }

  private func value(_ lane: Int) -> Float {
    let near = atan2(imaginary[lane], real[lane])
    return (far[lane] / 2 + near) / (2 * .pi) + turns[lane]
  }

  /// Adds the dipole of faces, unless a point is nearer to it than the root of `reach`.
  ///
  /// - Returns: Whether it was added.
  @inline(__always)
  mutating func add(
    _ dipole: SIMD3<Float>, at center: SIMD3<Float>, beyond reach: Float = 0
  ) -> Bool {
    let (x, y, z) = (center.x - x, center.y - y, center.z - z)
    let squared = x * x + y * y + z * z
    guard all(squared .> reach) else { return false }
    let inverse = Self.inverseRoot(squared)
    far += (dipole.x * x + dipole.y * y + dipole.z * z) * (inverse * inverse * inverse)
    return true
  }

  /// Adds a Taylor series about a centre.
  mutating func add(
    _ value: Float, _ slope: SIMD3<Float>, _ bend: SymmetricMatrix, about center: SIMD3<Float>
  ) {
    let (x, y, z) = (x - center.x, y - center.y, z - center.z)
    far += value + slope.x * x + slope.y * y + slope.z * z
    far += (bend.xx * x * x + bend.yy * y * y + bend.zz * z * z) / 2
    far += bend.yz * y * z + bend.xz * x * z + bend.xy * x * y
  }

  /// Adds a face with its corners.
  ///
  /// Half its solid angle is that of a complex number; the product of all is turned by their sum (van
  /// Oosterom and Strackee 1983).
  @inline(__always)
  mutating func add(_ a: SIMD3<Float>, _ b: SIMD3<Float>, _ c: SIMD3<Float>) {
    let (a, b, c) = (direction(to: a), direction(to: b), direction(to: c))
    let sine =
      a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) + a.z * (b.x * c.y - b.y * c.x)
    var cosine = 1 + a.x * b.x + a.y * b.y + a.z * b.z
    cosine += b.x * c.x + b.y * c.y + b.z * c.z
    cosine += c.x * a.x + c.y * a.y + c.z * a.z
    cosine.replace(with: 1, where: (cosine .== 0) .& (sine .== 0))
    let next = real * sine + imaginary * cosine
    let wasUp = imaginary .>= 0
    let turn = SIMD4<Float>(repeating: -1).replacing(with: 1, where: wasUp)
    turns += turn.replacing(with: 0, where: (wasUp .!= (sine .>= 0)) .| (wasUp .== (next .>= 0)))
    real = real * cosine - imaginary * sine
    imaginary = next
  }

  /// Takes the complex number back to unit length: each face makes it at most four times as long.
  @inline(__always)
  mutating func normalize() {
    let inverse = Self.inverseRoot(real * real + imaginary * imaginary)
    real *= inverse
    imaginary *= inverse
  }

  @inline(__always)
  private func direction(
    to point: SIMD3<Float>
  ) -> (x: SIMD4<Float>, y: SIMD4<Float>, z: SIMD4<Float>) {
    let (x, y, z) = (point.x - x, point.y - y, point.z - z)
    let inverse = Self.inverseRoot(x * x + y * y + z * z)
    return (x * inverse, y * inverse, z * inverse)
  }

  /// One by the square roots within some millionths, by Newton's method from half of the exponent; the
  /// standard library takes roots one by one.
  @inline(__always)
  private static func inverseRoot(_ numbers: SIMD4<Float>) -> SIMD4<Float> {
    let bits = unsafe unsafeBitCast(numbers, to: SIMD4<UInt32>.self)
    var roots = unsafe unsafeBitCast(0x5F37_59DF &- (bits &>> 1), to: SIMD4<Float>.self)
    let halves = numbers / 2
    for _ in 0..<2 { roots *= 1.5 - halves * roots * roots }
    return roots
  }
}
