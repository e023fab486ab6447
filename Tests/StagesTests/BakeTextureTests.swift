import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Photogrammetry
@testable import Stages
@testable import SurfaceKernels

/// A room of known colours, photographed and baked.
struct BakeTextureTests {
  /// For meshes of phones.
  private static let options: BakeOptions = {
    var parameters = BakeTexture.Parameters()
    parameters.meshError = Length(meters: 0.02)
    return BakeTexture(parameters).options()
  }()

  private func bake(
    _ scene: Scene, in context: StageContext = StageContext(),
    _ change: (inout BakeTexture.Parameters) -> Void = { _ in }
  ) throws -> Scene {
    var parameters = BakeTexture.Parameters()
    parameters.size = 96
    parameters.format = .png
    change(&parameters)
    return try BakeTexture(parameters).run(scene, in: context)
  }

  /// The differences between texture and truth in sRGB codes, ascending, at a point of each face that
  /// `counts`.
  private func errors(
    of scene: Scene, _ capture: SyntheticCapture, where counts: (SIMD3<Float>) -> Bool
  ) throws -> [Float] {
    let pages = try scene.textures.map { try Image.decoded(from: $0.bytes, path: $0.fileName) }
    let mesh = try #require(scene.meshes.first)
    let coordinates = try #require(mesh.textureCoordinates)
    var errors: [Float] = []
    for face in 0..<mesh.faceCount {
      let weights = SIMD3<Float>(0.5, 0.3, 0.2)
      let (a, b, c) = mesh.vertices(ofFace: face)
      let corners = [a, b, c].map { mesh.positions[Int($0)].simd }
      let point = corners[0] * weights.x + corners[1] * weights.y + corners[2] * weights.z
      guard counts(point) else { continue }
      let material = scene.materials[Int(try #require(mesh.faceMaterials?[face]))]
      let page = pages[try #require(material.baseColorTexture)]
      var place = SIMD2<Float>.zero
      for corner in 0..<3 {
        let coordinate = coordinates[3 * face + corner]
        place += SIMD2(coordinate.x, 1 - coordinate.y) * weights[corner]
      }
      let color = LinearImage(page).bilinear(place * SIMD2<Float>(page.size))
      for channel in 0..<3 {
        let code = SRGBTable.shared.codes[min(65_535, max(0, Int(color[channel])))]
        errors.append(abs(Float(code) - capture.code(at: point)[channel]))
      }
    }
    return errors.sorted()
  }

  /// On a wall, and not behind furniture.
  private func isOnWall(_ point: SIMD3<Float>) -> Bool { point.y > 0 && point.y < 1.1 }

  @Test func `baked colours are those of the room`() throws {
    let capture = try SyntheticCapture.small {
      ($0.frameCount, $0.size) = (8, SIMD2(160, 120))
    }
    let baked = try bake(capture.scene) { $0.size = 256 }
    #expect(baked.materials.count == 1)
    #expect(baked.textures.map(\.fileName) == ["room.png"])
    let errors = try errors(of: baked, capture, where: isOnWall)
    #expect(errors[errors.count / 2] < 6)
    #expect(errors[errors.count * 3 / 4] < 12)
  }

  @Test func `charts may lie as in the pictures that they come from`() throws {
    let capture = try SyntheticCapture.small {
      ($0.frameCount, $0.size) = (8, SIMD2(160, 120))
    }
    let baked = try bake(capture.scene) { ($0.size, $0.atlas) = (256, .projected) }
    let errors = try errors(of: baked, capture, where: isOnWall)
    #expect(errors[errors.count / 2] < 7)
  }

  @Test(arguments: [(50, 256), (280, 256), (290, 512), (1100, 1024), (9000, 2048)])
  func `a page is the power of two that holds what frames show`(pixels: Int, size: Int) {
    // Pixels along the side of a square, of which a page holds four fifths, a quarter more along a side.
    let pages = BakeSize.pages(
      area: 0.8 / (1.25 * 1.25), texelsPerUnit: Double(pixels), maximumPages: 1, largest: 2048)
    #expect(pages.size == size && pages.count == 1)
  }

  /// Of a side in pixels, as above, two pages hold 1.41 times as many, three 1.73, four twice.
  @Test(arguments: [
    (250, 1, 256), (1100, 1, 1024), (2100, 1, 2048), (2400, 2, 2048), (3300, 3, 2048),
    (9000, 4, 2048),
  ])
  func `there are several pages only where one is too small`(
    pixels: Int, count: Int, size: Int
  ) {
    let pages = BakeSize.pages(
      area: 0.8 / (1.25 * 1.25), texelsPerUnit: Double(pixels), maximumPages: 4, largest: 2048)
    #expect(pages.count == count && pages.size == size)
  }

  @Test func `exposure and white balance are levelled`() throws {
    let capture = try SyntheticCapture.small {
      $0.exposureJitter = 0.3
      $0.whiteBalanceJitter = 0.05
    }
    let surface = try ObservedSurface(capture.scene)
    let calibration = try FrameObservations(
      BakeMesh(surface, edgeLimit: 0.2), on: surface, frames: capture.frames,
      options: Self.options
    ) { _ in }.calibration
    for channel in 0..<3 {
      let products = capture.frames.indices.map {
        capture.gains[$0][channel] * calibration.photometry.gains[$0][channel]
      }
      let (least, most) = (try #require(products.min()), try #require(products.max()))
      #expect(most / least < 1.04)
    }
  }

  @Test func `somebody who walked through is not painted on the wall`() throws {
    let capture = try SyntheticCapture.small { $0.framesWithPerson = [0, 1] }
    let baked = try bake(capture.scene)
    let page = try Image.decoded(from: baked.textures[0].bytes, path: "page")
    var pink = 0
    for pixel in stride(from: 0, to: page.pixels.count, by: 3)
    where page.pixels[pixel] > 225 && page.pixels[pixel + 1] < 90 && page.pixels[pixel + 2] > 180 {
      pink += 1
    }
    #expect(Double(pink) < 0.002 * Double(page.width * page.height))
  }

  @Test func `a blurred frame is known for what it is`() throws {
    let capture = try SyntheticCapture.small { $0.blurred = [3: 3] }
    let surface = try ObservedSurface(capture.scene)
    let calibration = try FrameObservations(
      BakeMesh(surface, edgeLimit: 0.2), on: surface, frames: capture.frames,
      options: Self.options
    ) { _ in }.calibration
    let sharpness = calibration.photometry.sharpness
    #expect(sharpness.firstIndex(of: sharpness.min() ?? 0) == 3)
  }

  @Test func `what no frame sees is filled, painted, or left alone`() throws {
    let capture = try SyntheticCapture.small()
    var scene = capture.scene
    // A plate outside the room.
    scene.meshes[0].addFace(Vector3(9, 0, 0), Vector3(10, 0, 0), Vector3(9, 1, 0))
    scene.meshes[0].classes = nil
    let context = StageContext()
    let filled = try bake(scene, in: context)
    #expect(filled.materials.count == 1)
    #expect(context.notes.first { $0.key == "unseenShare" }?.value != 0)
    let left = try bake(scene) { $0.unseen = .leave }
    #expect(left.materials.map(\.name) == ["unseen", "room"])
    #expect(left.meshes[0].faceMaterials?.last == 0)
    let painted = try bake(scene) {
      $0.unseen = .color
      $0.fillColor = NumberVector(SIMD3(255, 0, 0))
    }
    let page = try Image.decoded(from: painted.textures[0].bytes, path: "page")
    var middle = SIMD2<Float>.zero
    for coordinate in try #require(painted.meshes[0].textureCoordinates).suffix(3) {
      middle += SIMD2<Float>(coordinate.x, 1 - coordinate.y) / 3
    }
    let column = Int(middle.x * Float(page.width))
    let start = 3 * (Int(middle.y * Float(page.height)) * page.width + column)
    #expect(Array(page.pixels[start..<start + 3]) == [255, 0, 0])
  }

  @Test func `nothing that the surface had before shades or tints the texture`() throws {
    let capture = try SyntheticCapture.small { $0.frameCount = 3 }
    var scene = capture.scene
    let red = Color(red: 255, green: 0, blue: 0)
    scene.meshes[0].colors = [Color](repeating: red, count: scene.meshes[0].vertexCount)
    scene.meshes[0].faceMaterials = [UInt32](repeating: 0, count: scene.meshes[0].faceCount)
    scene.materials = [
      Material(
        name: "steel", baseColor: SIMD4(0.1, 0.2, 0.3, 0.4), metallic: 1, roughness: 0.1,
        emissive: SIMD3(1, 0, 0), isDoubleSided: true)
    ]
    let corners = scene.meshes[0].indices
    scene.meshes[0].tangents = corners.map { _ in Tangent(SIMD3(1, 0, 0), w: 1) }
    scene.meshes[0].secondTextureCoordinates = corners.map { Vector2(Float($0), 0) }
    var points = PointCloud(positions: [Vector3(0, 0, 0)])
    points.colors = [red]
    scene.pointClouds = [points]
    let baked = try bake(scene)
    #expect(baked.materials == [Material(name: "room", isDoubleSided: true, baseColorTexture: 0)])
    #expect(baked.meshes[0].colors == nil)
    #expect(baked.meshes[0].tangents == nil)
    #expect(
      baked.meshes[0].secondTextureCoordinates
        == baked.meshes[0].indices.map { Vector2(Float($0), 0) })
    #expect(baked.pointClouds[0].colors == [red])
  }

  @Test func `the texture is unlit where that is asked for, and what keeps its material is not`()
    throws
  {
    let capture = try SyntheticCapture.small { $0.frameCount = 2 }
    #expect(try bake(capture.scene).materials.map(\.isUnlit) == [false])
    #expect(try bake(capture.scene) { $0.shading = .unlit }.materials.map(\.isUnlit) == [true])
    let left = try bake(capture.scene) { ($0.shading, $0.unseen) = (.unlit, .leave) }
    #expect(left.materials.last?.isUnlit == true)
    #expect(left.materials.dropLast().allSatisfy { !$0.isUnlit } && left.materials.count > 1)
  }

  @Test func `what is left without texture keeps its colours, what gets it loses them`() throws {
    let capture = try SyntheticCapture.small { $0.frameCount = 3 }
    var scene = capture.scene
    // A plate outside the room, and one of a mesh of its own.
    let corners = (Vector3(9, 0, 0), Vector3(10, 0, 0), Vector3(9, 1, 0))
    var plate = Mesh()
    plate.addFace(corners.0, corners.1, corners.2)
    scene.meshes[0].addFace(corners.0, corners.1, corners.2)
    scene.meshes[0].classes = nil
    scene.meshes.append(plate)
    let red = Color(red: 255, green: 0, blue: 0)
    for index in scene.meshes.indices {
      scene.meshes[index].colors = [Color](
        repeating: red, count: scene.meshes[index].vertexCount)
    }
    let left = try bake(scene) { $0.unseen = .leave }
    let colors = try #require(left.meshes[0].colors)
    #expect(colors.suffix(3) == [red, red, red])
    let textured = left.materials.firstIndex { $0.baseColorTexture != nil }
    for face in 0..<left.meshes[0].faceCount
    where left.meshes[0].faceMaterials?[face] == textured.map({ UInt32($0) }) {
      let (a, b, c) = left.meshes[0].vertices(ofFace: face)
      #expect([a, b, c].map { colors[Int($0)] } == [.white, .white, .white])
    }
    #expect(left.meshes[1].colors == [red, red, red])
    #expect(try bake(scene).meshes.map(\.colors) == [nil, nil])
  }

  @Test func `a colour that nothing would get is a fault`() {
    var parameters = BakeTexture.Parameters()
    #expect(parameters.faults() == [])
    parameters.fillColor = NumberVector(SIMD3(255, 0, 0))
    #expect(
      parameters.faults() == ["'fillColor' needs 'unseen: color'"])
    parameters.unseen = .color
    #expect(parameters.faults() == [])
  }

  @Test func `broken faces and several pages do no harm`() throws {
    let capture = try SyntheticCapture.small { $0.frameCount = 4 }
    var scene = capture.scene
    scene.meshes[0].indices += [0, 0, 1, 0, 1, 2, 0, 1, 2]
    scene.meshes[0].classes = nil
    let baked = try bake(scene) { ($0.size, $0.pages, $0.texelsPerMeter) = (128, 3, 20) }
    #expect(baked.textures.count <= 3)
    for mesh in baked.meshes { try mesh.validate(materialCount: baked.materials.count) }
  }

  @Test func `any number of threads gives the same bytes`() throws {
    let capture = try SyntheticCapture.small { $0.frameCount = 4 }
    let all = try bake(capture.scene)
    let alone = try Parallel.withThreads(1) { try bake(capture.scene) }
    #expect(alone == all)
  }

  @Test func `frames that cannot be used are named`() throws {
    let capture = try SyntheticCapture.small { $0.frameCount = 3 }
    var scene = capture.scene
    scene.capture?.frames[1].image = .file("/nowhere/else.jpg")
    let context = StageContext()
    _ = try bake(scene, in: context)
    #expect(context.warnings.count == 1)
    #expect(context.warnings.first?.contains("frame_00001") == true)

    scene.capture = nil
    #expect(throws: BakingFailure.noFrames) { try bake(scene) }
    scene.capture = capture.scene.capture
    for index in 0..<3 { scene.capture?.frames[index].image = .file("/nowhere/else.jpg") }
    #expect(throws: BakingFailure.self) { try bake(scene) }
    scene.capture = capture.scene.capture
    for index in 0..<3 { scene.capture?.frames[index].pose.translation += SIMD3(100, 0, 0) }
    let error = #expect(throws: BakingFailure.self) { try bake(scene) }
    #expect(error?.message.contains("the nearest camera is 9") == true)
  }

  @Test func `a photograph without its depth map or confidences is still one`() throws {
    let capture = try SyntheticCapture.small { ($0.frameCount, $0.size) = (2, SIMD2(48, 36)) }
    let damaged = try TemporaryFolder()
    let path = "\(damaged.path)/damaged.png"
    try Data("\u{89}PNG".utf8).write(to: URL(fileURLWithPath: path))
    var scene = capture.scene
    // Confidences are all sure when they can't be read.
    scene.capture?.frames[0].depth?.confidence?.path = path
    let sure = try #require(scene.capture).frames[0].readableDepth()
    #expect(sure.map?.width == 24 && sure.map?.confidences == nil)
    #expect(sure.fault?.contains("damaged.png") == true)
    scene.capture?.frames[1].depth?.path = path
    let context = StageContext()
    _ = try bake(scene, in: context)
    #expect(context.warnings.count == 1)
    #expect(context.warnings.first?.contains("depth of 2 frame(s)") == true)
    #expect(context.warnings.first?.contains("ImageError(") == false)
  }

  @Test func `a density or a padding without room is reported`() throws {
    let capture = try SyntheticCapture.small { ($0.frameCount, $0.size) = (2, SIMD2(48, 36)) }
    let context = StageContext()
    _ = try bake(capture.scene, in: context) { ($0.texelsPerMeter, $0.padding) = (10_000, 256) }
    #expect(context.warnings.count == 3)
    #expect(context.warnings.contains { $0.contains("not 10000") })
    #expect(context.warnings.contains { $0.contains("not 256") })
    // The few texels that are left blur everything, which a look at the model shows.
    #expect(context.warnings.contains { $0.contains("does not look like the photographs") })
  }

  @Test func `frames whose cameras are elsewhere are found by looking at the model`() throws {
    let capture = try SyntheticCapture.small {
      ($0.frameCount, $0.size, $0.depthSize) = (12, SIMD2(96, 72), nil)
    }
    var scene = capture.scene
    for index in 4..<7 { scene.capture?.frames[index].pose = capture.truePoses[index + 5] }
    let context = StageContext()
    _ = try bake(scene, in: context)
    #expect(
      context.warnings.contains { $0.contains("photographs it was made from: rendered into them") },
      "\(context.warnings)")
  }

  @Test func `a picture that is gone when it is needed again leaves no gap`() throws {
    let capture = try SyntheticCapture.small { $0.frameCount = 3 }
    let frames = try #require(capture.scene.capture).frames
    let surface = try ObservedSurface(capture.scene)
    let bakeMesh = BakeMesh(surface, edgeLimit: 0.3)
    let observations = try FrameObservations(
      bakeMesh, on: surface, frames: frames, options: Self.options
    ) { _ in }
    let selection = ViewSelection(observations, density: 50)
    try FileManager.default.removeItem(atPath: frames[1].image.path)
    let atlas = try AtlasBuilder.unwrapped(
      positions: surface.positions, indices: surface.indices,
      options: AtlasOptions(pageSize: 128, maximumPages: 1, padding: 4))
    let composition = try TextureComposition(selection, TriangleRaster(atlas, bakeMesh)) { _ in }
    let covered = atlas.coverage(ofPage: 0)
    let page = composition.pages([covered], rings: 1)[0]
    // No colour of the room is as dark as half of one that lost a frame would be.
    var darkest = UInt8.max
    for y in 0..<page.height {
      for x in 0..<page.width where covered[x, y] {
        let pixel = 3 * (y * page.width + x)
        darkest = min(
          darkest, max(page.pixels[pixel], page.pixels[pixel + 1], page.pixels[pixel + 2]))
      }
    }
    #expect(darkest > 60)
  }

  @Test func `the triangles of a face share its texels exactly`() throws {
    let mesh = MeshFixtures.grid(columns: 3, rows: 2)
    let surface = try ObservedSurface(positions: mesh.positions, indices: mesh.indices)
    let bakeMesh = BakeMesh(surface, edgeLimit: 0.3)
    #expect(bakeMesh.triangleCount > 2 * mesh.faceCount)
    let atlas = try AtlasBuilder.unwrapped(
      positions: surface.positions, indices: surface.indices,
      options: AtlasOptions(pageSize: 128, maximumPages: 1, padding: 4))
    let raster = TriangleRaster(atlas, bakeMesh)
    var counts = [Int](repeating: 0, count: 128 * 128)
    for triangle in 0..<bakeMesh.triangleCount {
      raster.texelTriangle(of: triangle)?.forEachSpan { span in
        for column in span.columns { counts[span.row * atlas.pages[0].x + column] += 1 }
      }
    }
    let covered = atlas.coverage(ofPage: 0)
    for y in 0..<atlas.pages[0].y {
      for x in 0..<atlas.pages[0].x {
        #expect(counts[y * atlas.pages[0].x + x] == (covered[x, y] ? 1 : 0))
      }
    }
  }
}
