package import MeshPipeline
import NativeLibraries
import SurfaceKernels

/// Brings scans into the coordinates of the first by their surfaces: what `--join=aligned` does.
package struct SceneRegistration: ScanAlignment {
  package init() {}

  package func align(_ scans: [NamedScan], in context: StageContext) throws -> [Scene?] {
    guard let first = scans.first else { return [] }
    var scenes = scans.map(\.scene)
    for index in scenes.indices { scenes[index].convert(to: first.scene.coordinateSystem) }
    let surfaces = try scenes.map { try RegisteredSurface($0, in: context) }
    let network = try SurfaceNetwork(surfaces) { () throws(Cancelled) in
      try context.checkCancellation()
    }
    var reports: [JSONValue] = []
    var placed: [Scene?] = []
    for index in scenes.indices.dropFirst() {
      let placement = network.placements[index]
      let shift = placement.map {
        Self.shift(of: scenes[index], surfaces[index], by: $0.transform, to: first.scene)
      }
      let report = PlacedScan(
        name: scans[index].name, placement: placement,
        refusal: network.refusals[index] ?? .isApart, shift: shift ?? 0,
        metersPerUnit: first.scene.coordinateSystem.metersPerUnit,
        up: first.scene.coordinateSystem.up.vector)
      reports.append(report.json)
      guard let placement else {
        context.warn("\(report.name): left out, since \(report.refusal.reason)")
        placed.append(nil)
        continue
      }
      var scene = scenes[index]
      scene.apply(placement.transform)
      scene.origin = first.scene.origin
      placed.append(scene)
    }
    try Self.removeDoubledFaces(
      from: &placed, beside: first.scene, network.placements.dropFirst().map { $0?.tolerance ?? 0 })
    context.note("alignment", JSONValue(.array(reports)))
    return placed
  }

  /// How far the middle of a scene is moved.
  static func shift(
    of scene: Scene, _ surface: RegisteredSurface, by transform: Transform, to first: Scene
  ) -> Double {
    let middle = surface.middle
    return (transform.apply(toPoint: middle) + first.origin - middle - scene.origin).length
  }

  /// Removes faces that lie on those of the scans before, within the distance at which both are one surface.
  private static func removeDoubledFaces(
    from scenes: inout [Scene?], beside first: Scene, _ tolerances: [Double]
  ) throws {
    var kept = first.meshes
    for index in scenes.indices {
      guard var scene = scenes[index] else { continue }
      let (positions, indices) = kept.joinedSurface
      let sound = stride(from: 0, to: indices.count, by: 3).filter { corner in
        (corner..<corner + 3).allSatisfy { positions[Int(indices[$0])].isFinite }
      }
      if !sound.isEmpty, scene.faceCount > 0 {
        let doubled = try DoubledFaces(
          positions: positions, indices: sound.flatMap { indices[$0..<$0 + 3] })
        for mesh in scene.meshes.indices {
          let isDoubled = doubled.faces(of: scene.meshes[mesh], within: Float(tolerances[index]))
          if isDoubled.contains(true) { scene.meshes[mesh].keepFaces(isDoubled.map { !$0 }) }
        }
        scene.meshes.removeAll { $0.faceCount == 0 }
      }
      kept += scene.meshes
      scenes[index] = scene
    }
  }
}
