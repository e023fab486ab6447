import MeshPipeline
import NativeLibraries
import SurfaceKernels

/// One of two scenes that are compared: its surface with colours and classes, or its points.
struct ComparedScene: Sendable {
  let system: CoordinateSystem
  /// Its faces in the order of the scene.
  let sampler: SceneSampler
  /// The area of each face; empty if none has any.
  private let areas: [Double]
  /// The points of a scene without faces that have an area.
  let points: [Vector3]
  /// The name of the class of each face; nil without classes.
  let classes: FaceClasses?
  /// Whether faces have colours other than the grey of what has none.
  let hasColors: Bool
  /// Of its faces, or of its points.
  let box: Box
  private let textures: Scene.DecodedColors

  var surface: SceneSurface { sampler.surface }
  /// Whether it is measured at its faces.
  var isSurface: Bool { !areas.isEmpty }

  /// Decodes the textures; what can't be decoded is a warning.
  init(_ scene: Scene, named name: String, in context: StageContext) {
    let textures = scene.decodedOwnTextures {
      context.warn("\($0); colours are compared without it")
    }
    self.init(scene, textures)
    if isSurface, scene.pointCount > 0 {
      context.warn("\(name) has faces and points, of which only the faces are compared")
    }
  }

  /// The same scene after a movement.
  func moved(to scene: Scene) -> ComparedScene { ComparedScene(scene, textures) }

  private init(_ scene: Scene, _ textures: Scene.DecodedColors) {
    self.textures = textures
    system = scene.coordinateSystem
    let colors = scene.ownColors(textures)
    sampler = colors.sampler
    let surface = sampler.surface
    hasColors = surface.looks.contains { $0.isPhotographed || $0.color != colors.plain }
    let areas = Parallel.array(count: surface.faceCount) { face in
      Double(surface.areaVector(ofFace: face).length) / 2
    }
    let isSurface = areas.contains { $0 > 0 && $0.isFinite }
    self.areas = isSurface ? areas : []
    points = isSurface ? [] : scene.pointClouds.flatMap { $0.positions.filter(\.isFinite) }
    classes = isSurface ? Self.classes(of: scene.meshes.filter { $0.faceCount > 0 }) : nil
    box = surface.faceCount > 0 ? surface.usedBox : Box(points)
  }

  private static func classes(of meshes: [Mesh]) -> FaceClasses? {
    guard meshes.contains(where: { $0.classes != nil }) else { return nil }
    var joined = FaceClasses(labels: [], names: ["none"])
    for mesh in meshes {
      let labels = (mesh.classes?.names ?? []).map { joined.label(named: $0) ?? 0 }
      joined.labels += (0..<mesh.faceCount).map { face in
        mesh.classes.map { labels[Int($0.labels[face])] } ?? 0
      }
    }
    return joined
  }

  /// Points spread over the surface by area; nil without a surface.
  func samples(count: Int, seed: Int) -> FaceSamples? {
    isSurface ? FaceSamples(areas: areas, count: count, seed: seed) : nil
  }

  /// Those of its faces that have an area: others hold no place that these don't, or are broken.
  var facesWithArea: [UInt32] {
    areas.indices.filter { areas[$0] > 0 && areas[$0].isFinite }.map { UInt32($0) }
  }

  /// The size of the largest coordinate.
  var size: Float { max(-box.minimum.min(), box.maximum.max(), 0) }

  /// The position of a point on a face.
  func position(onFace face: Int, _ weights: SIMD3<Float>) -> SIMD3<Float> {
    surface.corner(face, 0) * weights.x + surface.corner(face, 1) * weights.y
      + surface.corner(face, 2) * weights.z
  }
}
