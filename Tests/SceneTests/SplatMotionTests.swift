import MeshPipeline
import MeshTestSupport
import Testing

/// Gaussian splats that are moved, turned, mirrored, scaled and stretched, by what is seen of them.
struct SplatMotionTests {
  private static let turn = Transform(rotationAboutXYZ: SIMD3(0.4, -0.7, 1.9))

  /// Maps that keep shapes, the same without their scale, and the scale.
  static let similarities: [(String, Transform, Double)] = [
    ("turned", turn, 1),
    ("turned by a quarter", Transform(rotationAbout: SIMD3(0, 1, 0), by: .pi / 2), 1),
    ("turned by a half", Transform(rotationAbout: SIMD3(0, 0, 1), by: .pi), 1),
    ("mirrored", Transform(scale: SIMD3(1, -1, 1)), 1),
    ("mirrored at a point", Transform(scale: SIMD3(-1, -1, -1)), 1),
    ("mirrored and turned", turn * Transform(scale: SIMD3(-1, 1, 1)), 1),
    ("exchanged", Transform(x: SIMD3(0, 1, 0), y: SIMD3(1, 0, 0), z: SIMD3(0, 0, 1)), 1),
    ("scaled", .identity, 0.001),
    ("scaled, turned and mirrored", turn * Transform(scale: SIMD3(1, 1, -1)), 2.5),
  ]

  @Test(arguments: similarities.map(\.0), [0, 1, 2, 3])
  func `a splat is seen as before from where the camera went, too`(name: String, degree: Int)
    throws
  {
    let (_, turn, scale) = try #require(Self.similarities.first { $0.0 == name })
    let map =
      Transform(translation: SIMD3(3, -1, 2)) * Transform(scale: SIMD3(repeating: scale)) * turn
    for scaleCount in 2...3 {
      let before = SplatFixtures.cloud(
        20, degree: degree, scaleCount: scaleCount, seed: UInt64(degree))
      var after = before
      after.apply(map)
      expectSameShapes(before, after, map)
      for splat in 0..<20 {
        for direction in SplatFixtures.directions {
          let color = SplatFixtures.color(splat, of: before, along: direction)
          let moved = SplatFixtures.color(splat, of: after, along: turn.apply(toVector: direction))
          #expect((color - moved).length < 1e-5, "\(splat)")
        }
      }
      #expect(after.attributes["opacity"] == before.attributes["opacity"])
      #expect(after.attributes["f_dc"] == before.attributes["f_dc"])
      #expect(after.attributes.map(\.name) == before.attributes.map(\.name))
    }
  }

  @Test(arguments: [
    Transform(scale: SIMD3(0.5, 2, 3)), turn * Transform(scale: SIMD3(-0.1, 4, 1)),
    Transform(x: SIMD3(1, 0, 0), y: SIMD3(0.7, 1, 0), z: SIMD3(-0.2, 0.3, 1)),
    Transform(scale: SIMD3(1, 1, 1e-4)),
  ])
  func `a stretched splat has the stretched covariance`(map: Transform) {
    for scaleCount in 2...3 {
      let before = SplatFixtures.cloud(50, degree: 1, scaleCount: scaleCount)
      var after = before
      after.apply(map)
      expectSameShapes(before, after, map)
      #expect(after.splatForm == before.splatForm)
    }
  }

  private func expectSameShapes(_ before: PointCloud, _ after: PointCloud, _ map: Transform) {
    for splat in before.positions.indices {
      let place = map.apply(toPoint: before.positions[splat].double)
      #expect((after.positions[splat].double - place).length < 1e-5)
      let expected = SplatFixtures.mapped(
        SplatFixtures.covariance(splat, of: before), by: map)
      let found = SplatFixtures.covariance(splat, of: after)
      #expect(SplatFixtures.difference(expected, found) < 1e-5, "\(splat)")
    }
  }

  @Test func `what a map leaves alone stays bit by bit`() {
    let before = SplatFixtures.cloud(10)
    var moved = before
    moved.apply(Transform(translation: SIMD3(1, 2, 3)))
    #expect(moved.attributes == before.attributes)
    var scaled = before
    scaled.apply(Transform(scale: SIMD3(repeating: 0.3048)))
    for name in ["f_dc", "f_rest", "opacity", "rot"] {
      #expect(scaled.attributes[name] == before.attributes[name])
    }
  }

  @Test func `other axes and another unit change splats like their points`() {
    let before = SplatFixtures.cloud(10)
    var scene = Scene(pointClouds: [before])
    let target = CoordinateSystem(
      up: .z, forward: .x, handedness: .left, metersPerUnit: 0.01)
    let map = scene.coordinateSystem.transform(to: target)
    scene.convert(to: target)
    expectSameShapes(before, scene.pointClouds[0], map)
    scene.convert(to: .arkit)
    expectSameShapes(before, scene.pointClouds[0], .identity)
    let back = scene.pointClouds[0].attributes["f_rest"]?.values.doubles ?? []
    for (value, own) in zip(back, before.attributes["f_rest"]?.values.doubles ?? []) {
      #expect(abs(value - own) < 1e-6)
    }
  }

  @Test func `joined splats in another system are brought into the first's`() {
    let before = SplatFixtures.cloud(10)
    var scene = Scene(pointClouds: [SplatFixtures.cloud(3)])
    var other = Scene(pointClouds: [before])
    other.coordinateSystem = .blender
    let map = CoordinateSystem.blender.transform(to: .arkit)
    scene.append(other)
    expectSameShapes(before, scene.pointClouds[1], map)
  }

  @Test func `the filter of Mip-Splatting is a length`() {
    var cloud = SplatFixtures.cloud(2)
    cloud.attributes.append(CustomAttribute("filter_3D", values: .float32([0.5, 1])))
    cloud.apply(Transform(scale: SIMD3(repeating: 4)))
    #expect(cloud.attributes["filter_3D"]?.values == .float32([2, 4]))
  }

  @Test func `numbers that mean nothing end nothing`() throws {
    var cloud = SplatFixtures.cloud(4)
    var turns = try #require(cloud.attributes["rot"]?.values.doubles)
    var lengths = try #require(cloud.attributes["scale"]?.values.doubles)
    for part in 0..<4 { (turns[part], turns[4 + part]) = (0, .nan) }
    lengths[6...8] = [-.infinity, .nan, 3]
    lengths[9] = -.infinity
    cloud.attributes["rot"] = CustomAttribute("rot", width: 4, values: .float64(turns))
    cloud.attributes["scale"] = CustomAttribute("scale", width: 3, values: .float64(lengths))
    var turned = cloud
    turned.apply(Self.turn)
    // No rotation is that of a quaternion of zeros.
    let expected = [Self.turn.quaternion.w, Self.turn.quaternion.x]
    let found = try #require(turned.attributes["rot"]?.values.doubles)
    #expect(abs(found[0] - expected[0]) < 1e-6 && abs(found[1] - expected[1]) < 1e-6)
    for scale in [SIMD3(1, 2, 3), SIMD3(0, 0, 0), SIMD3(1, 0, 0), SIMD3(.nan, 1, 1)] {
      var stretched = cloud
      stretched.apply(Transform(scale: scale))
      #expect(stretched.attributes.map(\.count) == cloud.attributes.map(\.count))
    }
  }

  @Test func `attributes of other points stay as they are`() {
    var cloud = PointCloud(positions: [Vector3(1, 2, 3)])
    cloud.attributes = [
      CustomAttribute("scale", width: 3, values: .float32([1, 2, 3])),
      CustomAttribute("rot", width: 4, values: .float32([1, 2, 3, 4])),
    ]
    let before = cloud.attributes
    cloud.apply(Transform(scale: SIMD3(2, 3, 4)) * Self.turn)
    #expect(cloud.attributes == before && cloud.splatForm == nil)
  }
}
