import MeshPipeline
import NativeLibraries

/// The levels of detail of a file, by the extension MSFT_lod: the node of the nearest one names
/// those of the others, which are not in the tree, so that programs without it show the nearest.
struct GLTFLevels {
  static let extensionName = "MSFT_lod"
  /// The lines of the screen for which levels are chosen.
  private static let screenLines = 1080.0
  /// The share of the surface whose deviation counts; single points may be farther off.
  private static let measuredShare = 0.99

  /// The meshes of all levels, the nearest first; equal materials and textures are there once.
  private(set) var scene: Scene
  /// The number of meshes with faces of each level.
  private(set) var counts: [Int] = []
  /// The least height of the scene on the screen, as a share of the screen's, for each level: where
  /// the next one deviates by a pixel.
  private var coverages: [Double] = []
  private let name: String

  /// The scene with the lighter levels of the context, and textures as the options want them.
  ///
  /// - Throws: ``UnwritableScene`` for a position that is not finite.
  init(_ scene: Scene, _ options: GLTFOptions, in context: WritingContext) throws {
    self.scene = scene
    name = scene.name
    try add(context.lighterLevels, to: scene, in: context)
    self.scene = try options.encodingTextures(of: self.scene, in: context)
      .withCommonTextures(GLTFDocument.encodings, onlyIn: "glTF", in: context)
  }

  private mutating func add(
    _ lighter: [Scene], to scene: Scene, in context: WritingContext
  ) throws {
    guard !lighter.isEmpty, scene.faceCount > 0 else { return }
    for level in [scene] + lighter { try context.requireFinitePositions(of: level) }
    let nearest = try LevelSurface(scene)
    let extent = Double(scene.bounds.size.length)
    for var level in lighter where level.faceCount > 0 {
      try context.stage.checkCancellation()
      level.align(with: scene)
      let deviation = try nearest.deviation(of: LevelSurface(level), share: Self.measuredShare)
      let coverage = extent / (Self.screenLines * max(Double(deviation), extent * 1e-9))
      coverages.append(min(coverage, coverages.last ?? 1))
    }
    let levels = SceneLevels(scene, lighter: lighter)
    (self.scene, counts) = (levels.scene, levels.counts)
    // The last level is drawn however small it is.
    coverages.append(0)
  }

  /// The number of meshes with faces of all levels.
  var meshCount: Int { counts.reduce(0, +) }

  /// Adds the node of each level above those of its meshes.
  ///
  /// - Parameters:
  ///   - nodes: One for each mesh, and then those of points.
  ///   - axes: The matrix of the scene's axes, which each level has itself, as some viewers show
  ///     levels without what is above the nearest.
  /// - Returns: The node of the nearest level; nil if there is one level.
  func group(_ nodes: inout [JSONValue], _ axes: JSONValue.Member?) -> Int? {
    guard counts.count > 1 else { return nil }
    let first = nodes.count
    var start = 0
    for (level, count) in counts.enumerated() {
      let children = (start..<start + count).map(\.json)
      start += count
      var members: [JSONValue.Member] = [
        .init("name", "\(name.isEmpty ? "scene" : name)_LOD\(level)".json),
        .init("children", JSONValue(.array(children))),
      ]
      if let axes { members.append(axes) }
      if level == 0 {
        let ids = (1..<counts.count).map { (first + $0).json }
        members += [
          .init("extensions", [Self.extensionName: ["ids": JSONValue(.array(ids))]]),
          .init("extras", ["MSFT_screencoverage": JSONValue(.array(coverages.map(\.json)))]),
        ]
      }
      nodes.append(JSONValue(.object(members)))
    }
    return first
  }
}

/// The faces of a level, for measuring.
private struct LevelSurface {
  private var positions: [Vector3] = []
  private let tracer: RayTracer

  init(_ scene: Scene) throws(NativeLibraryError) {
    var indices: [UInt32] = []
    for mesh in scene.meshes {
      let start = UInt32(positions.count)
      positions += mesh.positions
      indices += mesh.indices.map { $0 + start }
    }
    tracer = try RayTracer(positions: positions, indices: indices)
  }

  /// The distance that a share of the vertices of both surfaces has at most from the other one.
  func deviation(of other: LevelSurface, share: Double) -> Float {
    let distances = (distances(to: other) + other.distances(to: self)).sorted()
    guard !distances.isEmpty else { return 0 }
    return distances[Int(Double(distances.count - 1) * share)]
  }

  private func distances(to other: LevelSurface) -> [Float] {
    Parallel.array(count: positions.count, chunkSize: 1 << 10) { vertex in
      other.tracer.nearest(to: positions[vertex].simd)?.distance ?? 0
    }
  }
}
