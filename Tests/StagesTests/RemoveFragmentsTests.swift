import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct RemoveFragmentsTests {
  /// A torus, a cube (area 6) and a grid of 2 by 1 (area 2) in one mesh, and a speck in another.
  private var scene: Scene {
    var mesh = MeshFixtures.torus()
    for part in [MeshFixtures.cube, MeshFixtures.grid(columns: 2, rows: 1)] {
      let offset = UInt32(mesh.vertexCount)
      mesh.positions += part.positions
      mesh.indices += part.indices.map { $0 + offset }
    }
    let speck = Mesh(
      name: "speck", positions: [Vector3(0, 0, 0), Vector3(0.1, 0, 0), Vector3(0, 0.1, 0)],
      indices: [0, 1, 2])
    return Scene(meshes: [mesh, speck])
  }

  private func faces(
    _ scene: Scene, _ change: (inout RemoveFragments.Parameters) -> Void
  ) throws -> [Int] {
    var parameters = RemoveFragments.Parameters()
    change(&parameters)
    #expect(parameters.faults().isEmpty)
    return try RemoveFragments(parameters).run(scene, in: StageContext()).meshes.map(\.faceCount)
  }

  @Test func `nothing goes where it would be most of it`() throws {
    let areas = [MeshFixtures.torus().surfaceArea, 8]
    let share = areas[1] / (areas[0] + areas[1])
    for (loss, left) in [(share + 0.01, [576]), (share - 0.01, [592, 1])] {
      var parameters = RemoveFragments.Parameters()
      (parameters.minimumFaces, parameters.maximumLoss) = (20, loss)
      let context = StageContext()
      let result = try RemoveFragments(parameters).run(scene, in: context)
      #expect(result.meshes.map(\.faceCount) == left)
      #expect(context.warnings.contains { $0.contains("'maximumLoss'") } == (left.count > 1))
    }
  }

  @Test func `parts below a limit go`() throws {
    #expect(try faces(scene) { $0.minimumFaces = 4 } == [576 + 12 + 4])
    #expect(try faces(scene) { $0.minimumFaces = 5 } == [576 + 12])
    #expect(try faces(scene) { $0.minimumArea = Area(squareMeters: 1.9) } == [576 + 12 + 4])
    #expect(try faces(scene) { $0.minimumArea = Area(squareMeters: 2.1) } == [576 + 12])
    #expect(try faces(scene) { $0.minimumSize = .length(Length(meters: 0.1)) } == [592, 1])
    #expect(try faces(scene) { $0.minimumSize = .length(Length(meters: 1.5)) } == [576 + 4])
    // The torus and the grid span 2.5 and 2 of an extent of 3.25.
    #expect(try faces(scene) { $0.minimumSize = .fraction(0.7) } == [576])
  }

  @Test func `a part that hangs by a vertex is a part of its own`() throws {
    var mesh = MeshFixtures.grid(columns: 2, rows: 2)
    // Of the cell in one corner, only the face that touches the centre of the grid stays.
    mesh.keepFaces((0..<8).map { ![0, 2, 3, 4, 5].contains($0) })
    #expect(try faces(Scene(meshes: [mesh])) { $0.maximumParts = 1 } == [2])
  }

  @Test func `the largest by area stay`() throws {
    #expect(try faces(scene) { $0.maximumParts = 1 } == [576])
    #expect(try faces(scene) { $0.maximumParts = 2 } == [576 + 12])
    #expect(try faces(scene) { $0.maximumParts = 9 } == [592, 1])
  }

  @Test func `areas are in square metres`() throws {
    var millimetres = scene
    millimetres.coordinateSystem.metersPerUnit = 0.001
    #expect(try faces(millimetres) { $0.minimumArea = Area(squareMeters: 1.9e-6) } == [592])
  }

  @Test func `no limit at all is a fault`() {
    #expect(RemoveFragments.Parameters().faults().count == 1)
  }

  @Test func `an unwelded mesh gives a warning`() throws {
    var parameters = RemoveFragments.Parameters()
    parameters.minimumFaces = 2
    let context = StageContext()
    let soup = MeshFixtures.soup(of: MeshFixtures.grid(columns: 10, rows: 10))
    _ = try RemoveFragments(parameters).run(Scene(meshes: [soup]), in: context)
    #expect(context.warnings.count == 1)
  }
}
