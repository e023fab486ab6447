import MeshPipeline

/// What a message of the wire leaves out of a scene, since no other program is sent it.
///
/// The compiler lists the properties of each part, so that a new one is kept without a word here.
struct UnsentScene: Codable {
  private var capture: Capture?
  private var scale: Double?
  private var interpretation: Interpretation
  private var shapes: [Shape]
  private var gates: [CaptureGate]
  private var room: Room?
  private var buildings: [Building]
  private var sections: [Section]
  /// The maps, whose pages are sent as the last textures.
  private var maps: [Map]

  private struct Map: Codable {
    var kind: SurfaceMap.Kind
    var pageCount: Int
  }

  /// Takes it out of a scene, which is what is sent.
  init(takenFrom scene: inout Scene) {
    capture = scene.capture
    scale = scene.scale
    interpretation = scene.interpretation
    shapes = scene.shapes
    gates = scene.gates
    room = scene.room
    buildings = scene.buildings
    sections = scene.sections
    maps = scene.surfaceMaps.map { Map(kind: $0.kind, pageCount: $0.pages.count) }
    scene.textures += scene.surfaceMaps.flatMap(\.pages)
    scene.capture = nil
  }

  /// Puts it back.
  ///
  /// - Returns: Nil if the scene is not the one it was taken from.
  func restored(to sent: Scene) -> Scene? {
    var scene = sent
    let pageCount = maps.reduce(0) { $0 + $1.pageCount }
    guard maps.allSatisfy({ $0.pageCount >= 0 }), pageCount <= scene.textures.count else {
      return nil
    }
    var pages = scene.textures.suffix(pageCount)
    scene.textures.removeLast(pageCount)
    scene.surfaceMaps = maps.map { map in
      defer { pages = pages.dropFirst(map.pageCount) }
      return SurfaceMap(kind: map.kind, pages: Array(pages.prefix(map.pageCount)))
    }
    scene.capture = capture
    scene.scale = scale
    scene.interpretation = interpretation
    scene.shapes = shapes
    scene.gates = gates
    scene.room = room
    scene.buildings = buildings
    scene.sections = sections
    return scene
  }
}
