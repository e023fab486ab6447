import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import SurfaceKernels
import Testing

/// Solids are closed, face out and stay near to what they were made from.
@Suite struct MakeSolidTests {
  private func solid(
    _ meshes: [Mesh], _ method: MakeSolid.Method = .wrap, voxel: Double? = nil,
    thickness: Double? = nil, base: Double? = nil, context: StageContext = StageContext()
  ) throws -> Mesh {
    var parameters = MakeSolid.Parameters()
    parameters.method = method
    parameters.voxelSize = voxel.map { .length(Length(meters: $0)) }
    parameters.thickness = thickness.map { .length(Length(meters: $0)) }
    parameters.flatBase = base.map { .length(Length(meters: $0)) }
    let scene = try MakeSolid(parameters).run(Scene(meshes: meshes), in: context)
    #expect(scene.meshes.count == 1)
    return scene.meshes[0]
  }

  private func expectSound(_ mesh: Mesh) {
    let health = MeshHealth(mesh)
    #expect(health.faces > 0 && health.boundaryEdges == 0 && health.nonManifoldEdges == 0)
    #expect(health.nonManifoldVertices == 0 && health.inconsistentEdges == 0)
    #expect(health.degenerateFaces == 0 && health.volume > 0)
    #expect(SelfIntersections(of: mesh).faces.isEmpty)
  }

  private func cube(at place: SIMD3<Float> = .zero, size: Float = 1) -> Mesh {
    var mesh = MeshFixtures.cube
    let box = mesh.bounds
    mesh.positions = mesh.positions.map {
      Vector3(($0.simd - box.minimum) / box.size * size + place)
    }
    return mesh
  }

  @Test func `a cube keeps its edges and corners`() throws {
    let result = try solid([cube()], voxel: 0.11)
    expectSound(result)
    #expect(abs(result.volume - 1) < 1e-5)
    #expect(abs(result.surfaceArea - 6) < 1e-4)
  }

  /// The area of the faces whose corners are all at the least height.
  private func baseArea(_ mesh: Mesh) -> Double {
    let lowest = mesh.bounds.minimum.y
    return (0..<mesh.faceCount).reduce(0) { sum, face in
      let (a, b, c) = mesh.vertices(ofFace: face)
      let isFlat = [a, b, c].allSatisfy { mesh.positions[Int($0)].y == lowest }
      return isFlat ? sum + mesh.areaVector(face).length / 2 : sum
    }
  }

  @Test func `a ball gets a base of two per cent of its footprint`() throws {
    let sphere = MeshFixtures.sphere(segments: 64, rings: 32)
    let context = StageContext()
    let whole = try solid([sphere], voxel: 0.08)
    let result = try solid([sphere], voxel: 0.08, base: 0.2, context: context)
    expectSound(result)
    let size = whole.bounds.size
    let footprint = Double(size.x * size.z)
    let area = baseArea(result)
    #expect(area > 0.02 * footprint && area < 0.04 * footprint)
    let cut = Double(result.bounds.minimum.y - whole.bounds.minimum.y)
    #expect(cut > 0 && context.notes.contains { $0.key == "baseCutMillimeters" })
    // A cap of a ball of radius r and the height h has the area π(2rh - h²).
    let radius = Double(size.y / 2)
    #expect(cut < 0.05 * 2 * radius)
    #expect(abs(.pi * (2 * radius * cut - cut * cut) - area) < 0.5 * area)
  }

  @Test func `what stands well is not cut, and a shell by half at most`() throws {
    let box = try solid([cube()], voxel: 0.11, base: 0.3)
    #expect(abs(box.volume - 1) < 1e-4)
    var waves = MeshFixtures.sheet(40) { x, z in 0.1 * sin(9 * x) * cos(7 * z) }
    waves.reverseFaces([Bool](repeating: true, count: waves.faceCount))
    let plain = try solid([waves], .shell, voxel: 0.02, thickness: 0.05)
    let result = try solid([waves], .shell, voxel: 0.02, thickness: 0.05, base: 1)
    expectSound(result)
    let cut = result.bounds.minimum.y - plain.bounds.minimum.y
    #expect(cut > 0 && cut <= 0.025 + 1e-6)
    #expect(baseArea(result) > 0 && baseArea(plain) == 0)
  }

  @Test func `small parts go before the base is cut`() throws {
    // A crumb below the cube, on which nothing could stand.
    let crumb = cube(at: SIMD3(0.4, -0.5, 0.4), size: 0.2)
    var parameters = MakeSolid.Parameters()
    (parameters.method, parameters.minimumSize) = (.wrap, .length(Length(meters: 0.3)))
    parameters.voxelSize = .length(Length(meters: 0.05))
    parameters.flatBase = .length(Length(meters: 0.1))
    let scene = Scene(meshes: [cube(), crumb])
    let result = try MakeSolid(parameters).run(scene, in: StageContext()).meshes[0]
    expectSound(result)
    #expect(abs(result.volume - 1) < 1e-4)
    #expect(abs(baseArea(result) - 1) < 0.2)
    // Where all are smaller, all stay.
    parameters.minimumSize = .length(Length(meters: 2))
    let all = try MakeSolid(parameters).run(scene, in: StageContext()).meshes[0]
    #expect(MeshHealth(all).components == 2)
  }

  @Test func `parts above the base are counted, cavities are not`() throws {
    var cavity = cube(at: SIMD3(0.3, 0.3, 0.3), size: 0.4)
    cavity.reverseFaces([Bool](repeating: true, count: cavity.faceCount))
    let floating = [cube(at: SIMD3(2, 0.5, 0), size: 0.5), cube(at: SIMD3(0, 2, 0), size: 0.5)]
    for (loose, base) in [([], 0.1), (floating, 0.1), (floating, nil)] {
      let context = StageContext()
      let beside = cube(at: SIMD3(2, 0, 2), size: 0.5)
      _ = try solid([cube(), cavity, beside] + loose, voxel: 0.1, base: base, context: context)
      let notes = Dictionary(uniqueKeysWithValues: context.notes.map { ($0.key, $0.value) })
      #expect(notes["floatingParts"]?.number == base.map { _ in Double(loose.count) })
      #expect(context.warnings.count == (base != nil && !loose.isEmpty ? 1 : 0))
      #expect(notes["parts"]?.number == Double(3 + loose.count))
      let isTold = notes["summary"]?.text?.hasSuffix(", in mid-air: 2 still there") == true
      #expect(isTold == (base != nil && !loose.isEmpty))
    }
  }

  @Test func `intersecting cubes become their union`() throws {
    let result = try solid([cube(), cube(at: SIMD3(0.5, 0.5, 0.5))], voxel: 0.12)
    expectSound(result)
    #expect(abs(result.volume - 1.875) < 0.01)
    #expect(MeshHealth(result).components == 1)
  }

  @Test func `a piece that looks inward is turned`() throws {
    var inverted = cube(at: SIMD3(2, 0, 0))
    inverted.reverseFaces([Bool](repeating: true, count: inverted.faceCount))
    let result = try solid([cube(), inverted], voxel: 0.2)
    expectSound(result)
    #expect(abs(result.volume - 2) < 1e-4)
  }

  @Test(arguments: [1, 3]) func `a sphere with holes is closed`(holes: Int) throws {
    let whole = MeshFixtures.sphere()
    let context = StageContext()
    let result = try solid([MeshFixtures.sphere(holes: holes)], voxel: 0.2, context: context)
    expectSound(result)
    #expect(context.notes.contains { $0.key == "closedHoles" && $0.value == holes.json })
    let summary = context.notes.first { $0.key == "summary" }?.value.content
    guard case .string(let text)? = summary else {
      Issue.record("no summary")
      return
    }
    #expect(text.hasPrefix("holes: \(holes) closed, "))
    #expect(abs(result.volume - whole.volume) < 0.03 * whole.volume)
  }

  @Test func `faces without common vertices do as well`() throws {
    let torus = MeshFixtures.torus()
    let result = try solid([MeshFixtures.soup(of: torus)], voxel: Double(torus.bounds.extent) / 20)
    expectSound(result)
    #expect(abs(result.volume - torus.volume) < 0.05 * torus.volume)
    // A torus has the Euler number 0.
    #expect(result.vertexCount - result.faceCount / 2 == 0)
  }

  @Test func `a sheet becomes a plate behind its visible side`() throws {
    let sheet = MeshFixtures.grid(columns: 4, rows: 3)
    for method in [MakeSolid.Method.shell, .wrap] {
      let result = try solid([sheet], method, voxel: 0.19, thickness: 0.5)
      expectSound(result)
      #expect(abs(result.volume - 6) < 0.15)
      // The grid looks up at a height of 0.
      #expect(abs(result.bounds.maximum.y) < 1e-3 && abs(result.bounds.minimum.y + 0.5) < 1e-2)
    }
  }

  @Test(arguments: [(0.0015, false), (0.002, false), (0.0005, true)])
  func `a sheet is as thick as asked, or its thickness is said`(
    thickness: Double, isThicker: Bool
  ) throws {
    // A strip of 200 mm with faces of 10 mm: half of that is no resolution for 1.5 mm.
    var sheet = MeshFixtures.grid(columns: 20, rows: 1)
    sheet.positions = sheet.positions.map { Vector3($0.simd * 0.01) }
    let context = StageContext()
    let result = try solid([sheet], thickness: thickness, context: context)
    expectSound(result)
    let note = context.notes.first { $0.key == "thicknessMillimeters" }?.value.content
    guard case .number(let millimeters)? = note else {
      Issue.record("no thickness")
      return
    }
    #expect(abs(result.volume / 0.002 * 1000 - millimeters) < 0.05 * millimeters)
    #expect(abs(millimeters - max(1000 * thickness, 400.0 / 300)) < 0.002)
    #expect(context.warnings.count == (isThicker ? 1 : 0))
    #expect(context.warnings.allSatisfy { $0.contains("1.33 mm thick rather than 0.50 mm") })
  }

  @Test func `custom attributes are those of the closest point`() throws {
    var box = cube()
    box.vertexAttributes = [
      CustomAttribute("height", values: .float32(box.positions.map(\.y)))
    ]
    box.faceAttributes = [
      CustomAttribute("number", values: .int32((0..<Int32(box.faceCount)).map { $0 }))
    ]
    let result = try solid([box], voxel: 0.11)
    let heights = try #require(result.vertexAttributes["height"])
    let numbers = try #require(result.faceAttributes["number"])
    for vertex in 0..<result.vertexCount where abs(result.positions[vertex].y - 0.5) > 0.2 {
      #expect(heights.values.double(at: vertex) == Double(result.positions[vertex].y.rounded()))
    }
    for face in 0..<result.faceCount {
      let source = Int(numbers.values.double(at: face))
      #expect(box.areaVector(source).normalized.dot(result.areaVector(face).normalized) > 0.99)
    }
  }

  @Test func `a room becomes a shell, an object is wrapped`() throws {
    // A cube without its lid that looks inward.
    var room = cube()
    room.reverseFaces([Bool](repeating: true, count: room.faceCount))
    room.keepFaces(
      (0..<room.faceCount).map { room.centroid(ofFace: $0).y < 0.99 })
    let context = StageContext()
    let result = try solid([room], .auto, voxel: 0.05, thickness: 0.1, context: context)
    expectSound(result)
    let notes = Dictionary(uniqueKeysWithValues: context.notes.map { ($0.key, $0.value) })
    #expect(notes["method"] == "shell")
    #expect(notes["reason"] == "the surface is open and looks inward, as a room")
    #expect(notes["openHoles"] == 1 && notes["closedHoles"] == 0)
    #expect(abs(result.bounds.maximum.x - 1.1) < 0.02)
    let other = StageContext()
    _ = try solid([cube()], .auto, voxel: 0.2, context: other)
    #expect(other.notes.first { $0.key == "method" }?.value == "wrap")
  }

  @Test func `classes and colours are those of the closest point`() throws {
    var mesh = cube()
    mesh.classes = FaceClasses(
      labels: (0..<mesh.faceCount).map { mesh.centroid(ofFace: $0).y > 0.99 ? 4 : 1 })
    mesh.colors = mesh.positions.map { $0.y > 0.5 ? .white : Color(red: 9, green: 0, blue: 0) }
    let result = try solid([mesh], voxel: 0.2)
    for face in 0..<result.faceCount {
      let height = result.centroid(ofFace: face).y
      if height > 0.999 { #expect(result.classes?.labels[face] == 4) }
      if height < 0.9 { #expect(result.classes?.labels[face] == 1) }
    }
    for (position, color) in zip(result.positions, result.colors ?? []) {
      #expect(color == (position.y > 0.5 ? .white : Color(red: 9, green: 0, blue: 0)))
    }
  }

  @Test func `a part thinner than a voxel stays`() throws {
    var plate = cube()
    plate.positions = plate.positions.map { Vector3($0.x, $0.y * 0.02, $0.z) }
    let result = try solid([plate], voxel: 0.1)
    expectSound(result)
    #expect(MeshHealth(result).components == 1)
    #expect(result.bounds.size.x > 0.95 && result.bounds.size.y < 0.35)
  }

  @Test func `sheets that coincide become one plate`() throws {
    let sheet = MeshFixtures.grid(columns: 4, rows: 3)
    // Winding numbers behind three sheets change from above one to below one half within some voxels.
    let result = try solid([sheet, sheet, sheet], voxel: 0.2)
    expectSound(result)
    #expect(result.bounds.extent < 6 && result.volume > 0)
  }

  @Test func `what can't be made says how it could be`() throws {
    #expect(throws: MakeSolid.Failure.noFaces) { try solid([Mesh()]) }
    #expect(throws: MakeSolid.Failure.noFaces) {
      try solid([Mesh(positions: [Vector3(0, .nan, 0)], indices: [0, 0, 0])])
    }
    let failure = #expect(throws: MakeSolid.Failure.self) { try solid([cube()], voxel: 1e-5) }
    guard case .tooFine("0.010 mm", let smallest, let cost) = failure else {
      Issue.record("not too fine")
      return
    }
    #expect(smallest.hasSuffix(" mm") && cost.hasSuffix(" GB"))
    // Their work is not a number.
    #expect(throws: MakeSolid.Failure.self) { try solid([cube()], voxel: 0) }
    #expect(throws: MakeSolid.Failure.self) { try solid([cube()], .shell, voxel: 0, thickness: 0) }
    #expect(throws: MakeSolid.Failure.tooThin(voxel: "100.000 mm", thickness: "150.000 mm")) {
      try solid([cube()], .shell, voxel: 0.1, thickness: 0.15)
    }
  }

  /// Triangles across each other, of which each is as large as the whole.
  private func looseTriangles(_ count: Int) -> Mesh {
    var random = SeededGenerator(seed: 5)
    func coordinate() -> Float { .random(in: -1...1, using: &random) }
    let positions = (0..<3 * count).map { _ in
      Vector3(coordinate(), coordinate(), coordinate())
    }
    return Mesh(positions: positions, indices: Array(0..<UInt32(3 * count)))
  }

  @Test func `loose triangles get wider voxels than a surface of as many steps`() throws {
    func made(_ mesh: Mesh) throws -> SolidMaking.Result {
      var options = SolidMaking.Options(
        method: .wrap, voxel: nil, thickness: nil, minimumSize: 0, base: nil)
      options.mostSteps = 1e5
      return try SolidMaking.run(mesh, options) { _ in }
    }
    let loose = try made(looseTriangles(100))
    #expect(MeshHealth(loose.mesh).boundaryEdges == 0 && loose.mesh.faceCount < 10_000)
    // A 150th of the extent, as for all large faces.
    let finer = try #require(loose.finerVoxel)
    #expect(abs(finer - 2.0 / 150) < 1e-3 && loose.voxel > 4 * finer)
    // Half an edge of a cube is a 150th as well, of which its surface has few.
    let box = try made(cube(size: 2))
    #expect(box.voxel < 0.5 * loose.voxel)
  }

  @Test func `a shell of loose triangles is at least some of the wider voxels thick`() throws {
    var options = SolidMaking.Options(
      method: .shell, voxel: nil, thickness: nil, minimumSize: 0, base: nil)
    options.mostSteps = 1e5
    let result = try SolidMaking.run(looseTriangles(100), options) { _ in }
    let thickness = try #require(result.thickness)
    #expect(MeshHealth(result.mesh).boundaryEdges == 0 && result.mesh.faceCount < 20_000)
    #expect(abs(thickness / result.voxel - 2.5) < 1e-9)
    // An eightieth of the extent, and 0.4 of a hundredth of it.
    let finer = try #require(result.finerVoxel)
    #expect(abs(finer - 0.008) < 1e-4 && result.voxel > 4 * finer)
  }

  @Test func `work that was asked for is refused before it is done`() throws {
    let failure = #expect(throws: MakeSolid.Failure.self) {
      try solid([looseTriangles(200)], voxel: 0.003)
    }
    let message = try #require(failure?.message)
    #expect(message.contains("million steps") && message.contains("use a 'voxelSize' of at least"))
    // A wall of a tenth of a millimetre around a room of a hundred millimetres, as prints have it.
    let thin = #expect(throws: MakeSolid.Failure.self) {
      try solid([cube(size: 0.5)], .shell, thickness: 1e-4)
    }
    guard case .tooThinForWork("0.100 mm", let least) = thin else {
      Issue.record("is not too thin: \(String(describing: thin))")
      return
    }
    // 1.8 voxels through it, in at most forty million steps: six and a half for each voxel on 1.5 m².
    let thickness = try #require(Double(least.dropLast(3)))
    #expect(abs(thickness / (1.8 * (1.5e6 * 6.5 / 4e7).squareRoot()) - 1) < 0.05)
  }

  @Test func `anything becomes sound, the same on any number of threads`() throws {
    for scene in MeshFixtures.all where !scene.meshes.isEmpty {
      var parameters = MakeSolid.Parameters()
      parameters.voxelSize = .fraction(0.1)
      let context = StageContext()
      let result = try? MakeSolid(parameters).run(scene, in: context)
      guard let result else {
        #expect(throws: MakeSolid.Failure.self) {
          try MakeSolid(parameters).run(scene, in: context)
        }
        continue
      }
      let alone = try Parallel.withThreads(1) {
        try MakeSolid(parameters).run(scene, in: StageContext())
      }
      #expect(result == alone)
      #expect(MeshHealth(result.meshes[0]).boundaryEdges == 0)
      #expect(MeshHealth(result.meshes[0]).nonManifoldEdges == 0)
    }
  }
}
