import Formats
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// Decimation of real and realistic scans; each is left out where its file is missing.
///
/// The large ones take a minute without the optimiser, so they run in release builds only.
@Suite struct DecimateScanTests {
  private static let isOptimized = !_isDebugAssertConfiguration()

  private func decimated(
    _ scene: Scene, to target: Amount, _ quality: Decimate.Quality = .balanced
  ) throws -> Scene {
    var parameters = Decimate.Parameters()
    parameters.quality = quality
    parameters.faces = target
    return try Decimate(parameters).run(scene, in: StageContext())
  }

  @Test(.enabled(if: isOptimized, "takes minutes; runs optimised"))
  func `the sample room keeps its classes, borders and topology`() throws {
    let scene = try OBJ.read(Checkout.sample, in: ReadingContext())
    let result = try decimated(scene, to: .fraction(0.2))
    let (before, after) = (SurfaceSummary(scene.meshes), SurfaceSummary(result.meshes))
    #expect(abs(Double(result.faceCount) - 0.2 * Double(scene.faceCount)) <= 1.5)
    #expect(after.eulerCharacteristic == before.eulerCharacteristic)
    #expect(after.nonManifoldEdges <= before.nonManifoldEdges)
    #expect(abs(after.boundaryLength / before.boundaryLength - 1) < 0.02)
    #expect(abs(after.area / before.area - 1) < 0.02)
    let (areas, areasBefore) = (classAreas(result), classAreas(scene))
    #expect(!areasBefore.isEmpty)
    for (name, area) in areasBefore {
      #expect(abs((areas[name] ?? 0) - area) < 0.02 * area + 0.02, "\(name)")
    }
  }

  @Test(.needsShared("meshes/common/spot/spot_triangulated.obj"))
  func `a textured model keeps its seams and stays closed`() throws {
    let path = try #require(Checkout.shared("meshes/common/spot/spot_triangulated.obj"))
    let scene = try OBJ.read(path, in: ReadingContext())
    let result = try decimated(scene, to: .count(1500))
    let summary = SurfaceSummary(result.meshes)
    #expect(summary.isClosed && summary.nonManifoldEdges == 0)
    #expect(summary.eulerCharacteristic == SurfaceSummary(scene.meshes).eulerCharacteristic)
    #expect(result.faceCount <= 1500 && result.faceCount >= 1485)
    // Texture coordinates that were near on the surface stay so: no face spans the atlas.
    let limit = widestFaceInTexture(scene) * 8
    #expect(widestFaceInTexture(result) < max(limit, 0.3))
    let subset = try decimated(scene, to: .count(1500), .fast)
    #expect(corners(subset).isSubset(of: corners(scene)))
  }

  @Test(
    .enabled(if: isOptimized, "takes minutes; runs optimised"),
    .needsShared("meshes/arkit-room-classified"))
  func `a real room with noisy labels keeps each face's label`() throws {
    let path = try #require(
      Checkout.shared("meshes/arkit-room-classified/derived/room_classified_faces.ply"))
    let scene = try PLY.read(path, in: ReadingContext())
    let result = try decimated(scene, to: .fraction(0.5))
    #expect(abs(Double(result.faceCount) / Double(scene.faceCount) - 0.5) < 0.001)
    #expect(SurfaceSummary(result.meshes).nonManifoldEdges == 0)
    let (areas, areasBefore) = (classAreas(result), classAreas(scene))
    for (name, area) in areasBefore { #expect(abs((areas[name] ?? 0) / area - 1) < 0.05) }
  }

  @Test(
    .enabled(if: isOptimized, "takes minutes; runs optimised"),
    .needsShared("meshes/common/stanford-bunny.obj"),
    arguments: ["stanford-bunny", "armadillo"])
  func `scanned figures are brought to a tenth without a turned face`(name: String) throws {
    let path = try #require(Checkout.shared("meshes/common/\(name).obj"))
    let scene = try OBJ.read(path, in: ReadingContext())
    let result = try decimated(scene, to: .fraction(0.1))
    let (before, after) = (SurfaceSummary(scene.meshes), SurfaceSummary(result.meshes))
    #expect(abs(Double(result.faceCount) / Double(scene.faceCount) - 0.1) < 0.001)
    #expect(after.nonManifoldEdges == 0)
    #expect(after.eulerCharacteristic == before.eulerCharacteristic)
    #expect(abs(after.volume / before.volume - 1) < 0.01)

    let original = try #require(scene.meshes.first)
    let mesh = try #require(result.meshes.first)
    let edge = (before.area / Double(before.faces)).squareRoot()
    let nearest = NearestFace(original, cellSize: 2 * edge)
    let own = NearestFace(mesh, cellSize: 10 * edge)
    var (turned, sum) = (0, 0.0)
    for face in 0..<mesh.faceCount {
      let center = (0..<3).reduce(SIMD3<Double>.zero) {
        $0 + mesh.positions[Int(mesh.indices[3 * face + $1])].double / 3
      }
      guard let below = nearest(center) else { continue }
      sum += below.distance
      if own.normal(ofFace: face).dot(nearest.normal(ofFace: below.face)) <= 0 { turned += 1 }
    }
    #expect(turned == 0)
    #expect(sum / Double(mesh.faceCount) < 0.001 * Double(scene.bounds.extent))
  }

  private func classAreas(_ scene: Scene) -> [String: Double] {
    var areas: [String: Double] = [:]
    for mesh in scene.meshes {
      guard let classes = mesh.classes else { continue }
      for face in 0..<mesh.faceCount {
        let corners = (0..<3).map { mesh.positions[Int(mesh.indices[3 * face + $0])].double }
        areas[classes.names[Int(classes.labels[face])], default: 0] +=
          (corners[1] - corners[0]).cross(corners[2] - corners[0]).length / 2
      }
    }
    return areas
  }

  /// Position and texture coordinates of each corner.
  private func corners(_ scene: Scene) -> Set<[Float]> {
    var corners: Set<[Float]> = []
    for mesh in scene.meshes {
      for corner in mesh.indices.indices {
        let position = mesh.positions[Int(mesh.indices[corner])]
        let coordinates = mesh.textureCoordinates?[corner] ?? .zero
        corners.insert([position.x, position.y, position.z, coordinates.x, coordinates.y])
      }
    }
    return corners
  }

  private func widestFaceInTexture(_ scene: Scene) -> Float {
    var widest: Float = 0
    for mesh in scene.meshes {
      guard let all = mesh.textureCoordinates else { continue }
      for face in 0..<mesh.faceCount {
        for corner in 0..<3 {
          let (a, b) = (all[3 * face + corner], all[3 * face + (corner + 1) % 3])
          widest = max(widest, abs(a.x - b.x), abs(a.y - b.y))
        }
      }
    }
    return widest
  }
}
