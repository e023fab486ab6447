import MeshpipeBase
package import MeshpipeScene
import NativeLibraries

/// How a scene's mesh and depth maps agree with the places of its markers.
///
/// A marker lies on the surface on which it is printed or glued. A mesh that floats before it shows photographs of it too
/// small, by as much as it is nearer to the camera.
package struct MeshAtMarkers: Sendable {
  /// The median distance of the mesh before the markers, along rays of cameras, in units of the scene; nil if no ray
  /// hits it.
  package private(set) var offset: Double?
  /// The size of the markers where the rays through their corners hit the mesh, relative to their own.
  package private(set) var sizeOnMesh: Double?
  /// Measured depths relative to those of the markers, the median; nil without depth maps that show them.
  package private(set) var depthRatio: Double?

  /// A ray of a camera through a corner of a marker.
  private struct Ray {
    var origin: SIMD3<Double>
    /// So long that the corner is at 1.
    var direction: SIMD3<Double>
    var corner: SIMD3<Double> { origin + direction }
  }

  private let rays: [Ray]
  private let metersPerUnit: Double

  /// Rays that hit the mesh farther away than this from the marker, as a share of the depth, hit something else.
  private static let reach = 0.3
  /// With fewer rays that hit the mesh nothing is said.
  private static let fewest = 8

  package init(_ scene: Scene, _ markers: [LocatedMarker], _ sightings: MarkerSightings) {
    let frames = scene.capture?.frames ?? []
    let places = Dictionary(markers.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    metersPerUnit = scene.coordinateSystem.metersPerUnit
    rays = sightings.sightings.flatMap { sighting -> [Ray] in
      guard let marker = places[sighting.marker] else { return [] }
      let origin = frames[sighting.frame].pose.translation
      return marker.corners.map { Ray(origin: origin, direction: $0 - origin) }
    }
    measureDepths(frames, places, sightings)
    guard scene.faceCount > 0, let surface = try? ObservedSurface(scene) else { return }
    measure(surface)
  }

  private mutating func measure(_ surface: ObservedSurface) {
    let hits = rays.map { ray in hit(ray, surface)?.distance }
    let offsets = zip(rays, hits).compactMap { ray, distance in
      distance.map { (1 - $0) * ray.direction.length }
    }
    guard offsets.count >= Self.fewest else { return }
    offset = offsets.interpolatedMedian()
    var sizes: [Double] = []
    for start in stride(from: 0, to: rays.count - 3, by: 4) {
      let corners = (start..<start + 4).compactMap { index in
        hits[index].map { rays[index].origin + rays[index].direction * $0 }
      }
      guard corners.count == 4 else { continue }
      let (onMesh, own) = (0..<4).reduce((0.0, 0.0)) { sums, side in
        let next = (side + 1) % 4
        return (
          sums.0 + (corners[side] - corners[next]).length,
          sums.1 + (rays[start + side].corner - rays[start + next].corner).length
        )
      }
      if own > 0 { sizes.append(onMesh / own) }
    }
    sizeOnMesh = sizes.interpolatedMedian()
  }

  private func hit(
    _ ray: Ray, _ surface: ObservedSurface
  ) -> (distance: Double, normal: SIMD3<Double>)? {
    guard
      let hit = surface.tracer.firstSurface(
        from: SIMD3<Float>(ray.origin), along: SIMD3<Float>(ray.direction)),
      abs(Double(hit.distance) - 1) < Self.reach, hit.normal != .zero
    else { return nil }
    return (Double(hit.distance), SIMD3<Double>(hit.normal))
  }

  private mutating func measureDepths(
    _ frames: [Capture.Frame], _ places: [MarkerName: LocatedMarker], _ sightings: MarkerSightings
  ) {
    var ratios: [Double] = []
    for (position, group) in Dictionary(grouping: sightings.sightings, by: \.frame).sorted(by: {
      $0.key < $1.key
    }) {
      let frame = frames[position]
      guard let map = frame.readableDepth().map else { continue }
      let camera = Camera(frame)
      for sighting in group {
        guard let marker = places[sighting.marker],
          let center = camera.project(SIMD3<Float>(marker.center))
        else { continue }
        let column = Int(center.x / camera.size.x * Float(map.width))
        let row = Int(center.y / camera.size.y * Float(map.height))
        guard (0..<map.width).contains(column), (0..<map.height).contains(row) else { continue }
        let measured = Double(map.meters[row * map.width + column])
        let depth = Double(center.z) * metersPerUnit
        if measured > 0, depth > 0 { ratios.append(measured / depth) }
      }
    }
    depthRatio = ratios.count >= Self.fewest ? ratios.interpolatedMedian() : nil
  }

  // MARK: Moving the mesh

  /// How strongly motions along the surface, of which the markers say nothing, are held back, as a share.
  private static let damping = 0.05
  private static let rounds = 6
  /// Markers that spread less than this share of the mesh don't turn it.
  private static let leastSpread = 0.25

  /// The rigid motion that brings the mesh to the markers: point to plane, along their rays (Chen and Medioni, "Object
  /// modelling by registration of multiple range images", 1992); nil if too few rays hit it.
  package func motion(of scene: Scene) -> Transform? {
    guard let surface = try? ObservedSurface(scene), !rays.isEmpty else { return nil }
    let center = rays.reduce(.zero) { $0 + $1.corner } / Double(rays.count)
    let variance = rays.reduce(0) { $0 + ($1.corner - center).lengthSquared }
    let lever = (variance / Double(rays.count)).squareRoot()
    let size = SIMD3<Double>(scene.bounds.size).length / 2
    let turns = lever >= Self.leastSpread * size / 2
    var motion = Transform.identity
    for _ in 0..<Self.rounds {
      guard let step = step(surface, motion, center, lever: turns ? lever : 0) else { return nil }
      motion = step * motion
    }
    return motion
  }

  /// A further motion of a surface that was moved; nil if too few rays hit it.
  private func step(
    _ surface: ObservedSurface, _ motion: Transform, _ center: SIMD3<Double>, lever: Double
  ) -> Transform? {
    guard let back = motion.inverse else { return nil }
    let unknowns = lever > 0 ? 6 : 3
    var equations = DenseNormalEquations(unknownCount: unknowns)
    var used = 0
    for ray in rays {
      // The surface stays where it is, and the ray moves.
      let moved = Ray(
        origin: back.apply(toPoint: ray.origin), direction: back.apply(toVector: ray.direction))
      guard let hit = hit(moved, surface) else { continue }
      let normal = motion.apply(toVector: hit.normal)
      let place = ray.origin + ray.direction * hit.distance
      let turn = (place - center).cross(normal) / max(lever, .leastNormalMagnitude)
      equations.add(
        [normal.x, normal.y, normal.z, turn.x, turn.y, turn.z],
        equals: normal.dot(ray.corner - place))
      used += 1
    }
    guard used >= Self.fewest else { return nil }
    equations.damp(by: Self.damping * Double(used))
    guard let solution = equations.solution(pivotsAbove: 0) else { return nil }
    let shift = Transform(translation: SIMD3(solution[0], solution[1], solution[2]))
    guard unknowns == 6 else { return shift }
    let turn = SIMD3(solution[3], solution[4], solution[5]) / lever
    guard turn.length > 0 else { return shift }
    return shift * Transform(rotationAbout: turn, by: turn.length).about(center)
  }
}
