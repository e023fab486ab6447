import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Stages
import SurfaceKernels
import Testing

struct BakeMapsTests {
  private func image(_ scene: Scene, _ key: KeyPath<Material, Int?>) throws -> Image {
    let index = try #require(scene.materials.first?[keyPath: key])
    return try Image.decoded(from: scene.textures[index].bytes, path: "map")
  }

  private func direction(_ image: Image, _ column: Int, _ row: Int) -> SIMD3<Float> {
    let pixel = 3 * (row * image.width + column)
    let code = SIMD3<Float>(
      Float(image.pixels[pixel]), Float(image.pixels[pixel + 1]), Float(image.pixels[pixel + 2]))
    return (code / 127.5 - 1).normalized
  }

  private func angle(_ a: SIMD3<Float>, _ b: SIMD3<Float>) -> Float {
    acos(max(-1, min(1, a.normalized.dot(b.normalized)))) * 180 / .pi
  }

  // MARK: Normals

  @Test func `waves become the normals that they have by calculus`() throws {
    let (height, waves): (Float, Float) = (0.01, 3 * 2 * .pi)
    let heavy = MeshFixtures.sheet(160) { x, z in height * sin(waves * x) * cos(waves * z) }
    let result = try BakeMaps.baked(
      Scene(meshes: [MeshFixtures.sheet(1)]), from: Scene(meshes: [heavy]))
    let map = try image(result, \.normalTexture)
    var (sum, worst): (Float, Float) = (0, 0)
    for row in 0..<64 {
      for column in 0..<64 {
        let (x, z) = ((Float(column) + 0.5) / 64, (Float(row) + 0.5) / 64)
        let steep = height * waves
        let alongX: Float = steep * cos(waves * x) * cos(waves * z)
        let alongZ: Float = -steep * sin(waves * x) * sin(waves * z)
        // Red is along x, green up the picture, which is against z.
        let error = angle(direction(map, column, row), SIMD3(-alongX, alongZ, 1))
        sum += error
        worst = max(worst, error)
      }
    }
    #expect(sum / 4096 < 0.5 && worst < 3)
    #expect(result.meshes[0].tangents?.allSatisfy { $0.w == 1 && $0.x > 0.999 } == true)
    #expect(result.meshes[0].normals != nil)
  }

  @Test func `a coarse sphere shows the normals of a fine one`() throws {
    var unwrap = Unwrap.Parameters()
    unwrap.size = 128
    let coarse = try Unwrap(unwrap).run(
      Scene(meshes: [MeshFixtures.sphere(segments: 12, rings: 8)]), in: StageContext())
    let fine = Scene(meshes: [MeshFixtures.sphere(segments: 96, rings: 64)])
    let result = try BakeMaps.baked(coarse, from: fine) { $0.size = 128 }
    let (mesh, map) = (result.meshes[0], try image(result, \.normalTexture))
    let coordinates = try #require(mesh.textureCoordinates)
    let normals = try #require(mesh.normals)
    let tangents = try #require(mesh.tangents)
    let center = mesh.bounds.center
    var (sum, plain): (Float, Float) = (0, 0)
    for face in 0..<mesh.faceCount {
      let corners = 3 * face..<3 * face + 3
      var place = SIMD2<Float>.zero
      var (normal, tangent, point) = (SIMD3<Float>.zero, SIMD3<Float>.zero, SIMD3<Float>.zero)
      for corner in corners {
        let vertex = Int(mesh.indices[corner])
        place += SIMD2(coordinates[corner].x, coordinates[corner].y) / 3
        normal += normals[vertex].simd / 3
        tangent += tangents[corner].direction / 3
        point += mesh.positions[vertex].simd / 3
      }
      let bitangent = normal.cross(tangent) * tangents[3 * face].w
      let shown = direction(map, Int(place.x * 128), Int((1 - place.y) * 128))
      let truth = point - SIMD3<Float>(center)
      sum += angle(tangent * shown.x + bitangent * shown.y + normal * shown.z, truth)
      plain += angle(SIMD3<Float>(mesh.areaVector(ofFace: face)), truth)
    }
    let count = Float(mesh.faceCount)
    #expect(sum / count < 1.5, "\(sum / count), without \(plain / count)")
  }

  private struct Angles: Decodable {
    var corners: Int
    var median: Double
    var percentile99: Double
    var otherSides: Int
  }

  @Test(.needs("bpy")) func `tangents are those of Blender`() throws {
    var unwrap = Unwrap.Parameters()
    unwrap.size = 256
    // The charts of the sphere are mirrored.
    var scene = try Unwrap(unwrap).run(
      Scene(meshes: [MeshFixtures.torus(), MeshFixtures.sphere()]), in: StageContext())
    scene.meshes[1].textureCoordinates = scene.meshes[1].textureCoordinates?.map {
      Vector2(1 - $0.x, $0.y)
    }
    // Without relief there would be no map.
    var source = scene
    for index in 0..<2 {
      source.meshes[index].positions = scene.meshes[index].positions.map {
        Vector3($0.x, $0.y + 0.02 * sin(20 * $0.x), $0.z)
      }
    }
    for index in 0..<2 {
      let result = try BakeMaps.baked(Scene(meshes: [scene.meshes[index]]), from: source) {
        $0.maps = [.normal]
      }
      let folder = try TemporaryFolder()
      let output = OutputSet(folder: folder.path, mainFileName: "a.glb")
      try GLB.write(result, to: output, in: WritingContext())
      let text = try Checkers.run("Tools/checks/tangents.py", [output.mainPath])
      let angles = try JSONDecoder().decode(Angles.self, from: Data(text.utf8))
      #expect(angles.corners == result.meshes[0].cornerCount && angles.otherSides == 0)
      #expect(angles.median < 0.01 && angles.percentile99 < 0.5, "\(text)")
      #expect(result.meshes[0].tangents?.allSatisfy { $0.w == (index == 0 ? 1 : -1) } == true)
    }
  }

  // MARK: Occlusion

  @Test func `a wall takes away the light that its form factor says`() throws {
    // A wall along x = 0, a metre high and long enough.
    var wall = Mesh(name: "wall")
    wall.positions = [Vector3(0, 0, -20), Vector3(0, 0, 20), Vector3(0, 1, 20), Vector3(0, 1, -20)]
    wall.indices = [0, 2, 1, 0, 3, 2]
    var floor = MeshFixtures.sheet(1)
    floor.positions = floor.positions.map { Vector3($0.x * 2, 0, $0.z * 2 - 1) }
    let heavy = Scene(meshes: [wall, floor])
    let result = try BakeMaps.baked(Scene(meshes: [floor]), from: heavy) {
      $0.maps = [.occlusion]
      $0.occlusionDistance = .length(Length(meters: 100))
    }
    let map = try image(result, \.occlusionTexture)
    #expect(result.materials[0].normalTexture == nil)
    for column in stride(from: 3, to: 61, by: 6) {
      let distance = (Float(column) + 0.5) / 64 * 2
      let truth = 1 - 0.5 * (1 - distance / (distance * distance + 1).squareRoot())
      let values = (8..<56).map { Float(map.pixels[3 * ($0 * 64 + column)]) / 255 }
      let mean = values.reduce(0, +) / Float(values.count)
      #expect(abs(mean - truth) < 0.03, "at \(distance): \(mean) instead of \(truth)")
    }
  }

  @Test func `what is beyond the distance takes no light away`() throws {
    var lid = MeshFixtures.sheet(1)
    lid.positions = lid.positions.map { Vector3($0.x * 9 - 4, 0.5, $0.z * 9 - 4) }
    let scene = Scene(meshes: [MeshFixtures.sheet(1)])
    func middle(_ meters: Double) throws -> UInt8 {
      let result = try BakeMaps.baked(scene, from: Scene(meshes: [MeshFixtures.sheet(1), lid])) {
        ($0.maps, $0.maximumDistance) = ([.occlusion], Length(meters: 0.1))
        $0.occlusionDistance = .length(Length(meters: meters))
      }
      return try image(result, \.occlusionTexture).pixels[3 * (32 * 64 + 32)]
    }
    #expect(try middle(0.4) == 255)
    #expect(try middle(100) < 30)
  }

  // MARK: Colours

  @Test func `the other side of a thin wall does not bleed through`() throws {
    var front = MeshFixtures.sheet(4)
    front.colors = front.positions.map { _ in Color(red: 200, green: 0, blue: 0) }
    var back = MeshFixtures.sheet(4)
    back.positions = back.positions.map { Vector3($0.x, -0.01, $0.z) }
    for face in 0..<back.faceCount { back.indices.swapAt(3 * face, 3 * face + 1) }
    back.colors = back.positions.map { _ in Color(red: 0, green: 0, blue: 200) }
    // The light mesh is nearer to the back.
    var light = MeshFixtures.sheet(1)
    light.positions = light.positions.map { Vector3($0.x, -0.009, $0.z) }
    let result = try BakeMaps.baked(Scene(meshes: [light]), from: Scene(meshes: [front, back])) {
      ($0.maps, $0.maximumDistance, $0.format) = ([.color], Length(meters: 0.05), .png)
    }
    let map = try image(result, \.baseColorTexture)
    for texel in 0..<64 * 64 {
      #expect(map.pixels[3 * texel] == 200 && map.pixels[3 * texel + 2] == 0)
    }
    #expect(result.meshes[0].tangents == nil)
  }

  @Test func `a texture comes through a change of coordinates, axes and unit`() throws {
    var heavy = Scene(meshes: [MeshFixtures.sheet(8)])
    var picture = Image(width: 64, height: 64)
    for texel in 0..<64 * 64 {
      picture.pixels[3 * texel] = UInt8(4 * (texel % 64))
      picture.pixels[3 * texel + 1] = UInt8(4 * (texel / 64))
    }
    heavy.textures = [
      Texture(fileName: "a.png", encoding: .png, bytes: try PNG.encode(picture))
    ]
    heavy.materials = [Material(name: "a", baseColorTexture: 0)]
    heavy.meshes[0].faceMaterials = [UInt32](repeating: 0, count: heavy.faceCount)
    var light = MeshFixtures.sheet(1)
    light.textureCoordinates = light.textureCoordinates?.map { Vector2(1 - $0.x, 1 - $0.y) }
    light.colors = light.positions.map { _ in .white }
    var scene = Scene(
      meshes: [light], materials: [Material(name: "old", baseColor: [0.5, 0, 0, 1])])
    scene.meshes[0].faceMaterials = [0, 0]
    scene.convert(
      to: CoordinateSystem(up: .z, forward: .y, metersPerUnit: 0.001))
    let result = try BakeMaps.baked(scene, from: heavy) { ($0.maps, $0.format) = ([.color], .png) }
    let map = try image(result, \.baseColorTexture)
    for texel in 0..<64 * 64 {
      let (column, row) = (texel % 64, texel / 64)
      #expect(abs(Int(map.pixels[3 * texel]) - 4 * (63 - column)) <= 2)
      #expect(abs(Int(map.pixels[3 * texel + 1]) - 4 * (63 - row)) <= 2)
    }
    #expect(result.materials.map(\.name) == ["old"] && result.materials[0].baseColor == .one)
    #expect(result.textures.count == 1 && result.meshes[0].colors == nil)
    #expect(result.coordinateSystem == scene.coordinateSystem)
  }

  @Test func `materials that overlap get pages of their own`() throws {
    var scene = Scene(
      meshes: [MeshFixtures.sheet(1), MeshFixtures.sheet(1)], materials: [Material(), Material()])
    scene.meshes[0].faceMaterials = [0, 0]
    scene.meshes[1].faceMaterials = [1, 1]
    scene.meshes[1].positions = scene.meshes[1].positions.map { Vector3($0.x, 1, $0.z) }
    var heavy = scene
    heavy.meshes[0].colors = scene.meshes[0].positions.map { _ in Color(red: 9, green: 9, blue: 9) }
    heavy.meshes[1].colors = scene.meshes[0].positions.map { _ in .white }
    let context = StageContext()
    let result = try BakeMaps.baked(scene, from: heavy, context) {
      ($0.maps, $0.format) = ([.color], .png)
    }
    #expect(context.warnings == [])
    #expect(result.textures.map(\.fileName) == ["color-1.png", "color-2.png"])
    let images = try result.textures.map { try Image.decoded(from: $0.bytes, path: "map") }
    #expect(images.map { $0.pixels[0] } == [9, 255])
    #expect(result.meshes.map { $0.faceMaterials?[0] } == [0, 1])
    // In one material they share texels, of which one face is shown.
    scene.meshes[1].faceMaterials = [0, 0]
    _ = try BakeMaps.baked(scene, from: heavy, context)
    #expect(context.warnings.contains { $0.contains("share texels") })
  }

  @Test func `a texture is multiplied by vertex colours, as programs show it`() throws {
    func color(_ source: ColorSource) throws -> UInt8 {
      var heavy = Scene(meshes: [MeshFixtures.sheet(1)], materials: [Material(baseColorTexture: 0)])
      heavy.meshes[0].faceMaterials = [0, 0]
      heavy.meshes[0].colors = heavy.meshes[0].positions.map { _ in
        Color(red: 188, green: 188, blue: 188)
      }
      let gray = Image(width: 1, height: 1, pixels: [188, 188, 188])
      heavy.textures = [Texture(fileName: "a.png", encoding: .png, bytes: try PNG.encode(gray))]
      let result = try BakeMaps.baked(Scene(meshes: [MeshFixtures.sheet(1)]), from: heavy) {
        ($0.maps, $0.format, $0.colors) = ([.color], .png, source)
      }
      return try Image.decoded(from: result.textures[0].bytes, path: "map").pixels[0]
    }
    // Half of the light (188 in sRGB), and a quarter of it.
    #expect(try color(.texture) == 188)
    #expect(try color(.vertex) == 188)
    #expect(abs(Int(try color(.auto)) - 137) <= 1)
  }

  @Test func `the mode of opacity stays where no colours are made`() throws {
    let cut = Material(name: "leaf", baseColorTexture: 0, alphaMode: .mask(cutoff: 0.5))
    var heavy = Scene(meshes: [MeshFixtures.sheet(1)], materials: [cut])
    heavy.meshes[0].faceMaterials = [0, 0]
    heavy.textures = [Texture(fileName: "a.png", encoding: .png, bytes: SceneFixtures.picture)]
    let normals = try BakeMaps.baked(heavy, from: heavy) { $0.maps = [.normal] }
    #expect(normals.materials.map(\.alphaMode) == [.mask(cutoff: 0.5)])
  }

  @Test func `faces without a material keep the colours of their classes`() throws {
    var light = Scene(meshes: [MeshFixtures.sheet(2), MeshFixtures.sheet(1)])
    light.meshes[0].classes = FaceClasses(
      labels: [1, 1, 1, 1, 2, 2, 2, 2], names: ["none", "wall", "floor"])
    light.meshes[1].positions = light.meshes[1].positions.map { Vector3($0.x, 1, $0.z) }
    func colors(_ scene: Scene) throws -> [String: SIMD4<Float>] {
      let folder = try TemporaryFolder()
      try GLB.write(
        scene, to: OutputSet(folder: folder.path, mainFileName: "a.glb"), in: WritingContext())
      let read = try GLB.read("\(folder.path)/a.glb", in: ReadingContext())
      var colors: [String: SIMD4<Float>] = [:]
      for mesh in read.meshes {
        for (face, material) in (mesh.faceMaterials ?? []).enumerated() {
          let name = mesh.classes.map { $0.names[Int($0.labels[face])] } ?? "without"
          colors[name] = read.materials[Int(material)].baseColor
        }
      }
      return colors
    }
    let before = try colors(light)
    #expect(Set(before.values).count == 3)
    let baked = try BakeMaps.baked(light, from: light)
    #expect(baked.materials.allSatisfy { $0.occlusionTexture != nil })
    #expect(try colors(baked) == before)
    let colored = try BakeMaps.baked(light, from: light) { $0.maps = [.color] }
    #expect(colored.materials.allSatisfy { $0.baseColor == .one && $0.baseColorTexture != nil })
  }

  // MARK: Bad input

  @Test func `what can't be baked is named with the way out`() throws {
    func message(_ light: Scene, _ heavy: Scene) -> String {
      do {
        _ = try BakeMaps.baked(light, from: heavy) { $0.maximumDistance = Length(meters: 0.1) }
        return ""
      } catch {
        return (error as? any UserError)?.message ?? "\(error)"
      }
    }
    let plain = Scene(meshes: [MeshFixtures.sheet(1)])
    var bare = plain
    bare.meshes[0].textureCoordinates = nil
    #expect(
      message(bare, plain)
        == "mesh 'square' has no texture coordinates; run 'unwrap' before 'bake-maps'")
    var tiled = plain
    tiled.meshes[0].textureCoordinates = tiled.meshes[0].textureCoordinates?.map {
      Vector2(3 * $0.x, $0.y)
    }
    #expect(message(tiled, plain).contains("outside of 0 to 1"))
    var broken = plain
    broken.meshes[0].textureCoordinates?[1].x = .nan
    #expect(message(broken, plain).contains("outside of 0 to 1"))
    var point = plain
    point.meshes[0].textureCoordinates = point.meshes[0].textureCoordinates?.map { _ in
      Vector2(0, 0)
    }
    #expect(message(point, plain).hasPrefix("the texture coordinates have no area"))
    #expect(message(plain, Scene()).contains("'heavy' has no faces"))
    var far = plain
    far.apply(Transform(translation: SIMD3(0, 5, 0)))
    #expect(message(plain, far).hasPrefix("nothing of 'heavy' is within 100 mm of the mesh"))
  }

  @Test func `a source that was moved is told`() throws {
    let plain = Scene(meshes: [MeshFixtures.sheet(8)])
    var moved = plain
    moved.apply(Transform(translation: SIMD3(0, 0.3, 0)))
    for (heavy, isTold) in [(plain, false), (moved, true)] {
      let context = StageContext()
      _ = try BakeMaps.baked(plain, from: heavy, context)
      #expect(context.warnings.contains { $0.contains("a stage between") } == isTold)
    }
  }

  @Test func `coordinates that rounding leads out of a large page are on it`() throws {
    var light = MeshFixtures.sheet(2)
    light.textureCoordinates = light.textureCoordinates?.map {
      Vector2($0.x * 1.0002 - 0.0001, $0.y * 1.0002 - 0.0001)
    }
    let target = try #require(
      MapTarget([light], groups: [Int](repeating: 0, count: light.faceCount), size: 6000))
    let units: Int32 = 256 * 6000
    #expect(target.atlas.cornerTexels.allSatisfy { 0...units ~= $0.x && 0...units ~= $0.y })
    #expect(abs(target.atlas.usedShare - 1) < 0.001)
  }

  @Test func `a material without light gets it, as maps show in light only`() throws {
    var light = Scene(meshes: [MeshFixtures.sheet(2)], materials: [Material(isUnlit: true)])
    light.meshes[0].faceMaterials = light.meshes[0].indices.indices.prefix(8).map { _ in 0 }
    let result = try BakeMaps.baked(light, from: Scene(meshes: [MeshFixtures.sheet(2)]))
    #expect(result.materials.map(\.isUnlit) == [false])
  }

  @Test func `broken numbers of either mesh do no harm`() throws {
    var light = MeshFixtures.sheet(4)
    light.positions[3].y = .nan
    light.positions[7].x = .infinity
    light.normals = light.positions.map { _ in Vector3(0, 1, 0) }
    light.normals?[12] = Vector3(.nan, 0, 0)
    var heavy = MeshFixtures.sheet(6)
    heavy.positions[9].z = .nan
    heavy.normals = heavy.positions.map { _ in Vector3(.nan, .infinity, 0) }
    heavy.colors = heavy.positions.map { _ in .white }
    heavy.classes = FaceClasses(
      labels: [UInt16](repeating: 0, count: heavy.faceCount), names: ["none"])
    let result = try BakeMaps.baked(Scene(meshes: [light]), from: Scene(meshes: [heavy])) {
      $0.maps = BakeMaps.Map.allCases
    }
    #expect(result.textures.map(\.fileName).contains("occlusion.png"))
    #expect(result.materials.allSatisfy { $0.normalTexture == nil })
  }
}
