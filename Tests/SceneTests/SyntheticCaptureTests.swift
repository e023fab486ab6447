import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

/// Other tests rely on a capture whose truth is known: here the truth itself is tested.
struct SyntheticCaptureTests {
  /// Points that are on the room's surface, and what the pictures show where they project to.
  static func shown(
    _ capture: SyntheticCapture, frame index: Int, trulyPosed: Bool = true
  ) throws -> [(true: SIMD3<Float>, shown: SIMD3<Float>)] {
    var frame = capture.frames[index]
    if trulyPosed { frame.pose = capture.truePoses[index] }
    let camera = Camera(frame)
    let image = try frame.loadImage()
    let depth = try #require(try frame.loadDepth())
    let scale = SIMD2<Float>(depth.size) / SIMD2<Float>(image.size)
    let mesh = capture.scene.meshes[0]
    var result: [(SIMD3<Float>, SIMD3<Float>)] = []
    for face in 0..<mesh.faceCount {
      let (a, b, c) = mesh.vertices(ofFace: face)
      let point =
        (mesh.positions[Int(a)].simd + mesh.positions[Int(b)].simd + mesh.positions[Int(c)].simd)
        / 3
      guard let place = camera.project(point), camera.contains(SIMD2(place.x, place.y), margin: 4)
      else { continue }
      let pixel = SIMD2(Int(place.x), Int(place.y))
      let cell = SIMD2(Int(place.x * scale.x), Int(place.y * scale.y))
      guard abs(depth.meters[cell.y * depth.width + cell.x] - place.z) < 0.03 else { continue }
      let center = SIMD3(Float(pixel.x) + 0.5, Float(pixel.y) + 0.5, 0)
      // The point of the surface behind the pixel's centre, near enough for a smooth texture.
      let ray = camera.ray(through: SIMD2(center.x, center.y))
      let normal = SIMD3<Float>(mesh.areaVector(ofFace: face)).normalized
      let distance = normal.dot(point - camera.position) / normal.dot(ray)
      let start = 3 * (pixel.y * image.width + pixel.x)
      result.append(
        (
          capture.code(at: camera.position + ray * distance),
          SIMD3(
            Float(image.pixels[start]), Float(image.pixels[start + 1]),
            Float(image.pixels[start + 2]))
        ))
    }
    return result
  }

  static func error(_ pairs: [(true: SIMD3<Float>, shown: SIMD3<Float>)]) -> Float {
    (pairs.reduce(Float(0)) { $0 + ($1.true - $1.shown).lengthSquared / 3 } / Float(pairs.count))
      .squareRoot()
  }

  @Test func `a point of the room projects to a pixel of its colour`() throws {
    let capture = try SyntheticCapture {
      $0.frameCount = 4
      $0.depthSize = SIMD2(160, 120)
    }
    for index in 0..<4 {
      let pairs = try Self.shown(capture, frame: index)
      #expect(pairs.count > 20)
      #expect(Self.error(pairs) < 2.5, "frame \(index): \(Self.error(pairs))")
    }
  }

  @Test func `a lens bends the picture as its model says`() throws {
    let capture = try SyntheticCapture {
      $0.frameCount = 2
      $0.depthSize = SIMD2(160, 120)
      $0.distortion = .radialTangential(
        numerator: SIMD3(-0.12, 0.03, 0), denominator: .zero, tangential: SIMD2(0.004, -0.003))
    }
    #expect(Self.error(try Self.shown(capture, frame: 0)) < 2.5)
    let straight = try SyntheticCapture { $0.frameCount = 2 }
    #expect(try capture.frames[0].loadImage() != straight.frames[0].loadImage())
  }

  @Test func `gains, blur and errors of poses are as told`() throws {
    let capture = try SyntheticCapture {
      $0.frameCount = 3
      $0.exposureJitter = 0.2
      $0.whiteBalanceJitter = 0.1
      $0.blurred = [1: 3]
      $0.poseNoise = (0.02, 0.01)
    }
    #expect(Set(capture.gains).count == 3)
    for index in 0..<3 {
      let shift = capture.truePoses[index].translation - capture.frames[index].pose.translation
      #expect(shift.length > 0.001 && shift.length < 0.1)
      #expect(abs(capture.frames[index].pose.determinant - 1) < 1e-9)
      let noisy = try Self.shown(capture, frame: index, trulyPosed: false)
      #expect(Self.error(noisy) > 6)
    }
    let same = try SyntheticCapture { $0.frameCount = 3 }
    #expect(
      Self.contrast(try capture.frames[1].loadImage())
        < 0.6 * Self.contrast(try same.frames[1].loadImage()))
  }

  @Test func `the person is in picture and depth but not in the mesh`() throws {
    let person = SyntheticRoom.person.center
    let pose = SyntheticCapture.pose(
      at: SIMD3(-0.5, 0, 0), lookingAt: SIMD3<Double>(SIMD3(person.x, 0, person.z)))
    let capture = try SyntheticCapture {
      $0.poses = [pose, pose]
      $0.framesWithPerson = [1]
      $0.depthSize = SIMD2(160, 120)
    }
    func middle(_ index: Int) throws -> (red: UInt8, green: UInt8, meters: Float) {
      let image = try capture.frames[index].loadImage()
      let depth = try #require(try capture.frames[index].loadDepth())
      let pixel = 60 * 160 + 80
      return (image.pixels[3 * pixel], image.pixels[3 * pixel + 1], depth.meters[pixel])
    }
    #expect(try middle(0).meters > 2.4 && middle(0).green > 60)
    #expect(try middle(1).meters < 1.7 && middle(1).green < 45 && middle(1).red > 230)
  }

  @Test func `the mesh is a room seen from inside`() {
    let mesh = SyntheticRoom.mesh()
    #expect((300...800).contains(mesh.faceCount))
    #expect(throws: Never.self) { try mesh.validate(materialCount: 0) }
    // Inwards: the volume that the outer faces enclose counts as negative; furniture as positive,
    // without its bottom, whose plane lies at the floor.
    let low = SIMD3<Double>(0, -1.25, 0)
    let volume = (0..<mesh.faceCount).reduce(0.0) { sum, face in
      let (a, b, c) = mesh.vertices(ofFace: face)
      let points = [a, b, c].map { mesh.positions[Int($0)].double - low }
      return sum + points[0].dot(points[1].cross(points[2])) / 6
    }
    let furniture = 0.7 * 1 * 0.6 + 1.2 * 0.5 * 1
    #expect(abs(volume - (furniture - 4 * 2.5 * 3)) < 1e-3)
  }

  /// The mean difference between neighbours in a row.
  static func contrast(_ image: Image) -> Float {
    var sum = 0
    for pixel in 0..<image.width * image.height - 1 {
      sum += abs(Int(image.pixels[3 * pixel]) - Int(image.pixels[3 * pixel + 3]))
    }
    return Float(sum) / Float(image.width * image.height)
  }
}
