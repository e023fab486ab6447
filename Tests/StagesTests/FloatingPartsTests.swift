import MeshPipeline
import MeshTestSupport
import Stages
import SurfaceKernels
import Testing

/// Parts that nothing carries are told from overhangs and bridges, and joined or left out.
@Suite struct FloatingPartsTests {
  private static let voxel = 0.1
  /// 1.25 voxels.
  private static let barArea = Double.pi * 0.125 * 0.125

  private func solid(
    _ meshes: [Mesh], _ floating: MakeSolid.Floating, method: MakeSolid.Method = .wrap,
    voxel: Double = voxel, base: Double? = 0.02, _ context: StageContext = StageContext()
  ) throws -> Mesh {
    var parameters = MakeSolid.Parameters()
    (parameters.method, parameters.floating) = (method, floating)
    parameters.voxelSize = .length(Length(meters: voxel))
    parameters.flatBase = base.map { .length(Length(meters: $0)) }
    parameters.thickness = .length(Length(meters: 0.2))
    let result = try MakeSolid(parameters).run(Scene(meshes: meshes), in: context).meshes[0]
    let health = MeshHealth(result)
    #expect(health.boundaryEdges == 0 && health.nonManifoldEdges == 0)
    #expect(health.nonManifoldVertices == 0 && health.inconsistentEdges == 0)
    #expect(SelfIntersections(of: result).faces.isEmpty)
    return result
  }

  private func box(_ low: SIMD3<Float>, _ high: SIMD3<Float>) -> Mesh {
    var mesh = MeshFixtures.cube
    let box = mesh.bounds
    mesh.positions = mesh.positions.map {
      Vector3(($0.simd - box.minimum) / box.size * (high - low) + low)
    }
    return mesh
  }

  private func joined(_ meshes: [Mesh]) -> Mesh {
    meshes.reduce(into: Mesh()) { all, mesh in
      all.indices += mesh.indices.map { $0 + UInt32(all.vertexCount) }
      all.positions += mesh.positions
    }
  }

  private func floatingCount(_ mesh: Mesh) -> Int {
    SolidStand(SolidBodies(of: mesh), of: mesh, up: SIMD3(0, 1, 0)).floatingCount
  }

  private func number(_ key: String, _ context: StageContext) -> Double? {
    context.notes.first { $0.key == key }?.value.number
  }

  private var cube: Mesh { box(SIMD3(0, 0, 0), SIMD3(1, 1, 1)) }
  /// Half a unit above the cube.
  private var floater: Mesh { box(SIMD3(0.2, 1.5, 0.2), SIMD3(0.8, 2.1, 0.8)) }

  @Test func `a cube in mid-air is left out, and said to be`() throws {
    let context = StageContext()
    let result = try solid([cube, floater], .drop, context)
    #expect(abs(result.volume - 1) < 0.01)
    #expect(floatingCount(result) == 0)
    #expect(number("droppedParts", context) == 1 && number("floatingParts", context) == 0)
    // 0.6³ of 1 + 0.6³.
    let share = try #require(number("droppedVolume", context))
    #expect(abs(share - 0.216 / 1.216) < 0.01)
    #expect(context.warnings.count == 1)
    #expect(context.warnings[0].contains("17.") && context.warnings[0].contains("much of it"))
  }

  @Test func `a cube in mid-air stays where that is asked for`() throws {
    let context = StageContext()
    let result = try solid([cube, floater], .keep, context)
    #expect(abs(result.volume - 1.216) < 0.01 && floatingCount(result) == 1)
    #expect(number("floatingParts", context) == 1)
    #expect(context.warnings.count == 1 && context.warnings[0].hasPrefix("1 part in mid-air"))
  }

  @Test(arguments: [MakeSolid.Method.wrap, .shell])
  func `a cube in mid-air is joined by a bar of the gap's length`(
    method: MakeSolid.Method
  ) throws {
    let context = StageContext()
    let result = try solid([cube, floater], .join, method: method, context)
    #expect(SolidBodies(of: result).bodyCount == 1)
    #expect(floatingCount(result) == 0)
    #expect(number("joinedParts", context) == 1 && number("floatingParts", context) == 0)
    #expect(context.warnings.contains { $0.contains("1 part in mid-air was joined by bars") })
    guard method == .wrap else { return }
    #expect(abs(result.volume - 1.216 - 0.5 * Self.barArea) < 0.01)
  }

  @Test func `bars go straight down where the base is nearer`() throws {
    let beside = box(SIMD3(3, 0.3, 0), SIMD3(4, 1.3, 1))
    let result = try solid([cube, beside], .join)
    #expect(MeshHealth(result).components == 2 && floatingCount(result) == 0)
    #expect(abs(Double(result.bounds.minimum.y)) < 0.01)
    #expect(abs(result.volume - 2 - 0.3 * Self.barArea) < 0.01)
  }

  @Test func `a part near to others is joined, and one far away left out`() throws {
    let context = StageContext()
    let near = box(SIMD3(0, 1.2, 0), SIMD3(1, 1.8, 1))
    let far = box(SIMD3(0.3, 3, 0.3), SIMD3(0.7, 3.4, 0.7))
    let result = try solid([cube, near, far], .auto, context)
    #expect(MeshHealth(result).components == 1 && result.bounds.maximum.y < 1.9)
    #expect(number("joinedParts", context) == 1 && number("droppedParts", context) == 1)
    let summary = context.notes.first { $0.key == "summary" }?.value.text
    #expect(summary?.hasSuffix("in mid-air: 1 joined, 1 left out") == true)
  }

  @Test func `a chain of parts is carried by its first`() throws {
    let meshes =
      [cube]
      + (1...3).map { number in
        let low = 1.3 * Float(number)
        return box(SIMD3(0, low, 0), SIMD3(1, low + 1, 1))
      }
    let context = StageContext()
    let result = try solid(meshes, .auto, context)
    #expect(MeshHealth(result).components == 1 && number("joinedParts", context) == 3)
  }

  @Test func `bridges and mushrooms do not float`() throws {
    let bridge = [
      cube, box(SIMD3(3, 0, 0), SIMD3(4, 1, 1)), box(SIMD3(0, 0.9, 0), SIMD3(4, 1.3, 1)),
    ]
    let mushroom = [
      box(SIMD3(-0.2, 0, -0.2), SIMD3(0.2, 1, 0.2)), box(SIMD3(-1, 0.9, -1), SIMD3(1, 1.4, 1)),
    ]
    for meshes in [bridge, mushroom] {
      let context = StageContext()
      let result = try solid(meshes, .auto, context)
      #expect(MeshHealth(result).components == 1 && floatingCount(result) == 0)
      #expect(context.warnings.isEmpty && number("droppedParts", context) == nil)
    }
  }

  @Test func `what rests on another part is carried, as is what rests on that`() {
    // Faces that touch, of separate bodies; a beam across two pillars has no vertex near to theirs.
    let pillars = [box(SIMD3(0, 0, 0), SIMD3(1, 1, 1)), box(SIMD3(3, 0, 0), SIMD3(4, 1, 1))]
    let beam = box(SIMD3(-1, 1, 0.3), SIMD3(5, 1.2, 0.7))
    let top = box(SIMD3(2, 1.201, 0.3), SIMD3(2.3, 1.5, 0.6))
    let hanging = box(SIMD3(2, 0.5, 0.3), SIMD3(2.3, 0.999, 0.6))
    let stack = joined(pillars + [beam, top])
    #expect(floatingCount(stack) == 0)
    // What hangs below a beam rests on nothing.
    #expect(floatingCount(joined(pillars + [beam, hanging])) == 1)
    let higher = box(SIMD3(2, 1.22, 0.3), SIMD3(2.3, 1.5, 0.6))
    #expect(floatingCount(joined(pillars + [beam, higher])) == 1)
  }

  @Test func `a crumb below a model does not carry it`() throws {
    let crumb = box(SIMD3(0.3, -1, 0.3), SIMD3(0.7, -0.6, 0.7))
    let context = StageContext()
    let result = try solid([cube, crumb], .drop, context)
    #expect(abs(result.volume - 1) < 0.01 && number("droppedParts", context) == 1)
    // As little volume as it has, it carries what rests on it.
    let foot = box(SIMD3(0.4, -1, 0.4), SIMD3(0.6, 0.05, 0.6))
    let standing = try solid([cube, foot], .drop)
    #expect(standing.bounds.minimum.y < -0.9)
  }

  @Test func `a part a little above the base is let down on it`() throws {
    let beside = box(SIMD3(2, 0.015, 0), SIMD3(3, 1.015, 1))
    let context = StageContext()
    let result = try solid([cube, beside], .drop, context)
    #expect(MeshHealth(result).components == 2 && context.warnings.isEmpty)
    #expect(abs(result.volume - 2) < 0.02)
    let bottoms = (0..<result.faceCount).map { result.centroid(ofFace: $0) }
      .filter { $0.y < 0.001 }.map(\.x)
    #expect(bottoms.contains { $0 < 1 } && bottoms.contains { $0 > 2 })
  }

  @Test func `what merely rests is joined, or kept where floating parts are left out`() throws {
    // A tip that touches a plate of the same extent.
    var tip = box(SIMD3(0.2, 1.005, 0.2), SIMD3(0.8, 1.6, 0.8))
    tip.positions = tip.positions.map { position in
      position.y < 1.2 ? Vector3(0.5 + (position.x - 0.5) / 3, position.y, position.z) : position
    }
    for (floating, count) in [(MakeSolid.Floating.auto, 1), (.drop, 2)] {
      let result = try solid([cube, tip], floating)
      #expect(result.bounds.maximum.y > 1.55 && floatingCount(result) == 0)
      #expect(SolidBodies(of: result).bodyCount <= count)
    }
  }

  @Test func `a part beside that ends in a tip gets a base of its own`() throws {
    // Upside down, a pyramid whose tip is at the base.
    let pyramid = Mesh(
      positions: [
        Vector3(3, 0, 0), Vector3(2.3, 0.7, -0.7), Vector3(3.7, 0.7, -0.7), Vector3(3.7, 0.7, 0.7),
        Vector3(2.3, 0.7, 0.7),
      ],
      indices: [0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 1, 1, 3, 2, 1, 4, 3])
    let result = try solid([cube, pyramid], .drop, base: 0.1)
    let area = (0..<result.faceCount).reduce(0.0) { sum, face in
      let middle = result.centroid(ofFace: face)
      return middle.x > 1.5 && middle.y < 1e-5 ? sum + result.areaVector(face).length / 2 : sum
    }
    // Two per cent of its footprint, without the faces that reach above the cut.
    #expect(area > 0.01 && area < 0.04)
  }

  @Test func `cavities go with their body`() throws {
    var cavity = box(SIMD3(0.35, 1.65, 0.35), SIMD3(0.65, 1.95, 0.65))
    cavity.reverseFaces([Bool](repeating: true, count: cavity.faceCount))
    let result = try solid([cube, floater, cavity], .drop)
    #expect(MeshHealth(result).components == 1)
    let kept = try solid([cube, floater, cavity], .keep)
    #expect(MeshHealth(kept).components == 3 && floatingCount(kept) == 1)
  }
}
