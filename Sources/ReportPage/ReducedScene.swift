import MeshPipeline
import SurfaceKernels

extension Scene {
  /// The scene as a page has it: in ARKit's axes, with no more faces and points than a page may have.
  ///
  /// Faces are decimated, first so that lines of the surface stay, and if that does not suffice, without regard to them.
  /// Of what can't be decimated, as faces that share no edge, an even sample stays.
  func reduced(toFaces most: Int, cancellation: Cancellation) throws -> Scene {
    var scene = self
    scene.makeSplatsPlain(minimumOpacity: 0.1)
    scene.convert(to: .arkit)
    scene.thinPoints(to: 2 * most)
    for holdsLines in [true, false] where scene.faceCount > most {
      try scene.decimate(to: most, holdsLines: holdsLines, cancellation)
    }
    guard scene.faceCount > most + most / 4 else { return scene }
    let share = Double(most) / Double(scene.faceCount)
    for index in scene.meshes.indices {
      let count = scene.meshes[index].faceCount
      let kept = Array(0..<count).evenly(atMost: max(1, Int(Double(count) * share)))
      scene.meshes[index] = scene.meshes[index].selecting(faces: kept)
    }
    return scene
  }

  private mutating func decimate(
    to most: Int, holdsLines: Bool, _ cancellation: Cancellation
  ) throws {
    var options = EdgeCollapse.Options(targetFaceCount: most)
    options.holdsBorders = holdsLines
    options.holdsSeams = holdsLines
    var surface = EdgeCollapse.Surface(meshes, separatesClasses: holdsLines)
    let result = try EdgeCollapse.run(&surface, options, keepsFaces: true) {
      _ throws(Cancelled) in if cancellation.isRequested { throw Cancelled() }
    }
    result.apply(to: &meshes, of: surface)
    meshes.removeAll { $0.faceCount == 0 }
  }

  private mutating func thinPoints(to most: Int) {
    let count = pointCount
    guard count > most else { return }
    for index in pointClouds.indices {
      let own = pointClouds[index].positions.count
      let kept = Int(Double(own) * Double(most) / Double(count))
      pointClouds[index] = pointClouds[index].selecting(
        points: Array(0..<own).evenly(atMost: max(1, kept)))
    }
  }
}
