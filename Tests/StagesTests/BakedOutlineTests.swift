import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Photogrammetry
@testable import Stages

/// A dark box of one colour before a bright background: whatever of it is bright came from behind.
struct BakedOutlineTests {
  static let code: [UInt8] = [140, 50, 40]

  /// 20 cm wide, with outward faces; the bottom comes last.
  static func box() -> Mesh {
    let corners = (0..<8).map {
      Vector3($0 & 1 == 0 ? -0.1 : 0.1, $0 & 2 == 0 ? -0.1 : 0.1, $0 & 4 == 0 ? -0.1 : 0.1)
    }
    let quads: [[UInt32]] = [
      [4, 5, 7, 6], [1, 0, 2, 3], [5, 1, 3, 7], [0, 4, 6, 2], [6, 7, 3, 2], [0, 1, 5, 4],
    ]
    return Mesh(
      positions: corners, indices: quads.flatMap { [$0[0], $0[1], $0[2], $0[0], $0[2], $0[3]] })
  }

  /// Frames from a ring above, none of which sees the bottom; what comes after the box is bright.
  static func capture(of mesh: Mesh, in folder: TemporaryFolder, count: Int = 6) throws -> Capture {
    let surface = try ObservedSurface(positions: mesh.positions, indices: mesh.indices)
    let size = SIMD2(120, 90)
    let frames = try (0..<count).map { index in
      let angle = Float(index) * .pi / 3 + 0.3
      let eye = SIMD3(0.44 * cos(angle), 0.2, 0.44 * sin(angle))
      let frame = Capture.Frame(
        name: "\(index)", image: .file("\(folder.path)/\(index).png"), imageSize: size,
        intrinsics: .init(focalLength: SIMD2(105, 105), principalPoint: SIMD2(60, 45)),
        pose: SyntheticCapture.pose(at: SIMD3<Double>(eye), lookingAt: .zero))
      let camera = Camera(frame)
      var pixels: [UInt8] = []
      for pixel in 0..<size.x * size.y {
        var hits = 0
        for sample in 0..<9 {
          let place = SIMD2(
            Float(pixel % size.x) + (Float(sample % 3) + 0.5) / 3,
            Float(pixel / size.x) + (Float(sample / 3) + 0.5) / 3)
          let ray = camera.ray(through: place)
          let hit = surface.tracer.firstHit(from: camera.position, along: ray)
          if let hit, hit.face < box().faceCount { hits += 1 }
        }
        let share = Float(hits) / 9
        for channel in 0..<3 {
          let light = SRGBTable.shared.linear[Int(code[channel])] * share + 0.8 * (1 - share)
          pixels.append(SRGBTable.shared.codes[Int(light * LinearImage.one)])
        }
      }
      let image = Image(width: size.x, height: size.y, pixels: pixels)
      try folder.write("\(index).png", try PNG.encode(image))
      return frame
    }
    return Capture(frames: frames)
  }

  @Test func `what lies behind an edge is painted on neither of its sides`() throws {
    let folder = try TemporaryFolder()
    let mesh = Self.box()
    var scene = Scene(meshes: [mesh])
    scene.capture = try Self.capture(of: mesh, in: folder)
    var parameters = BakeTexture.Parameters()
    (parameters.size, parameters.format) = (96, .png)
    let baked = try BakeTexture(parameters).run(scene, in: StageContext())
    let page = LinearImage(try Image.decoded(from: baked.textures[0].bytes, path: "page"))
    let coordinates = try #require(baked.meshes[0].textureCoordinates)
    var errors: [Float] = []
    for face in 0..<mesh.faceCount {
      // In the middle, and by the corners and sides.
      for weights in [SIMD3<Float>(1, 1, 1), SIMD3(18, 1, 1), SIMD3(1, 18, 1), SIMD3(10, 9, 1)] {
        var place = SIMD2<Float>.zero
        for corner in 0..<3 {
          let coordinate = coordinates[3 * face + corner]
          place += SIMD2(coordinate.x, 1 - coordinate.y) * (weights[corner] / weights.sum())
        }
        let color = page.bilinear(place * SIMD2(Float(page.width), Float(page.height)))
        for channel in 0..<3 {
          let code = SRGBTable.shared.codes[Int(min(max(color[channel], 0), LinearImage.one))]
          errors.append(abs(Float(code) - Float(Self.code[channel])))
        }
      }
    }
    // At the very corner of a face a single texel may mix; without holding back all that no frame sees
    // is half as bright as the background.
    let seen = errors.dropLast(errors.count / 6).sorted()
    let unseen = errors.suffix(errors.count / 6)
    #expect(seen[seen.count * 9 / 10] < 10 && seen[seen.count * 3 / 4] < 3)
    #expect(try #require(unseen.max()) < 30)
  }

  @Test func `what hovers over a floor gives its colour to none of it`() throws {
    let folder = try TemporaryFolder()
    var mesh = Self.box()
    let (first, side) = (UInt32(mesh.vertexCount), UInt32(61))
    for index in 0..<side * side {
      let (x, z) = (Float(index % side) * 0.02 - 0.6, Float(index / side) * 0.02 - 0.6)
      mesh.positions.append(Vector3(x, -0.3, z))
      guard index % side < side - 1, index / side < side - 1 else { continue }
      let corners = [index, index + side, index + 1, index + 1, index + side, index + side + 1]
      mesh.indices += corners.map { first + $0 }
    }
    var scene = Scene(meshes: [mesh])
    scene.capture = try Self.capture(of: mesh, in: folder, count: 1)
    let baked = try BakeColors(BakeColors.Parameters()).run(scene, in: StageContext())
    let colors = try #require(baked.meshes[0].colors).dropFirst(Int(first))
    #expect(colors.count == Int(side * side))
    let bright = SRGBTable.shared.codes[Int(0.8 * LinearImage.one)]
    #expect(try #require(colors.map(\.green).min()) > bright - 5)
  }

  @Test func `a crease has two sides, and each is looked at inside`() throws {
    let mesh = Self.box()
    let surface = try ObservedSurface(positions: mesh.positions, indices: mesh.indices)
    let bakeMesh = BakeMesh(surface, edgeLimit: 0.05)
    let borders = BakeMeshBorders(bakeMesh, inset: 0.01)
    for vertex in 0..<bakeMesh.vertexCount {
      let sizes = [0, 1, 2].map { abs(borders.samplePositions[vertex].simd[$0]) }.sorted()
      #expect(sizes[2] == 0.1 && sizes[1] < 0.1)
    }
    for side in borders.beyond.indices where borders.beyond[side] != BakeMeshBorders.inside {
      let other = Int(borders.beyond[side])
      #expect(bakeMesh.surfaceFaces[other] / 2 != bakeMesh.surfaceFaces[side / 3] / 2)
    }
    let eye = SIMD3<Float>(0.02, 0.04, 0.6)
    for triangle in 0..<bakeMesh.triangleCount where bakeMesh.surfaceFaces[triangle] / 2 == 0 {
      let sides = (0..<3).filter { borders.beyond[3 * triangle + $0] != BakeMeshBorders.inside }
      let outlines = borders.outlines(ofTriangle: triangle, in: bakeMesh, from: eye)
      #expect(outlines == sides.reduce(0) { $0 | 1 << $1 })
    }
  }

  @Test(arguments: [
    (60, 1920, 256, 4), (300, 4032, 1000, 4), (300, 4032, 64, 11), (2000, 4032, 16, 16),
  ])
  func `maps of what hides the mesh fit into memory together`(
    count: Int, width: Int, mebibytes: Int, step: Int
  ) {
    let sizes = [SIMD2](repeating: SIMD2(width, width * 3 / 4), count: count)
    #expect(DepthBounds.step(sizes, atLeast: 4, memory: mebibytes << 20) == step)
  }
}
