import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Stages

/// Points and vertices with the colours that a model has by its textures and materials.
struct SurfaceColorTests {
  /// A square metre whose texture is red in the left half and green in the right one.
  private func sheet(cells: Int = 8) throws -> Scene {
    let size = 64
    var image = Image(
      width: size, height: size, pixels: .init(repeating: 0, count: 3 * size * size))
    for pixel in 0..<size * size {
      image.pixels[3 * pixel + (pixel % size < size / 2 ? 0 : 1)] = 200
    }
    var mesh = MeshFixtures.sheet(cells)
    mesh.faceMaterials = .init(repeating: 0, count: mesh.faceCount)
    return Scene(
      meshes: [mesh], materials: [Material(name: "painted", baseColorTexture: 0)],
      textures: [Texture(fileName: "t.png", encoding: .png, bytes: try PNG.encode(image))])
  }

  private func sampled(
    _ scene: Scene, _ change: (inout SamplePoints.Parameters) -> Void = { $0.density = 400 }
  ) throws -> PointCloud {
    var parameters = SamplePoints.Parameters()
    change(&parameters)
    return try #require(
      try SamplePoints(parameters).run(scene, in: StageContext()).pointClouds.first)
  }

  private func isClose(_ color: Color, _ red: Int, _ green: Int, _ blue: Int, _ error: Int = 3)
    -> Bool
  {
    abs(Int(color.red) - red) <= error && abs(Int(color.green) - green) <= error
      && abs(Int(color.blue) - blue) <= error
  }

  @Test func `points have the colour of the texture, far from its edges exactly`() throws {
    let cloud = try sampled(try sheet())
    let colors = try #require(cloud.colors)
    #expect(colors.count == cloud.positions.count && (399...401).contains(colors.count))
    for (position, color) in zip(cloud.positions, colors) where abs(position.x - 0.5) > 0.1 {
      #expect(position.x < 0.5 ? isClose(color, 200, 0, 0) : isClose(color, 0, 200, 0))
    }
  }

  @Test func `the texture is multiplied by the base colour and by colours of vertices`() throws {
    var scene = try sheet()
    // Half the light, and no green: in sRGB 200 becomes 147.
    scene.materials[0].baseColor = SIMD4(0.5, 0.5, 0.5, 1)
    scene.meshes[0].colors = .init(
      repeating: Color(red: 255, green: 0, blue: 255), count: scene.vertexCount)
    let cloud = try sampled(scene)
    for (position, color) in zip(cloud.positions, try #require(cloud.colors))
    where abs(position.x - 0.5) > 0.1 {
      #expect(position.x < 0.5 ? isClose(color, 147, 0, 0) : isClose(color, 0, 0, 0))
    }
  }

  @Test func `plain colours of materials and colours of faces are those of points`() throws {
    var scene = try sheet()
    scene.textures = []
    scene.materials = [
      Material(name: "a", baseColor: SIMD4(1, 0, 0, 1)),
      Material(name: "b", baseColor: SIMD4(0, 0, 1, 1)),
    ]
    scene.meshes[0].faceMaterials = (0..<scene.faceCount).map { UInt32($0 % 2) }
    #expect(
      Set(try #require(try sampled(scene).colors)) == [
        Color(red: 255, green: 0, blue: 0), Color(red: 0, green: 0, blue: 255),
      ])
    scene.materials = []
    scene.meshes[0].faceMaterials = nil
    #expect(try sampled(scene).colors == nil)
    scene.meshes[0].faceColors = (0..<scene.faceCount).map {
      Color(red: 1, green: UInt8($0 % 2), blue: 9)
    }
    #expect(
      Set(try #require(try sampled(scene).colors)) == [
        Color(red: 1, green: 0, blue: 9), Color(red: 1, green: 1, blue: 9),
      ])
    // One grey for all is what exporters write that know no colour.
    scene.meshes[0].faceColors = nil
    scene.materials = [Material(name: "grey", baseColor: SIMD4(0.8, 0.8, 0.8, 1))]
    scene.meshes[0].faceMaterials = .init(repeating: 0, count: scene.faceCount)
    #expect(try sampled(scene).colors == nil)
  }

  @Test func `vertices take the colours around them, and materials lose theirs`() throws {
    let context = StageContext()
    let baked = try BakeColors(BakeColors.Parameters()).run(try sheet(), in: context)
    let mesh = baked.meshes[0]
    for (position, color) in zip(mesh.positions, try #require(mesh.colors))
    where abs(position.x - 0.5) > 0.15 {
      #expect(position.x < 0.5 ? isClose(color, 200, 0, 0) : isClose(color, 0, 200, 0))
    }
    #expect(baked.textures == [] && baked.materials == [] && mesh.faceMaterials == nil)
    #expect(context.warnings == [])
    let ofVertices = try sampled(try sheet()) { $0.at = .vertices }
    #expect(ofVertices.colors?.count == 81)
    #expect(Set(ofVertices.colors ?? []) == Set(mesh.colors ?? []))
  }

  @Test func `colours that no material shows stay beside a textured mesh`() throws {
    var scene = try sheet()
    let (red, blue) = (Color(red: 255, green: 0, blue: 0), Color(red: 0, green: 0, blue: 255))
    // A vertex without a face, a mesh without faces, and one without materials.
    scene.meshes[0].positions.append(Vector3(9, 9, 9))
    scene.meshes[0].colors = .init(repeating: .white, count: scene.vertexCount - 1) + [blue]
    var points = Mesh(positions: [Vector3(1, 2, 3), Vector3(4, 5, 6)])
    points.colors = [red, blue]
    var cube = MeshFixtures.cube
    cube.colors = (0..<8).map { $0 % 2 == 0 ? red : blue }
    scene.meshes += [points, cube, MeshFixtures.cube]
    let baked = try BakeColors(BakeColors.Parameters()).run(scene, in: StageContext())
    #expect(baked.meshes[0].colors?.last == blue)
    #expect(baked.meshes[1].colors == points.colors)
    #expect(baked.meshes[2].colors == cube.colors)
    #expect(baked.meshes[3].colors == nil)
  }

  @Test func `without frames and colours there is nothing to bake`() throws {
    var scene = try sheet()
    scene.materials = []
    scene.textures = []
    scene.meshes[0].faceMaterials = nil
    let error = #expect(throws: BakingFailure.noColors) {
      try BakeColors(BakeColors.Parameters()).run(scene, in: StageContext())
    }
    #expect(error?.message.contains("--frames") == true)
    var frames = BakeColors.Parameters()
    frames.from = .frames
    #expect(throws: BakingFailure.noFrames) {
      try BakeColors(frames).run(try sheet(), in: StageContext())
    }
  }

  @Test func `decimation keeps the line between colours of faces, and a closed surface closed`()
    throws
  {
    var ball = MeshFixtures.sphere(segments: 48, rings: 32)
    ball.faceColors = (0..<ball.faceCount).map { face in
      let (a, b, c) = ball.vertices(ofFace: face)
      let height = [a, b, c].reduce(0) { $0 + ball.positions[Int($1)].y }
      return height > 0 ? Color(red: 255, green: 0, blue: 0) : Color(red: 0, green: 0, blue: 255)
    }
    var parameters = Decimate.Parameters()
    parameters.faces = .count(600)
    let light = try Decimate(parameters).run(Scene(meshes: [ball]), in: StageContext())
    let mesh = light.meshes[0]
    #expect(mesh.faceCount <= 600)
    #expect(Edges(mesh).allSatisfy { $0.valence == 2 })
    for (face, color) in try #require(mesh.faceColors).enumerated() {
      let (a, b, c) = mesh.vertices(ofFace: face)
      let height = [a, b, c].reduce(0) { $0 + mesh.positions[Int($1)].y } / 3
      #expect(
        color
          == (height > 0 ? Color(red: 255, green: 0, blue: 0) : Color(red: 0, green: 0, blue: 255)))
    }
  }

  @Test func `meshes with colours of faces and of vertices join without losing either`() throws {
    var (one, other) = (MeshFixtures.cube, MeshFixtures.cube)
    one.faceColors = .init(repeating: Color(red: 255, green: 0, blue: 0), count: 12)
    other.colors = .init(repeating: Color(red: 0, green: 0, blue: 255), count: 8)
    let merged = try Merge(Merge.Parameters()).run(Scene(meshes: [one, other]), in: StageContext())
    let colors = try #require(merged.meshes.first?.faceColors)
    #expect(Array(colors.prefix(12)) == one.faceColors)
    #expect(colors.suffix(12).allSatisfy { $0 == Color(red: 0, green: 0, blue: 255) })
  }
}
