import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Stages
import SurfaceKernels
import Testing

struct UnwrapTests {
  private func unwrapped(
    _ scene: Scene, _ context: StageContext = StageContext(),
    _ change: (inout Unwrap.Parameters) -> Void = { _ in }
  ) throws -> Scene {
    var parameters = Unwrap.Parameters()
    parameters.size = 256
    change(&parameters)
    return try Unwrap(parameters).run(scene, in: context)
  }

  private func note(_ name: String, _ context: StageContext) -> Double? {
    context.notes.first { $0.key == name }?.value.number
  }

  /// Triangles apart from each other.
  private func strewn(_ count: Int) -> Mesh {
    let corners = [Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(0, 1, 0)]
    return Mesh(
      positions: (0..<3 * count).map {
        Vector3(corners[$0 % 3].simd + SIMD3(2, 0, 0) * Float($0 / 3))
      }, indices: Array(0..<UInt32(3 * count)))
  }

  /// The signed area of a face on its page.
  private func area(_ mesh: Mesh, _ face: Int) throws -> Double {
    let coordinates = try #require(mesh.textureCoordinates)
    let (a, b, c) = (coordinates[3 * face], coordinates[3 * face + 1], coordinates[3 * face + 2])
    return Double((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)) / 2
  }

  @Test func `a cube has six squares, true to scale`() throws {
    let context = StageContext()
    let mesh = try unwrapped(Scene(meshes: [MeshFixtures.cube]), context).meshes[0]
    #expect(note("charts", context) == 6 && note("pages", context) == 1)
    // Texels are counted in steps of 1/256.
    #expect(abs((note("stretch", context) ?? 0) - 1) < 0.001)
    let areas = try (0..<mesh.faceCount).map { try area(mesh, $0) }
    #expect(areas.allSatisfy { $0 > 0 && abs($0 / areas[0] - 1) < 0.01 })
    #expect(mesh.textureCoordinates?.allSatisfy { 0...1 ~= $0.x && 0...1 ~= $0.y } == true)
    #expect(mesh.positions == MeshFixtures.cube.positions)
  }

  @Test func `what is round is stretched a little`() throws {
    let context = StageContext()
    _ = try unwrapped(Scene(meshes: [MeshFixtures.sphere()]), context)
    let stretch = try #require(note("stretch", context))
    #expect(stretch > 1.001 && stretch < 1.3)
  }

  /// The surface of a cylinder or cone with the axis along z, unrolled over a quarter turn and cut into faces.
  private func quarterRoll(tapering: Float) -> Mesh {
    var mesh = MeshFixtures.grid(columns: 12, rows: 20)
    for vertex in mesh.positions.indices {
      let place = mesh.positions[vertex]
      let (angle, along) = ((place.x - 6) / 12 * .pi / 2, place.z / 10)
      let radius = 1 - tapering * along
      mesh.positions[vertex] = Vector3(radius * sin(angle), radius * cos(angle), along)
    }
    return mesh
  }

  @Test(arguments: [0, 0.2] as [Float])
  func `what can be unrolled is laid out true to scale`(tapering: Float) throws {
    let context = StageContext()
    let roll = quarterRoll(tapering: tapering)
    _ = try unwrapped(Scene(meshes: [roll]), context) { $0.size = 1024 }
    // In one chart, projected, it would be 1.01; in two, 1.0006.
    let stretch = try #require(note("stretch", context))
    #expect(stretch >= 1 && stretch < 1.0001)
  }

  @Test func `texels per metre are as asked for, and pages as small as that`() throws {
    let context = StageContext()
    let mesh = try unwrapped(Scene(meshes: [MeshFixtures.cube]), context) {
      $0.texelsPerMeter = 16
    }.meshes[0]
    let density = try #require(note("texelsPerMeter", context))
    #expect(abs(density - 16) < 0.01)
    let size = try #require(note("pageSize", context))
    #expect(size < 256)
    let texels = try area(mesh, 0) * size * size / (MeshFixtures.cube.area(ofFace: 0))
    #expect(abs(texels.squareRoot() - 16) < 0.1)
  }

  @Test func `charts end where classes change`() throws {
    var mesh = MeshFixtures.grid(columns: 8, rows: 8)
    mesh.classes = FaceClasses(labels: (0..<mesh.faceCount).map { $0 % 16 < 8 ? 1 : 2 })
    let (plain, cut) = (StageContext(), StageContext())
    _ = try unwrapped(Scene(meshes: [mesh]), plain)
    let scene = try unwrapped(Scene(meshes: [mesh]), cut) { $0.seams = [.classes] }
    #expect(note("charts", plain) == 1)
    #expect(note("charts", cut) == 2)
    #expect(scene.meshes[0].classes == mesh.classes)
  }

  @Test func `materials keep their colours, lose their pictures, and are one for each page`() throws
  {
    let scene = SceneFixtures.room
    let context = StageContext()
    let result = try unwrapped(scene, context) {
      $0.size = 64
      $0.pages = 8
      $0.texelsPerMeter = 20
    }
    #expect((note("pages", context) ?? 0) > 1)
    #expect(result.textures.isEmpty)
    #expect(result.materials.allSatisfy { $0.baseColorTexture == nil })
    #expect(context.warnings.contains { $0.contains("textures") && $0.contains("keep") })
    let colors = Set(scene.materials.map(\.baseColor))
    #expect(result.materials.allSatisfy { colors.contains($0.baseColor) })
    // On a page of a material no two faces overlap.
    for material in result.materials.indices {
      var part = result
      for index in part.meshes.indices {
        let materials = part.meshes[index].faceMaterials ?? []
        part.meshes[index].keepFaces(materials.map { Int($0) == material })
      }
      #expect(TextureHealth(part).overlap == 0)
    }
  }

  @Test func `a surface whose maps are dropped is neither metal nor a lamp`() throws {
    var scene = Scene(
      meshes: [MeshFixtures.cube],
      materials: [
        Material(
          metallic: 1, emissive: SIMD3(1, 1, 1), metallicRoughnessTexture: 0, emissiveTexture: 0)
      ],
      textures: [Texture(fileName: "a.png", encoding: .png, bytes: SceneFixtures.picture)])
    scene.meshes[0].faceMaterials = [UInt32](repeating: 0, count: 12)
    let result = try unwrapped(scene)
    #expect(result.textures.isEmpty)
    #expect(result.materials == [Material()])
  }

  @Test func `a checkerboard has squares of the size asked for, and a colour for each chart`()
    throws
  {
    let scene = try unwrapped(Scene(meshes: [MeshFixtures.cube])) { $0.checker = 8 }
    let mesh = scene.meshes[0]
    let material = Int(try #require(mesh.faceMaterials)[0])
    let texture = try #require(scene.materials[material].baseColorTexture)
    let image = try Image.decoded(from: scene.textures[texture].bytes, path: "checker.png")
    var colors: [Int: Set<SIMD3<UInt8>>] = [:]
    for face in 0..<mesh.faceCount {
      let coordinates = try #require(mesh.textureCoordinates)[3 * face..<3 * face + 3]
      let x = Int(coordinates.reduce(0) { $0 + $1.x } / 3 * Float(image.width))
      let y = Int((1 - coordinates.reduce(0) { $0 + $1.y } / 3) * Float(image.height))
      // Along a row, as far as the face surely goes: half of its squares are light.
      for step in 0..<16 {
        let start = 3 * (y * image.width + x - 8 + step)
        colors[face / 2, default: []].insert(
          SIMD3(image.pixels[start], image.pixels[start + 1], image.pixels[start + 2]))
      }
    }
    // Six charts of two faces each, every one light and dark.
    #expect(colors.values.allSatisfy { $0.count == 2 })
    #expect(Set(colors.values.joined()).count == 12)
  }

  @Test func `good coordinates are kept, others not`() throws {
    let good = try unwrapped(Scene(meshes: [MeshFixtures.cube])).meshes[0]
    var folded = good
    folded.textureCoordinates = folded.textureCoordinates?.map { _ in Vector2(0.5, 0.5) }
    folded.textureCoordinates?[0] = Vector2(1.5, 0)
    let result = try unwrapped(Scene(meshes: [good, folded])) { $0.keepLayout = true }
    #expect(result.meshes[0] == good)
    #expect(result.meshes[1].textureCoordinates != folded.textureCoordinates)
    #expect(try (0..<12).allSatisfy { try area(result.meshes[1], $0) > 0 })
  }

  @Test(arguments: [1, 2, 5]) func `any number of threads gives the same`(threads: Int) throws {
    let scene = Scene(meshes: [MeshFixtures.torus(), MeshFixtures.soup()])
    let expected = try Parallel.withThreads(3) { try unwrapped(scene) }
    #expect(try Parallel.withThreads(threads) { try unwrapped(scene) } == expected)
  }

  @Test func `what has no faces is left alone, and too many charts are refused`() throws {
    let points = Scene(pointClouds: [PointCloud(positions: [.zero])])
    #expect(try unwrapped(points) == points)
    let error = #expect(throws: Unwrap.Failure.self) {
      try unwrapped(Scene(meshes: [strewn(4000)])) { $0.size = 16 }
    }
    #expect(error?.message.contains("raise the page size") == true)
  }
}
