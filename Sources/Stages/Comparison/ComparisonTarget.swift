import MeshPipeline
import NativeLibraries
import SurfaceKernels

/// The scene to which distances are measured, with its search structure.
struct ComparisonTarget: Sendable {
  let scene: ComparedScene
  /// Nil for a scene without faces.
  private let surface: NearestSurface?
  /// The faces of the scene that those of ``surface`` are; nil if it has all.
  private let faces: [UInt32]?

  init(_ scene: ComparedScene) throws(NativeLibraryError) {
    self.scene = scene
    guard scene.isSurface else {
      (surface, faces) = (nil, nil)
      return
    }
    let (kept, all) = (scene.facesWithArea, scene.surface.indices)
    faces = kept.count == all.count / 3 ? nil : kept
    let indices = faces.map { faces in
      faces.flatMap { all[3 * Int($0)..<3 * Int($0) + 3] }
    }
    surface = try NearestSurface(positions: scene.surface.positions, indices: indices ?? all)
  }

  /// The nearest places of points; in a point cloud the `face` is the index of a point.
  func places(nearestTo points: [Vector3]) -> [NearestSurface.Place] {
    if let surface {
      var places = surface.places(nearestTo: points)
      guard let faces else { return places }
      for index in places.indices where places[index].face != .max {
        places[index].face = faces[Int(places[index].face)]
      }
      return places
    }
    return PointDistances.places(nearestTo: points, in: scene.points)
  }

  /// The vertex of another surface that is farthest away, if it is beyond a distance.
  func farthestVertex(
    of other: SceneSurface, beyond distance: Float
  ) -> (distance: Float, position: SIMD3<Float>)? {
    guard let surface else { return nil }
    // A corner stands for its vertex, which several faces share: most are soon found to be near enough.
    var isSeen = [Bool](repeating: false, count: other.positions.count)
    var vertices: [UInt32] = []
    for vertex in other.indices where !isSeen[Int(vertex)] {
      isSeen[Int(vertex)] = true
      vertices.append(vertex)
    }
    let found = Parallel.mapChunks(of: vertices.count) { [vertices] range in
      var (limit, farthest) = (distance, UInt32?.none)
      for vertex in vertices[range] {
        let position = other.positions[Int(vertex)]
        if surface.isNear(position, within: limit) { continue }
        let reached = surface.places(nearestTo: [position])[0].distance
        if reached > limit { (limit, farthest) = (reached, vertex) }
      }
      return farthest.map { (limit, other.positions[Int($0)].simd) }
    }
    return found.compactMap(\.self).max { $0.0 < $1.0 }.map { (distance: $0.0, position: $0.1) }
  }
}
