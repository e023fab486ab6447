import MeshPipeline
import MeshTestSupport
import Testing

/// What makes points splats, and what they are as one cloud or as plain points.
struct SplatFormTests {
  @Test(arguments: [0, 1, 2, 3], [2, 3])
  func `splats are recognised by their attributes`(degree: Int, scaleCount: Int) {
    let cloud = SplatFixtures.cloud(5, degree: degree, scaleCount: scaleCount)
    #expect(cloud.splatForm == SplatForm(degree: degree, scaleCount: scaleCount))
    let scene = Scene(pointClouds: [cloud, PointCloud(positions: [.zero])])
    #expect(scene.splatCount == 5 && scene.features.contains(.splats))
    let summary = SceneSummary(scene)
    #expect(summary.splats?.count == 5 && summary.splats?.forms.map(\.degree) == [degree])
    for name in ["rot", "scale"] {
      var other = cloud
      other.attributes[name] = nil
      #expect(other.splatForm == nil)
    }
  }

  @Test func `numbers in any order, type and with a prefix are gathered`() {
    let cloud = SplatFixtures.cloud(7, degree: 2)
    var scattered = cloud
    scattered.attributes = cloud.attributes.reversed().flatMap { attribute in
      (0..<attribute.width).reversed().map { part in
        CustomAttribute(
          "scalar_\(attribute.name)" + (attribute.width > 1 ? "_\(part)" : ""),
          values: .float64(
            (0..<attribute.count).map { attribute.values.double(at: attribute.width * $0 + part) })
        )
      }
    }
    #expect(scattered.splatForm == nil)
    let remark = scattered.gatherSplats()
    #expect(remark == nil)
    for attribute in cloud.attributes {
      #expect(scattered.attributes[attribute.name] == attribute)
    }
    #expect(scattered.attributes.count == cloud.attributes.count)
    var again = cloud
    let nothing = again.gatherSplats()
    #expect(nothing == nil && again == cloud)
  }

  @Test(arguments: ["opacity", "scale"])
  func `an attribute with the name of a prefixed one keeps its values under the other name`(
    name: String
  ) throws {
    let cloud = SplatFixtures.cloud(3, degree: 0)
    let other = CustomAttribute(name, values: .uint8([7, 8, 9]))
    var prefixed = cloud
    prefixed.attributes = [other]
    for attribute in cloud.attributes {
      for part in 0..<attribute.width {
        prefixed.attributes.append(
          CustomAttribute(
            "scalar_\(attribute.name)" + (attribute.width > 1 ? "_\(part)" : ""),
            values: .float32(
              (0..<3).map { Float(attribute.values.double(at: attribute.width * $0 + part)) })))
      }
    }
    _ = prefixed.gatherSplats()
    for attribute in cloud.attributes {
      #expect(prefixed.attributes[attribute.name] == attribute)
    }
    #expect(prefixed.attributes["scalar_\(name)"]?.values == other.values)
    #expect(prefixed.attributes.count == cloud.attributes.count + 1)
  }

  @Test func `what only looks alike stays as it is`() {
    var cloud = PointCloud(positions: [.zero])
    cloud.attributes = ["rot_0", "rot_1", "scale_0", "opacity"].map {
      CustomAttribute($0, values: .float64([1]))
    }
    let before = cloud
    let remark = cloud.gatherSplats()
    #expect(remark == nil && cloud == before)
  }

  @Test(arguments: zip([6, 30, 10, 72], [0, 2, 0, 3]))
  func `coefficients of no complete degree are cut off`(width: Int, degree: Int) throws {
    var cloud = SplatFixtures.cloud(2, degree: 0)
    let numbers = (0..<2 * width).map { Float($0) }
    cloud.attributes.append(
      CustomAttribute("f_rest", width: width, values: .float32(numbers)))
    let remark = cloud.gatherSplats() ?? ""
    #expect(remark.contains("\(width) numbers") && remark.contains("degree \(degree)"))
    #expect(cloud.splatForm?.degree == degree)
    guard degree > 0 else {
      #expect(cloud.attributes["f_rest"] == nil)
      return
    }
    // The second splat's green.
    let kept = (degree + 1) * (degree + 1) - 1
    let values = try #require(cloud.attributes["f_rest"]?.values.doubles)
    let first = Double(width + width / 3)
    #expect(values[4 * kept..<5 * kept].elementsEqual((0..<kept).map { first + Double($0) }))
  }

  @Test func `united splats look as before`() throws {
    let parts = [
      SplatFixtures.cloud(3, degree: 1, seed: 5), SplatFixtures.cloud(3, degree: 3, seed: 6),
      SplatFixtures.cloud(3, degree: 0, scaleCount: 2, seed: 7),
    ]
    var scene = Scene(pointClouds: parts)
    try scene.uniteSplats()
    let names = parts[1].attributes.map(\.name)
    for (part, united) in zip(parts, scene.pointClouds) {
      #expect(united.splatForm == SplatForm(degree: 3, scaleCount: 3))
      #expect(united.attributes.map(\.name) == names)
      for splat in 0..<3 {
        for direction in SplatFixtures.directions {
          let color = SplatFixtures.color(splat, of: part, along: direction)
          let now = SplatFixtures.color(splat, of: united, along: direction)
          #expect((color - now).length < 1e-9)
        }
        let (own, now) = (
          SplatFixtures.covariance(splat, of: part), SplatFixtures.covariance(splat, of: united)
        )
        #expect(SplatFixtures.difference(own, now) < 1e-9)
      }
    }
  }

  @Test func `splats and other points are not united`() {
    let splats = SplatFixtures.cloud(3)
    let points = PointCloud(name: "scan", positions: [.zero])
    for others in [
      Scene(pointClouds: [points, splats]),
      Scene(meshes: [MeshFixtures.cube], pointClouds: [splats]),
    ] {
      var scene = others
      #expect(throws: MixedSplats.self) { try scene.uniteSplats() }
      #expect(scene == others)
    }
    var plain = Scene(meshes: [MeshFixtures.cube], pointClouds: [points])
    #expect(throws: Never.self) { try plain.uniteSplats() }
    // A cloud without points takes part in nothing.
    var beside = Scene(pointClouds: [PointCloud(), splats])
    #expect(throws: Never.self) { try beside.uniteSplats() }
  }

  @Test func `plain points have the mean colour, and may leave out what is hardly seen`() {
    var cloud = PointCloud(positions: [.zero, Vector3(1, 0, 0), Vector3(2, 0, 0)])
    let constant = Float(0.28209479177387814)
    cloud.normals = [.zero, .zero, .zero]
    cloud.attributes = [
      CustomAttribute(
        "f_dc", width: 3,
        values: .float32([0, 0.5, -0.5, 9, -9, .nan, 0, 0, 0].map { $0 / constant })),
      CustomAttribute("opacity", values: .float32([0, 4, -4])),
      CustomAttribute("scale", width: 3, values: .float32([Float](repeating: -3, count: 9))),
      CustomAttribute("rot", width: 4, values: .float32([Float](repeating: 1, count: 12))),
      CustomAttribute("id", values: .uint8([1, 2, 3])),
    ]
    var scene = Scene(pointClouds: [cloud])
    scene.makeSplatsPlain()
    let plain = scene.pointClouds[0]
    #expect(
      plain.colors == [
        Color(red: 128, green: 255, blue: 0), Color(red: 255, green: 0, blue: 0),
        Color(red: 128, green: 128, blue: 128),
      ])
    #expect(plain.attributes.map(\.name) == ["id"] && plain.normals == nil)
    var visible = Scene(pointClouds: [cloud])
    visible.makeSplatsPlain(minimumOpacity: 0.1)
    #expect(visible.pointClouds[0].positions == Array(cloud.positions[..<2]))
  }
}
