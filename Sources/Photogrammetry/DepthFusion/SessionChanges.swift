import MeshpipeScene
import NativeLibraries
import SurfaceKernels

/// What was moved between the sessions of a capture: surface of one session in the space that another one sees through.
///
/// The later session decides. In the depth maps of an earlier one, what the later one sees through is hidden, and so is what
/// lies behind surface that is new in the later one, as free space that is free no more. Where a session measured
/// nothing, it contradicts nothing.
package struct SessionChanges: Sendable {
  /// Two sessions that contradict each other, and the area of the surface that only one of them shows, in square metres.
  package struct Contradiction: Sendable, Equatable {
    package var earlier: Int
    package var later: Int
    package var area: Double
  }

  /// The surface of an earlier session that is gone in later ones, and that which is new in them; nil without any.
  private struct Layers: Sendable {
    var gone: RayTracer?
    var added: RayTracer?
  }

  private let layers: [Int: Layers]
  let contradictions: [Contradiction]
  private let scale: MetricScale

  /// The voxels in metres of the surface of a session, and the most depth maps that it is made of.
  private static let surface = (voxel: 0.04, maps: 120)
  /// The most depth maps that a surface is looked up in.
  private static let witnesses = 60
  /// A depth is behind a surface beyond this distance in metres, and the share of the depth that is added: errors of
  /// depths, and of where sessions were aligned.
  private static let margin: (meters: Float, share: Float) = (0.06, 0.02)
  /// The least distance in metres along the normal of the surface: a ray that grazes it is behind it at once.
  fileprivate static let leastPassage: Float = 0.05
  /// The fewest frames that see through a surface, also for each that confirms it.
  private static let (fewest, perConfirmation): (Int, Int) = (3, 3)
  /// The least area of a part in square metres: less is noise at edges.
  private static let leastArea = 0.02

  /// - Parameter progress: Called often; may throw to stop.
  /// - Returns: Nil for one session, or where sessions agree.
  /// - Throws: What `progress` throws, and errors of the ray tracer.
  init?(
    _ frames: [Capture.DepthFrame], _ system: CoordinateSystem, _ settings: DepthFusion.Settings,
    progress: () throws -> Void
  ) throws {
    let sessions = Dictionary(grouping: frames, by: \.session).sorted { $0.key < $1.key }
    guard sessions.count > 1 else { return nil }
    scale = MetricScale(system)
    var coarse = settings
    (coarse.voxel, coarse.noise, coarse.removesBias) = (Self.surface.voxel, 0, false)
    let meshes = try sessions.map { session in
      try Self.surface(of: session.value, system, coarse, progress)
    }
    var (layers, contradictions): ([Int: Layers], [Contradiction]) = ([:], [])
    for earlier in sessions.indices.dropLast() {
      var (gone, added) = (Mesh(), Mesh())
      for later in sessions.indices.dropFirst(earlier + 1) {
        try progress()
        let lost = Self.seenThrough(
          meshes[earlier], by: sessions[later].value, settings, MetricScale(system))
        let new = Self.seenThrough(
          meshes[later], by: sessions[earlier].value, settings, MetricScale(system))
        let area = scale.squareMeters(lost.area + new.area)
        guard area > 0 else { continue }
        contradictions.append(
          Contradiction(earlier: sessions[earlier].key, later: sessions[later].key, area: area))
        gone.add(lost.mesh)
        added.add(new.mesh)
      }
      layers[sessions[earlier].key] = Layers(
        gone: try Self.tracer(of: gone), added: try Self.tracer(of: added))
    }
    guard !contradictions.isEmpty else { return nil }
    (self.layers, self.contradictions) = (layers, contradictions)
  }

  /// The coarse surface of one session; without faces where its depth maps show none.
  private static func surface(
    of frames: [Capture.DepthFrame], _ system: CoordinateSystem, _ settings: DepthFusion.Settings,
    _ progress: () throws -> Void
  ) throws -> Mesh {
    do {
      let maps = frames.evenly(atMost: surface.maps)
      return try DepthFusion(maps, system, settings).fused { _ in try progress() }.mesh
    } catch is DepthFusion.Failure {
      return Mesh()
    }
  }

  private static func tracer(of mesh: Mesh) throws -> RayTracer? {
    mesh.indices.isEmpty
      ? nil : try RayTracer(positions: mesh.positions, indices: mesh.indices)
  }

  /// The part of a surface that frames of another session see through, in pieces of some size, and its area.
  private static func seenThrough(
    _ mesh: Mesh, by frames: [Capture.DepthFrame], _ settings: DepthFusion.Settings,
    _ scale: MetricScale
  ) -> (mesh: Mesh, area: Double) {
    let witnesses = frames.evenly(atMost: witnesses)
    let centers = (0..<mesh.faceCount).map { face -> SIMD3<Float> in
      let corners = (0..<3).map { mesh.positions[Int(mesh.indices[3 * face + $0])].simd }
      return (corners[0] + corners[1] + corners[2]) / 3
    }
    let normals = (0..<mesh.faceCount).map {
      SIMD3<Float>(mesh.areaVector(ofFace: $0).normalized)
    }
    let verdicts = Parallel.map(count: witnesses.count) { index -> [Int8] in
      guard let map = witnesses[index].depth.readable().map, map.width > 2, map.height > 2 else {
        return []
      }
      let witness = Witness(map, witnesses[index], settings, scale)
      return zip(centers, normals).map { witness.verdict(on: $0, normal: $1) }
    }
    var through = [Bool](repeating: false, count: mesh.faceCount)
    for face in through.indices {
      let seen = verdicts.count { !$0.isEmpty && $0[face] > 0 }
      let confirmed = verdicts.count { !$0.isEmpty && $0[face] < 0 }
      through[face] = seen >= max(fewest, perConfirmation * confirmed)
    }
    var changed = mesh
    changed.keepFaces(through)
    let parts = FaceComponents(
      sharingVerticesOf: changed.indices, vertexCount: changed.vertexCount)
    var areas = [Double](repeating: 0, count: parts.count)
    for face in 0..<changed.faceCount {
      areas[Int(parts.labels[face])] += changed.area(ofFace: face)
    }
    let isLarge = areas.map { scale.squareMeters($0) >= leastArea }
    changed.keepFaces(parts.labels.map { isLarge[Int($0)] })
    return (changed, zip(areas, isLarge).reduce(0) { $0 + ($1.1 ? $1.0 : 0) })
  }

  /// Hides in a depth map what is so no more.
  ///
  /// - Returns: Whether anything is hidden.
  func hide(_ map: inout DepthMap, of frame: Capture.DepthFrame) -> Bool {
    guard let layers = layers[frame.session] else { return false }
    let camera = Camera(frame, size: map.size)
    var isHidden = false
    for y in 0..<map.height {
      for x in 0..<map.width where map.meters[y * map.width + x] > 0 {
        let meters = map.meters[y * map.width + x]
        let depth = scale.units(meters: meters)
        let margin = scale.units(meters: Self.margin(at: meters))
        let ray = camera.ray(through: SIMD2(Float(x) + 0.5, Float(y) + 0.5))
        // Along the ray, whose part along the axis of the camera is one depth.
        let length = ray.dot(camera.forward)
        let gone = layers.gone?.firstHit(from: camera.position, along: ray).map {
          abs($0.distance * length - depth) < margin
        }
        let added = layers.added?.firstHit(from: camera.position, along: ray).map {
          $0.distance * length < depth - margin
        }
        guard gone == true || added == true else { continue }
        map.meters[y * map.width + x] = 0
        isHidden = true
      }
    }
    return isHidden
  }
}

/// A depth map that surface of another session is looked up in.
private struct Witness {
  let map: DepthMap
  let camera: Camera
  let settings: DepthFusion.Settings
  let scale: MetricScale

  init(
    _ map: DepthMap, _ frame: Capture.DepthFrame, _ settings: DepthFusion.Settings,
    _ scale: MetricScale
  ) {
    (self.map, self.settings, self.scale) = (map, settings, scale)
    camera = Camera(frame, size: map.size)
  }

  /// 1 where the frame sees through a point of a surface, −1 where it sees it, and 0 where it tells nothing.
  func verdict(on point: SIMD3<Float>, normal: SIMD3<Float>) -> Int8 {
    guard let pixel = camera.project(point), camera.contains(SIMD2(pixel.x, pixel.y), margin: 2)
    else { return 0 }
    let depth = scale.meters(pixel.z)
    let sight = (camera.position - point).normalized
    // Depths around the pixel as well: at edges of the depth map, those of both sides mix.
    var (least, most) = (Float.infinity, Float(0))
    for row in -1...1 {
      for column in -1...1 {
        let index = (Int(pixel.y) + row) * map.width + Int(pixel.x) + column
        guard map.meters.indices.contains(index), map.meters[index] > 0,
          map.meters[index] <= Float(settings.maximumDepth),
          map.confidences.map({ Int($0[index]) >= settings.minimumConfidence }) ?? true
        else { return 0 }
        (least, most) = (min(least, map.meters[index]), max(most, map.meters[index]))
      }
    }
    let margin = SessionChanges.margin(at: depth)
    let passage = (least - depth) * abs(sight.dot(normal))
    if least > depth + margin, passage > SessionChanges.leastPassage { return 1 }
    return most > depth - margin && least < depth + margin ? -1 : 0
  }
}

extension SessionChanges {
  /// The distance in metres beyond which a depth is behind a surface at a depth.
  fileprivate static func margin(at depth: Float) -> Float { margin.meters + margin.share * depth }
}

extension Mesh {
  /// Adds the faces of another surface.
  fileprivate mutating func add(_ other: Mesh) {
    let first = UInt32(vertexCount)
    positions += other.positions
    indices += other.indices.map { $0 + first }
  }
}
