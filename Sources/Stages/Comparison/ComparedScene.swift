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

  var surface: SceneSurface { sampler.surface }
  /// Whether it is measured at its faces.
  var isSurface: Bool { !areas.isEmpty }

  /// Decodes the textures; what can't be decoded is a warning.
  init(_ scene: Scene, named name: String, in context: StageContext) {
    system = scene.coordinateSystem
    var source = scene
    // Classes have colours in pictures only.
    for index in source.meshes.indices { source.meshes[index].classes = nil }
    let used = Set(scene.usedMaterials.compactMap { scene.materials[$0].baseColorTexture })
    let (textures, places) = source.decodedTextures(used, as: .color) {
      context.warn("\($0); colours are compared without it")
    }
    let looks = SurfaceLooks(source, choice: .auto, textures: places, combinesColors: true)
    sampler = SceneSampler(surface: SceneSurface(source, looks), textures: textures)
    hasColors = sampler.surface.looks.contains { $0.isPhotographed || $0.color != looks.plain }
    let surface = sampler.surface
    let areas = Parallel.array(count: surface.faceCount) { face in
      Double(surface.areaVector(ofFace: face).length) / 2
    }
    let isSurface = areas.contains { $0 > 0 && $0.isFinite }
    self.areas = isSurface ? areas : []
    points = isSurface ? [] : scene.pointClouds.flatMap { $0.positions.filter(\.isFinite) }
    classes = isSurface ? Self.classes(of: scene.meshes.filter { $0.faceCount > 0 }) : nil
    if isSurface, scene.pointCount > 0 {
      context.warn("\(name) has faces and points, of which only the faces are compared")
    }
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

  /// Of the largest coordinate.
  var size: Float {
    let box = surface.faceCount > 0 ? surface.usedBox : Box(points)
    return max(-box.minimum.min(), box.maximum.max(), 0)
  }

  /// The longest edge of its box.
  var extent: Float { isSurface ? surface.usedBox.extent : Box(points).extent }

  /// The position of a point on a face.
  func position(onFace face: Int, _ weights: SIMD3<Float>) -> SIMD3<Float> {
    surface.corner(face, 0) * weights.x + surface.corner(face, 1) * weights.y
      + surface.corner(face, 2) * weights.z
  }

  /// Colour and normal on the side that the face shows.
  ///
  /// - Parameter area: The area for which the colour is the mean.
  func sight(face: Int, _ barycentric: SIMD2<Float>, area: Float) -> SceneSampler.Sight {
    let cross = surface.areaVector(ofFace: face)
    return sampler.sight(
      face: face, barycentric: barycentric, along: -cross.normalized, depth: 1,
      area: min(area, cross.length / 2))
  }
}

extension SceneSurface {
  /// The vector normal to a face, on the side that it shows, as long as twice its area.
  func areaVector(ofFace face: Int) -> SIMD3<Float> {
    let start = corner(face, 0)
    return (corner(face, 1) - start).cross(corner(face, 2) - start)
  }
}
