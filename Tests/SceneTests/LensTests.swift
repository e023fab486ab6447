import MeshPipeline
import Testing

/// Expected pixels are what OpenCV 4's `projectPoints` and `fisheye.projectPoints` gave for a focal
/// length of (500, 510) and a principal point of (320, 240).
struct LensTests {
  static let phone = Capture.Distortion.radialTangential(
    numerator: SIMD3(0.06, -0.12, 0.05), denominator: .zero, tangential: SIMD2(0.0011, -0.0007))
  static let radial = Capture.Distortion.radialTangential(
    numerator: SIMD3(0.09, -0.12, 0.02), denominator: .zero, tangential: .zero)
  static let actionCamera = Capture.Distortion.radialTangential(
    numerator: SIMD3(-0.28, 0.09, -0.012), denominator: .zero, tangential: SIMD2(0.0006, -0.0004))
  static let rational = Capture.Distortion.radialTangential(
    numerator: SIMD3(2.5, 1.1, 0.05), denominator: SIMD3(2.8, 1.7, 0.22),
    tangential: SIMD2(-0.0004, 0.0003))
  static let fisheye = Capture.Distortion.fisheye(SIMD4(0.05, -0.03, 0.012, -0.002))
  static let wideFisheye = Capture.Distortion.fisheye(SIMD4(-0.03, 0.002, -0.001, 0))

  /// Points in the camera's right, down and forward.
  static let points: [SIMD3<Float>] = [
    SIMD3(0.1, -0.2, 1), SIMD3(-0.6, 0.4, 1.2), SIMD3(1.1, 0.9, 2), SIMD3(-1.4, -1, 2.1),
  ]

  static func camera(
    _ distortion: Capture.Distortion, focalLength: SIMD2<Double> = SIMD2(500, 510)
  ) -> Camera {
    Camera(
      Capture.Frame(
        name: "a", image: .file("a.jpg"), imageSize: SIMD2(640, 480),
        intrinsics: Capture.Intrinsics(
          focalLength: focalLength, principalPoint: SIMD2(320, 240)),
        distortion: distortion, pose: .identity))
  }

  @Test(arguments: [
    (
      phone,
      [
        (370.0888125, 137.8111725), (67.4220314643, 411.8696574931),
        (596.5712548438, 471.2420944969), (-13.9734598016, -2.7758200323),
      ]
    ),
    (
      radial,
      [
        (370.210125, 137.571345), (65.5515903635, 413.0249185528),
        (599.7912569375, 473.4985216988), (-17.4648086665, -5.8672177427),
      ]
    ),
    (
      actionCamera,
      [
        (369.285175, 139.453143), (92.2127957819, 394.9566877572),
        (561.9283695875, 442.1390402558), (36.8848086577, 34.0335520415),
      ]
    ),
    (
      rational,
      [
        (369.2965925082, 139.4400512834), (91.8817451741, 395.0835799483),
        (563.8552872991, 443.3420847641), (33.7480909404, 31.2347597454),
      ]
    ),
    (
      fisheye,
      [
        (369.3064460603, 139.4148500371), (92.1079296975, 394.9666078057),
        (562.7532679726, 442.5886363626), (35.6928854373, 32.86195939),
      ]
    ),
  ])
  func `a lens bends points to where OpenCV has them`(
    distortion: Capture.Distortion, pixels: [(Double, Double)]
  ) throws {
    let camera = Self.camera(distortion)
    for (point, expected) in zip(Self.points, pixels) {
      let pixel = try #require(camera.project(SIMD3(point.x, -point.y, -point.z)))
      #expect(abs(Double(pixel.x) - expected.0) < 1e-3)
      #expect(abs(Double(pixel.y) - expected.1) < 1e-3)
      #expect(pixel.z == point.z)
      // A pinhole sees the displaced point at the same pixel.
      let local = camera.warpedLocal(SIMD3(point.x, -point.y, -point.z))
      let plane = SIMD2(local.x, local.y) / local.z * camera.focalLength + camera.principalPoint
      #expect(abs(plane.x - pixel.x) < 1e-3 && abs(plane.y - pixel.y) < 1e-3)
    }
  }

  /// With the focal lengths at which each model reaches the corners: the action camera's lies 55° from
  /// the axis, near the turning point of its polynomial.
  @Test(arguments: [
    (phone, 500.0), (radial, 500.0), (actionCamera, 400.0), (rational, 500.0), (fisheye, 330.0),
    (wideFisheye, 330.0),
  ])
  func `the ray through a pixel meets points that are seen there`(
    distortion: Capture.Distortion, focalLength: Double
  ) throws {
    let camera = Self.camera(distortion, focalLength: SIMD2(focalLength, focalLength))
    for y in stride(from: Float(0), through: 480, by: 24) {
      for x in stride(from: Float(0), through: 640, by: 32) {
        let pixel = try #require(camera.project(3 * camera.ray(through: SIMD2(x, y))))
        #expect(abs(pixel.x - x) < 4e-3 && abs(pixel.y - y) < 4e-3, "\(x) \(y) \(pixel)")
      }
    }
  }

  @Test func `a point beyond the turning point of the polynomial is not in the picture`() {
    // r − r³ + 0.3 r⁵ falls from r = 0.65 on, and rises again after 1.25.
    let lens = Capture.Distortion.radialTangential(
      numerator: SIMD3(-1, 0.3, 0), denominator: .zero, tangential: .zero)
    let camera = Self.camera(lens)
    #expect(camera.project(SIMD3(0.6, 0, -1)) != nil)
    for x in stride(from: Float(0.75), through: 5, by: 0.25) {
      #expect(camera.project(SIMD3(x, 0, -1)) == nil)
    }
  }

  @Test func `coefficients that are no lens give no trap, and directions all the same`() {
    for value in [Double.nan, .infinity, -1e300, 1e300] {
      for distortion in [
        Capture.Distortion.fisheye(SIMD4(value, 0, value, 0)),
        .radialTangential(
          numerator: SIMD3(value, 1, 0), denominator: SIMD3(0, value, 0),
          tangential: SIMD2(value, 0)),
      ] {
        let camera = Self.camera(distortion)
        _ = camera.project(SIMD3(0.3, 0.2, -1))
        let ray = camera.ray(through: SIMD2(10, 10))
        #expect(abs(ray.length - 1) < 1e-3, "\(distortion) \(ray)")
      }
    }
  }
}
