import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct DecimateTests {
  private func decimate(
    _ meshes: [Mesh], to target: Amount, in context: StageContext = StageContext(),
    _ change: (inout Decimate.Parameters) -> Void = { _ in }
  ) throws -> Scene {
    var parameters = Decimate.Parameters()
    parameters.faces = target
    change(&parameters)
    return try Decimate(parameters).run(Scene(meshes: meshes), in: context)
  }

  private func decimate(
    _ mesh: Mesh, to target: Amount, in context: StageContext = StageContext(),
    _ change: (inout Decimate.Parameters) -> Void = { _ in }
  ) throws -> Mesh {
    try #require(try decimate([mesh], to: target, in: context, change).meshes.first)
  }

  // MARK: Exact results

  @Test func `a flat rectangle comes down to two faces and its four corners`() throws {
    let mesh = try decimate(MeshFixtures.grid(columns: 7, rows: 5), to: .count(2))
    #expect(mesh.faceCount == 2)
    #expect(
      Set(mesh.positions)
        == [Vector3(0, 0, 0), Vector3(7, 0, 0), Vector3(0, 0, 5), Vector3(7, 0, 5)])
    #expect(SurfaceSummary(mesh).area == 35)
  }

  @Test(arguments: Decimate.Quality.allCases)
  func `a cube of many faces comes down to its twelve`(quality: Decimate.Quality) throws {
    let mesh = try decimate(subdividedCube(6), to: .count(12)) { $0.quality = quality }
    let summary = SurfaceSummary(mesh)
    #expect(mesh.faceCount == 12)
    #expect(abs(summary.volume - 1) < 1e-6 && abs(summary.area - 6) < 1e-6)
    #expect(summary.isClosed && summary.eulerCharacteristic == 2)
  }

  /// Its thin sides are rows of needles, none of which can become better than it is.
  @Test(arguments: [0.01, 0.004], Decimate.Quality.allCases)
  func `the sides of a thin plate become as coarse as its faces`(
    thickness: Float, quality: Decimate.Quality
  ) throws {
    var plate = subdividedCube(16)
    for vertex in plate.positions.indices { plate.positions[vertex].y *= thickness }
    let result = try decimate(plate, to: .count(260)) { $0.quality = quality }
    let summary = SurfaceSummary(result)
    #expect(result.faceCount <= 260)
    #expect(summary.isClosed)
    #expect(abs(summary.volume / Double(thickness) - 1) < 1e-4)
  }

  @Test(arguments: [Amount.fraction(1), .count(1000), .count(12)])
  func `a target that is met already changes nothing`(target: Amount) throws {
    #expect(try decimate(MeshFixtures.cube, to: target) == MeshFixtures.cube)
  }

  @Test func `a class line through a flat grid keeps its ends and its place`() throws {
    var mesh = MeshFixtures.grid(columns: 8, rows: 6)
    mesh.classes = FaceClasses(labels: (0..<mesh.faceCount).map { $0 / 2 % 8 < 3 ? 1 : 2 })
    let result = try decimate(mesh, to: .count(4))
    #expect(result.faceCount == 4)
    #expect(classAreas(result) == [1: 18, 2: 30])
    #expect(
      Set(result.positions)
        == Set([0, 3, 8].flatMap { [Vector3($0, 0, 0), Vector3($0, 0, 6)] }))
  }

  // MARK: What every result owes

  @Test(arguments: ["sphere", "torus", "cylinder", "box with noise"], [0.5, 0.1, 0.04])
  func `a closed surface stays closed and manifold, and no face turns over`(
    name: String, fraction: Double
  ) throws {
    let mesh = try #require(Self.closed[name])
    let target = Int((Double(mesh.faceCount) * fraction).rounded())
    let result = try decimate(mesh, to: .fraction(fraction))
    let (before, after) = (SurfaceSummary(mesh), SurfaceSummary(result))
    #expect(result.faceCount <= target && result.faceCount >= target - 1)
    #expect(after.isClosed && after.nonManifoldEdges == 0)
    #expect(after.eulerCharacteristic == before.eulerCharacteristic)
    #expect(turnedFaces(of: result, comparedWith: mesh) == 0)
    // What lies inside a curved surface loses volume: about 12 over the faces for a sphere.
    #expect(abs(after.volume / before.volume - 1) < 25 / Double(target))
  }

  @Test(arguments: 0..<12, [Decimate.Quality.fast, .balanced])
  func `bumpy surfaces with borders, classes and seams keep them`(
    seed: Int, quality: Decimate.Quality
  ) throws {
    let mesh = bumpyTerrain(seed: seed)
    let target = [60, 150, 400][seed % 3]
    let result = try decimate(mesh, to: .count(target)) { $0.quality = quality }
    let (before, after) = (SurfaceSummary(mesh), SurfaceSummary(result))
    #expect(result.faceCount <= target && result.faceCount >= target - 1)
    #expect(after.nonManifoldEdges == 0)
    #expect(after.eulerCharacteristic == before.eulerCharacteristic)
    #expect(turnedFaces(of: result, comparedWith: mesh) == 0)
    #expect(abs(after.boundaryLength / before.boundaryLength - 1) < 0.05)
    let (areas, areasBefore) = (classAreas(result), classAreas(mesh))
    for (label, area) in areasBefore { #expect(abs((areas[label] ?? 0) / area - 1) < 0.1) }
    if quality == .fast { expectAttributesOfInput(result, mesh) }
    // A seam divides the texture: left of it u counts up, right of it down from 100.
    let coordinates = try #require(result.textureCoordinates)
    for corner in coordinates.indices {
      let position = result.positions[Int(result.indices[corner])]
      let u = coordinates[corner].x > 50 ? 100 - coordinates[corner].x : coordinates[corner].x
      #expect(abs(u - position.x) < 0.3 && abs(coordinates[corner].y - position.z) < 0.3)
    }
    for face in 0..<result.faceCount {
      let sides = Set((0..<3).map { coordinates[3 * face + $0].x > 50 })
      #expect(sides.count == 1, "a face across the seam")
    }
  }

  @Test func `labels are those of the surface below`() throws {
    let mesh = bumpyTerrain(seed: 3)
    let result = try decimate(mesh, to: .fraction(0.2))
    let nearest = NearestFace(mesh, cellSize: 2)
    var wrong = 0
    for face in 0..<result.faceCount {
      let below = try #require(nearest(centroid(result, face)))
      if mesh.classes?.labels[below.face] != result.classes?.labels[face] { wrong += 1 }
    }
    #expect(wrong == 0)
  }

  @Test func `meshes that touch are thinned together and do not tear`() throws {
    // A terrain in three strips with vertices of their own, as ARKit's anchors are.
    let whole = bumpyTerrain(seed: 5)
    let strips = (0..<3).map { strip in
      whole.selecting(
        faces: (0..<whole.faceCount).filter { Int(centroid(whole, $0).x) * 3 / 24 == strip })
    }
    let result = try decimate(strips, to: .fraction(0.2))
    let (before, after) = (SurfaceSummary(strips), SurfaceSummary(result.meshes))
    #expect(result.meshes.count == 3)
    #expect(result.faceCount <= strips.reduce(0) { $0 + $1.faceCount } / 5)
    #expect(after.eulerCharacteristic == before.eulerCharacteristic)
    #expect(after.nonManifoldEdges == 0)
    #expect(abs(after.boundaryLength / before.boundaryLength - 1) < 0.05)
  }

  @Test func `without preserve lines straighten, yet nothing opens`() throws {
    let mesh = bumpyTerrain(seed: 7)
    let result = try decimate(mesh, to: .count(40)) {
      $0.preserve = []
      $0.quality = .fast
    }
    let after = SurfaceSummary(result)
    #expect(result.faceCount <= 40)
    #expect(after.eulerCharacteristic == SurfaceSummary(mesh).eulerCharacteristic)
    #expect(after.nonManifoldEdges == 0)
    expectAttributesOfInput(result, mesh)
  }

  // MARK: Limits

  @Test func `an error bound ends it and holds`() throws {
    let sphere = MeshFixtures.sphere(segments: 64, rings: 32)
    let context = StageContext()
    let limit = RelativeLength.length(Length(meters: 0.01))
    let result = try decimate(sphere, to: .count(4), in: context) { $0.maximumError = limit }
    #expect(result.faceCount > 100 && result.faceCount < sphere.faceCount / 4)
    #expect(context.notes.contains { $0.key == "stoppedBy" })
    let warning = try #require(context.warnings.first)
    #expect(warning.contains("instead of 4: ") && warning.hasSuffix("raise 'maximumError'"))
    // A share is as much as the bound allows, and so is 0.
    for target in [Amount.fraction(0.001), .count(0)] {
      let context = StageContext()
      _ = try decimate(sphere, to: target, in: context) { $0.maximumError = limit }
      #expect(context.warnings == [])
    }
    let error = try #require(context.notes.first { $0.key == "errorMeters" })
    let meters = try #require(error.value.number)
    #expect(meters > 0.001 && meters <= 0.01)
    let nearest = NearestFace(result, cellSize: 0.5)
    for position in sphere.positions {
      #expect((nearest(position.double)?.distance ?? 1) < 0.03)
    }
  }

  @Test func `a tiny error bound removes only what lies in a plane`() throws {
    let result = try decimate(subdividedCube(4), to: .count(0)) {
      $0.maximumError = .fraction(1e-4)
    }
    // One vertex more than the corners may stay, where no way leads on without a face without area.
    #expect(result.faceCount < 20)
    #expect(abs(SurfaceSummary(result).volume - 1) < 1e-6)
  }

  @Test func `what can't be reached is said`() throws {
    let context = StageContext()
    let result = try decimate(MeshFixtures.sphere(), to: .count(0), in: context)
    #expect(result.faceCount >= 4)
    #expect(SurfaceSummary(result).isClosed)
    #expect(context.warnings.count == 1)
    #expect(context.warnings.first?.contains("instead of 0") == true)
  }

  @Test func `faces that share no vertices are told to be welded first`() throws {
    let context = StageContext()
    let soup = MeshFixtures.soup(of: MeshFixtures.sphere())
    let result = try decimate([soup], to: .fraction(0.5), in: context)
    #expect(context.warnings.contains { $0.contains("'weld'") })
    #expect(SurfaceSummary(result.meshes).isClosed)
  }

  @Test(arguments: [0, 0.3, 0.9])
  func `is well behaved with any target`(fraction: Double) {
    var parameters = Decimate.Parameters()
    parameters.faces = .fraction(fraction)
    expectWellBehaved(Decimate(parameters))
    parameters.preserve = []
    parameters.maximumError = .fraction(0.05)
    expectWellBehaved(Decimate(parameters))
  }

  @Test func `bad faces and points that are no numbers do not spread`() throws {
    var mesh = MeshFixtures.degenerate
    let sphere = MeshFixtures.sphere(segments: 32, rings: 16)
    let first = UInt32(mesh.vertexCount)
    mesh.positions += sphere.positions
    mesh.indices += sphere.indices.map { $0 + first }
    let result = try decimate(mesh, to: .fraction(0.3))
    #expect(result.faceCount <= (mesh.faceCount * 3 + 5) / 10)
    #expect(SurfaceSummary(result).area.isNaN)  // the broken faces are still there
  }

  @Test func `cancelling in the middle stops it`() {
    let cancellation = Cancellation()
    let context = StageContext(cancellation: cancellation) { fraction in
      if fraction > 0.3 { cancellation.request() }
    }
    #expect(throws: Cancelled.self) {
      try decimate([MeshFixtures.torus(segments: 100, sides: 50)], to: .fraction(0.1), in: context)
    }
  }

  @Test func `turning the scene turns the result`() throws {
    let torus = MeshFixtures.torus()
    let quarterTurn = Transform(x: SIMD3(0, 1, 0), y: SIMD3(-1, 0, 0), z: SIMD3(0, 0, 1))
    var turned = torus
    turned.apply(quarterTurn)
    let (one, other) = (
      try decimate(torus, to: .fraction(0.3)), try decimate(turned, to: .fraction(0.3))
    )
    #expect(one.faceCount == other.faceCount)
    #expect(abs(SurfaceSummary(one).volume / SurfaceSummary(other).volume - 1) < 0.02)
  }
}

// MARK: - Shapes and measures

extension DecimateTests {
  static let closed: [String: Mesh] = [
    "sphere": MeshFixtures.sphere(segments: 48, rings: 24),
    "torus": MeshFixtures.torus(segments: 60, sides: 24),
    "cylinder": cylinder(segments: 40, rings: 20),
    "box with noise": noisyBox(),
  ]

  private static func cylinder(segments: Int, rings: Int) -> Mesh {
    // A sphere whose polar quarter rings lie flat as the two ends.
    var mesh = MeshFixtures.sphere(segments: segments, rings: rings)
    mesh.positions = mesh.positions.map { position in
      let polar = acos(min(1, max(-1, Double(position.y)))) / Double.pi
      let around = atan2(Double(position.z), Double(position.x))
      let radius = min(1, min(polar, 1 - polar) * 4)
      let height = min(1, max(-1, (0.5 - polar) * 4))
      return Vector3(Float(radius * cos(around)), Float(height), Float(radius * sin(around)))
    }
    return mesh
  }

  private static func noisyBox() -> Mesh {
    var random = SeededGenerator(seed: 1)
    var mesh = subdividedCube(16)
    mesh.positions = mesh.positions.map { position in
      let noise = (0..<3).map { _ in Float.random(in: -0.004...0.004, using: &random) }
      return Vector3(
        position.x * 4 + noise[0], position.y * 2 + noise[1], position.z * 3 + noise[2])
    }
    return mesh
  }

  private static func subdividedCube(_ cells: Int) -> Mesh {
    var mesh = Mesh(name: "subdivided cube")
    var numbers: [Vector3: UInt32] = [:]
    func vertex(_ position: SIMD3<Float>) -> UInt32 {
      let position = Vector3(position)
      if let known = numbers[position] { return known }
      numbers[position] = UInt32(mesh.positions.count)
      mesh.positions.append(position)
      return UInt32(mesh.positions.count - 1)
    }
    let axes: [SIMD3<Float>] = [SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)]
    for axis in 0..<3 {
      let (u, v, w) = (axes[(axis + 1) % 3], axes[(axis + 2) % 3], axes[axis])
      for side in 0..<2 {
        for i in 0..<cells {
          for j in 0..<cells {
            func corner(_ a: Int, _ b: Int) -> UInt32 {
              vertex(
                u * (Float(i + a) / Float(cells)) + v * (Float(j + b) / Float(cells))
                  + w * Float(side))
            }
            let quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)]
            let order = side == 1 ? [0, 1, 2, 0, 2, 3] : [0, 2, 1, 0, 3, 2]
            mesh.indices += order.map { quad[$0] }
          }
        }
      }
    }
    return mesh
  }

  private func subdividedCube(_ cells: Int) -> Mesh { Self.subdividedCube(cells) }

  /// A hilly square of 24 × 24 cells with three classes, a texture seam at x = 12 and all attributes.
  private func bumpyTerrain(seed: Int) -> Mesh {
    var random = SeededGenerator(seed: UInt64(seed))
    var mesh = MeshFixtures.grid(columns: 24, rows: 24)
    let phases = (0..<4).map { _ in Double.random(in: 0..<6, using: &random) }
    mesh.positions = mesh.positions.map { position in
      let (x, z) = (Double(position.x), Double(position.z))
      let height = sin(x * 0.4 + phases[0]) * cos(z * 0.3 + phases[1]) + 0.5 * sin(z + phases[2])
      return Vector3(position.x, Float(height), position.z)
    }
    mesh.confidences = mesh.positions.indices.map { Float($0) }
    mesh.colors = mesh.positions.map { _ in
      Color(
        red: .random(in: 0...255, using: &random), green: .random(in: 0...255, using: &random),
        blue: 0)
    }
    mesh.textureCoordinates = mesh.indices.indices.map { corner in
      let position = mesh.positions[Int(mesh.indices[corner])]
      let isLeft = centroid(mesh, corner / 3).x < 12
      return Vector2(isLeft ? position.x : 100 - position.x, position.z)
    }
    mesh.classes = FaceClasses(
      labels: (0..<mesh.faceCount).map { face in
        let center = centroid(mesh, face)
        return center.z < 8 ? 1 : center.x < 16 ? 2 : 5
      })
    return mesh
  }

  private func centroid(_ mesh: Mesh, _ face: Int) -> SIMD3<Double> {
    (0..<3).map { mesh.positions[Int(mesh.indices[3 * face + $0])].double }
      .reduce(.zero, +) / 3
  }

  private func classAreas(_ mesh: Mesh) -> [UInt16: Double] {
    var areas: [UInt16: Double] = [:]
    for face in 0..<mesh.faceCount {
      guard let label = mesh.classes?.labels[face] else { continue }
      let corners = (0..<3).map { mesh.positions[Int(mesh.indices[3 * face + $0])].double }
      areas[label, default: 0] +=
        (corners[1] - corners[0]).cross(corners[2] - corners[0]).length / 2
    }
    return areas
  }

  /// The faces that look against the nearest face of the original.
  private func turnedFaces(of mesh: Mesh, comparedWith original: Mesh) -> Int {
    let edge = (SurfaceSummary(original).area / Double(original.faceCount)).squareRoot()
    let nearest = NearestFace(original, cellSize: 1.5 * edge)
    let own = NearestFace(mesh, cellSize: 1e6)
    return (0..<mesh.faceCount).count { face in
      guard let below = nearest(centroid(mesh, face)) else { return false }
      return own.normal(ofFace: face).dot(nearest.normal(ofFace: below.face)) <= 0
    }
  }

  /// Expects that each corner of a result has position and attributes of one corner of the input.
  private func expectAttributesOfInput(_ result: Mesh, _ input: Mesh) {
    func corners(_ mesh: Mesh) -> Set<[Float]> {
      Set(
        mesh.indices.indices.map { corner in
          let vertex = Int(mesh.indices[corner])
          let position = mesh.positions[vertex]
          let coordinates = mesh.textureCoordinates?[corner] ?? .zero
          let color = mesh.colors?[vertex] ?? .white
          return [
            position.x, position.y, position.z, coordinates.x, coordinates.y, Float(color.red),
            Float(color.green), mesh.confidences?[vertex] ?? -1,
          ]
        })
    }
    #expect(corners(result).isSubset(of: corners(input)))
  }
}
