import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// What stages do with attributes that they know nothing of.
@Suite struct CustomAttributeTests {
  private var grid: Mesh {
    var mesh = MeshFixtures.grid(columns: 8, rows: 6)
    mesh.addCustomAttributes()
    return mesh
  }

  private func run(_ stage: some Stage, on mesh: Mesh) throws -> Mesh {
    let scene = try stage.run(Scene(meshes: [mesh]), in: StageContext())
    for mesh in scene.meshes { try mesh.validate(materialCount: scene.materials.count) }
    return try #require(scene.meshes.first)
  }

  /// The values of a custom attribute as numbers.
  private func numbers(_ attribute: CustomAttribute?) throws -> [Double] {
    try #require(attribute).values.doubles
  }

  @Test func `weld takes means of floats and first values of integers`() throws {
    var soup = MeshFixtures.soup(of: MeshFixtures.grid(columns: 2, rows: 1))
    soup.addCustomAttributes()
    let count = soup.vertexCount
    soup.vertexAttributes.append(
      CustomAttribute("height", values: .float64((0..<count).map(Double.init))))
    let mesh = try run(Weld(Weld.Parameters()), on: soup)
    #expect(mesh.vertexCount == 6)
    #expect(mesh.fieldError == 0)
    let heights = try numbers(mesh.vertexAttributes["height"])
    let instances = try numbers(mesh.vertexAttributes["instance"])
    for vertex in 0..<mesh.vertexCount {
      let joined = soup.positions.indices.filter { soup.positions[$0] == mesh.positions[vertex] }
      #expect(heights[vertex] == Double(joined.reduce(0, +)) / Double(joined.count))
      #expect(instances[vertex] == Double(joined[0]))
    }
  }

  @Test(arguments: Decimate.Quality.allCases)
  func `decimate moves floats to their new places and chooses integers`(
    quality: Decimate.Quality
  ) throws {
    var parameters = Decimate.Parameters()
    parameters.faces = .count(20)
    parameters.quality = quality
    // Not flat, so that vertices move; the field is of the place on the surface before.
    var mesh = grid
    for vertex in mesh.positions.indices {
      mesh.positions[vertex].y = 0.02 * Float(vertex * 7 % 5)
    }
    mesh.cornerAttributes = []
    mesh.addFieldAgain()
    let result = try run(Decimate(parameters), on: mesh)
    #expect(result.faceCount <= 20)
    #expect(result.fieldError < 0.2)
    let instances = try numbers(result.vertexAttributes["instance"])
    #expect(
      instances.allSatisfy { (0..<Double(mesh.vertexCount)).contains($0) && $0 == $0.rounded() })
    let parts = try numbers(result.faceAttributes["part"])
    #expect(
      Set(stride(from: 0, to: parts.count, by: 2).map { parts[$0] }).count == result.faceCount)
    for face in 0..<result.faceCount { #expect(parts[2 * face + 1] == 2 * parts[2 * face]) }
  }

  @Test func `large doubles lose nothing to the weights of their mean`() throws {
    var mesh = MeshFixtures.grid(columns: 9, rows: 7)
    for vertex in mesh.positions.indices {
      mesh.positions[vertex].y = 0.02 * Float(vertex * 7 % 5)
    }
    mesh.vertexAttributes = [
      CustomAttribute("time", values: .float64(mesh.positions.map { _ in 1_234_567_890.5 }))
    ]
    var parameters = Decimate.Parameters()
    parameters.faces = .count(20)
    let times = try numbers(run(Decimate(parameters), on: mesh).vertexAttributes["time"])
    #expect(times.allSatisfy { abs($0 - 1_234_567_890.5) < 1e-5 })
    var points = SamplePoints.Parameters()
    points.density = 20
    let scene = try SamplePoints(points).run(Scene(meshes: [mesh]), in: StageContext())
    let sampled = try numbers(scene.pointClouds.first?.attributes["time"])
    #expect(sampled.allSatisfy { abs($0 - 1_234_567_890.5) < 1e-5 })
  }

  @Test func `decimate keeps seams of custom attributes`() throws {
    var mesh = MeshFixtures.grid(columns: 6, rows: 4)
    // Two halves of different value, with a border at x = 3.
    mesh.cornerAttributes = [
      CustomAttribute(
        "half",
        values: .uint8(
          (0..<mesh.faceCount).flatMap { face -> [UInt8] in
            let x = (0..<3).reduce(0) { $0 + mesh.positions[Int(mesh.indices[3 * face + $1])].x }
            return [UInt8](repeating: x > 9 ? 1 : 0, count: 3)
          }))
    ]
    var parameters = Decimate.Parameters()
    parameters.faces = .count(4)
    let result = try run(Decimate(parameters), on: mesh)
    let halves = try numbers(result.cornerAttributes["half"])
    var area = [0.0, 0.0]
    for face in 0..<result.faceCount {
      #expect(halves[3 * face] == halves[3 * face + 1])
      area[Int(halves[3 * face])] += result.area(ofFace: face)
    }
    #expect(area == [12, 12])
  }

  @Test func `a cut interpolates along edges`() throws {
    var parameters = Crop.Parameters()
    parameters.min = LengthVector(meters: SIMD3(0.3, -1, 0.7))
    parameters.max = LengthVector(meters: SIMD3(6.6, 1, 4.1))
    parameters.mode = .cut
    let mesh = try run(Crop(parameters), on: grid)
    #expect(mesh.bounds.minimum.x == 0.3)
    #expect(mesh.fieldError < 1e-5)
    let parts = try numbers(mesh.faceAttributes["part"])
    for face in 0..<mesh.faceCount {
      // The original face is the one with the new one's middle: two in each cell of the grid.
      let middle =
        (0..<3).reduce(SIMD3<Float>.zero) {
          $0 + mesh.positions[Int(mesh.indices[3 * face + $1])].simd
        } / 3
      let cell = Int(middle.z) * 8 + Int(middle.x)
      #expect(Int(parts[2 * face]) / 2 == cell)
    }
  }

  @Test func `selected faces keep their values`() throws {
    let original = grid
    var mesh = original
    mesh.keepFaces((0..<mesh.faceCount).map { $0 % 3 == 1 })
    try mesh.validate(materialCount: 0)
    #expect(mesh.fieldError == 0)
    let kept = (0..<original.faceCount).filter { $0 % 3 == 1 }
    let keptParts: [Double] = kept.flatMap { [Double($0), 2 * Double($0)] }
    let keptSeams: [Double] = kept.flatMap { face in (0..<3).map { Double(3 * face + $0) } }
    #expect(try numbers(mesh.faceAttributes["part"]) == keptParts)
    #expect(try numbers(mesh.cornerAttributes["seam"]) == keptSeams)
    let parts = original.partitioned(by: (0..<original.faceCount).map { UInt32($0 % 3) }, count: 3)
    #expect(parts[1].faceAttributes == mesh.faceAttributes)
    #expect(parts[1].cornerAttributes == mesh.cornerAttributes)
    #expect(parts.allSatisfy { $0.fieldError == 0 })
  }

  @Test func `a reversed face takes its corners along`() throws {
    var mesh = MeshFixtures.cube
    mesh.addCustomAttributes()
    mesh.flipFace(2)
    let seams = try numbers(mesh.cornerAttributes["seam"])
    #expect(Array(seams[5...9]) == [5, 6, 8, 7, 9])
    mesh.flipFace(2)
    mesh.flipWinding()
    #expect(Array(try numbers(mesh.cornerAttributes["seam"])[0...5]) == [0, 2, 1, 3, 5, 4])
  }

  @Test func `merge fills with zeros, and numbers of different types become doubles`() throws {
    var (first, second) = (MeshFixtures.cube, MeshFixtures.cube)
    first.vertexAttributes = [
      CustomAttribute("id", values: .int32(first.positions.map { _ in 1 << 30 })),
      CustomAttribute("time", values: .float32(first.positions.map { _ in 0.5 })),
    ]
    second.vertexAttributes = [
      CustomAttribute("id", values: .uint8(second.positions.map { _ in 3 }))
    ]
    let scene = Scene(meshes: [first, second])
    let filled = try Merge(Merge.Parameters()).run(scene, in: StageContext()).meshes[0]
    #expect(filled.vertexAttributes["id"]?.type == .float64)
    #expect(
      try numbers(filled.vertexAttributes["id"])
        == [Double](repeating: 0x1p30, count: 8) + [Double](repeating: 3, count: 8))
    #expect(filled.vertexAttributes["time"]?.type == .float32)
    #expect(
      try numbers(filled.vertexAttributes["time"])
        == [Double](repeating: 0.5, count: 8) + [Double](repeating: 0, count: 8))

    var parameters = Merge.Parameters()
    parameters.missing = .drop
    let context = StageContext()
    let dropped = try Merge(parameters).run(scene, in: context).meshes[0]
    #expect(dropped.vertexAttributes.map(\.name) == ["id"])
    #expect(context.warnings == ["only some of the meshes have time: dropped from all"])
  }

  @Test func `of attributes of different widths only the first one's is joined`() throws {
    var (first, second) = (MeshFixtures.cube, MeshFixtures.cube)
    first.vertexAttributes = [
      CustomAttribute("flow", width: 2, values: .float32([Float](repeating: 1, count: 16)))
    ]
    second.vertexAttributes = [
      CustomAttribute("flow", values: .float32([Float](repeating: 2, count: 8)))
    ]
    let scene = Scene(meshes: [first, second])
    let filled = try Merge(Merge.Parameters()).run(scene, in: StageContext()).meshes[0]
    #expect(filled.vertexAttributes["flow"]?.width == 2)
    #expect(
      try numbers(filled.vertexAttributes["flow"])
        == [Double](repeating: 1, count: 16) + [Double](repeating: 0, count: 16))

    var parameters = Merge.Parameters()
    parameters.missing = .drop
    let context = StageContext()
    #expect(try Merge(parameters).run(scene, in: context).meshes[0].vertexAttributes == [])
    #expect(context.warnings == ["only some of the meshes have flow: dropped from all"])
  }

  @Test func `appending values part by part takes time in proportion to their number`() {
    expectProportionalTime(upTo: 20_000) { count in
      var attributes: [CustomAttribute] = []
      for part in 0..<count {
        attributes.append(
          [CustomAttribute("height", values: .float32([Float](repeating: 1, count: 16)))],
          to: 16 * part, count: 16)
      }
      #expect(attributes[0].count == 16 * count)
    }
  }

  @Test func `samples have the values of their places`() throws {
    var parameters = SamplePoints.Parameters()
    parameters.density = 20
    let scene = try SamplePoints(parameters).run(Scene(meshes: [grid]), in: StageContext())
    let cloud = try #require(scene.pointClouds.first)
    #expect(cloud.attributes.map(\.name) == ["field", "instance", "seam", "part"])
    let fields = try numbers(cloud.attributes["field"])
    let parts = try numbers(cloud.attributes["part"])
    for point in cloud.positions.indices {
      #expect(abs(Float(fields[2 * point]) - linearField(cloud.positions[point]).x) < 1e-4)
      let position = cloud.positions[point]
      #expect(Int(parts[2 * point]) / 2 == Int(position.z) * 8 + Int(position.x))
    }
  }

  @Test(arguments: builtInStages.map { $0.name })
  func `every stage keeps the attributes of what it keeps`(name: String) throws {
    let definition = try #require(StageRegistry(builtInStages)[name])
    let entry = try #require(JSONReader.read(Array(definition.example.utf8)).value)
    var members: [JSONValue.Member] = []
    if case .object(let with) = entry["with"]?.content { members = with }
    let stage = try #require(definition.prepared(with: members) { _, _, _ in } as? any Stage)
    guard let scene = try? stage.run(MeshFixtures.sceneWithEverything, in: StageContext()) else {
      return  // The example needs another scene.
    }
    // A new surface has none, and the stage says so.
    guard !definition.dataFlow.removes.contains(.customAttributes) else { return }
    let ofPoints = MeshFixtures.sceneWithEverything.pointClouds.map { $0.attributes.map(\.name) }
    for mesh in scene.meshes where mesh.faceCount > 0 && mesh.name != "cube" {
      let names =
        mesh.vertexAttributes.map(\.name) + mesh.cornerAttributes.map(\.name)
        + mesh.faceAttributes.map(\.name)
      // A mesh that is made of points has theirs.
      let isOfPoints = definition.dataFlow.removes.contains(.points) && ofPoints.contains(names)
      #expect(isOfPoints || names == ["field", "instance", "seam", "part"])
    }
    for cloud in scene.pointClouds where !cloud.positions.isEmpty && cloud.name != "cube" {
      #expect(!cloud.attributes.isEmpty)
    }
  }
}

extension Mesh {
  /// Computes ``linearField(_:)`` anew after vertices were moved.
  fileprivate mutating func addFieldAgain() {
    vertexAttributes["field"]?.values = .float32(
      positions.flatMap { [linearField($0).x, linearField($0).y] })
  }
}
