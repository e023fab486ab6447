internal import CEmbree
package import MeshpipeScene

/// Finds the first face of a surface on a ray, with Embree's bounding volume hierarchy.
///
/// Thread-safe. Results are the same on any number of threads.
@safe
package final class RayTracer: @unchecked Sendable {
  private let device: RTCDevice
  private let scene: RTCScene
  /// The buffers of a scene of triangles, which it owns.
  private let triangles: (vertices: UnsafePointer<Float>, faces: UnsafePointer<UInt32>)?

  /// The first face on a ray.
  package struct Hit: Sendable, Equatable {
    /// Distance in multiples of the ray's direction.
    package var distance: Float
    package var face: UInt32
    /// The barycentric weights of the face's second and third vertex.
    package var barycentric: SIMD2<Float>
  }

  /// The side of a face that rays hit; from the other side they pass through.
  package enum Sides: Sendable {
    case both
    /// The side from which its corners are counter-clockwise.
    case front
    case back
  }

  /// What building the hierarchy may cost.
  package enum Quality: Sendable {
    /// For many more rays than faces: by their areas (binned SAH).
    case medium
    /// For rays and nearest points about as many as faces, or fewer: in Morton order, four times as fast,
    /// and some dozens of bytes more per face.
    case low
  }

  /// Builds the hierarchy; about 0.25 s for a million faces, or 0.06 s in low quality.
  ///
  /// - Parameters:
  ///   - positions: Finite positions of vertices. Like the indices they are copied, and freed before the
  ///     hierarchy takes its memory if the caller gives them away.
  ///   - indices: Three vertices per face, all below the number of positions.
  ///   - sides: The side of a face that ``firstHit(from:along:near:far:)`` finds; for
  ///     ``isBlocked(from:along:near:far:)`` every face is an obstacle.
  package init(
    positions: consuming [Vector3], indices: consuming [UInt32], sides: Sides = .both,
    quality: Quality = .medium
  ) throws(NativeLibraryError) {
    let (device, scene, geometry) = try unsafe Self.created(RTC_GEOMETRY_TYPE_TRIANGLE)
    unsafe self.device = device
    unsafe self.scene = scene
    let (vertexCount, faceCount) = (positions.count, indices.count / 3)
    // Embree reads 16 bytes at each vertex, so it gets its own padded buffers.
    let vertices = unsafe rtcSetNewGeometryBuffer(
      geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, max(vertexCount, 1))
    let faces = unsafe rtcSetNewGeometryBuffer(
      geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, max(faceCount, 1))
    defer { unsafe rtcReleaseGeometry(geometry) }
    guard let vertices = unsafe vertices, let faces = unsafe faces else {
      throw NativeLibraryError("Embree", "is out of memory")
    }
    unsafe positions.withUnsafeBytes { bytes in
      unsafe vertices.copyMemory(
        from: bytes.baseAddress ?? UnsafeRawPointer(vertices), byteCount: bytes.count)
    }
    unsafe indices.withUnsafeBytes { bytes in
      unsafe faces.copyMemory(
        from: bytes.baseAddress ?? UnsafeRawPointer(faces), byteCount: faceCount * 12)
    }
    _ = consume positions
    _ = consume indices
    switch sides {
    case .both: break
    case .front: unsafe rtcSetGeometryIntersectFilterFunction(geometry, meshpipe_embree_skip_backs)
    case .back: unsafe rtcSetGeometryIntersectFilterFunction(geometry, meshpipe_embree_skip_fronts)
    }
    unsafe triangles = unsafe (
      UnsafePointer(vertices.assumingMemoryBound(to: Float.self)),
      UnsafePointer(faces.assumingMemoryBound(to: UInt32.self))
    )
    guard vertexCount > 0, faceCount > 0 else { return }
    if quality == .low { unsafe lowerQuality(of: geometry) }
    try unsafe build(geometry)
  }

  /// Builds the hierarchy of balls around points, all with one radius.
  ///
  /// A hit's `face` is the index of its point.
  /// - Parameter points: Finite positions.
  package init(points: [Vector3], radius: Float) throws(NativeLibraryError) {
    let (device, scene, geometry) = try unsafe Self.created(RTC_GEOMETRY_TYPE_SPHERE_POINT)
    unsafe self.device = device
    unsafe self.scene = scene
    unsafe triangles = nil
    defer { unsafe rtcReleaseGeometry(geometry) }
    guard
      let buffer = unsafe rtcSetNewGeometryBuffer(
        geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, 16, max(points.count, 1))
    else { throw NativeLibraryError("Embree", "is out of memory") }
    let balls = unsafe buffer.assumingMemoryBound(to: SIMD4<Float>.self)
    for (index, point) in points.enumerated() { unsafe balls[index] = SIMD4(point.simd, radius) }
    guard !points.isEmpty else { return }
    try unsafe build(geometry)
  }

  private static func created(
    _ type: RTCGeometryType
  ) throws(NativeLibraryError) -> (RTCDevice, RTCScene, RTCGeometry) {
    guard let device = unsafe rtcNewDevice(nil) else {
      throw NativeLibraryError("Embree", "can't start")
    }
    guard let scene = unsafe rtcNewScene(device),
      let geometry = unsafe rtcNewGeometry(device, type)
    else {
      unsafe rtcReleaseDevice(device)
      throw NativeLibraryError("Embree", "is out of memory")
    }
    unsafe setFlags(of: scene)
    return unsafe (device, scene, geometry)
  }

  /// Compact hierarchies hold the numbers of vertices rather than copies: rays take 2 % longer, in half the memory.
  private static func setFlags(of scene: RTCScene, _ more: RTCSceneFlags = RTC_SCENE_FLAG_NONE) {
    let flags = [RTC_SCENE_FLAG_ROBUST, RTC_SCENE_FLAG_COMPACT, more]
    unsafe rtcSetSceneFlags(scene, RTCSceneFlags(flags.reduce(0) { $0 | $1.rawValue }))
  }

  /// Only scenes that may change are built in Morton order.
  private func lowerQuality(of geometry: RTCGeometry) {
    unsafe Self.setFlags(of: scene, RTC_SCENE_FLAG_DYNAMIC)
    unsafe rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_LOW)
    unsafe rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_LOW)
  }

  private func build(_ geometry: RTCGeometry) throws(NativeLibraryError) {
    unsafe rtcCommitGeometry(geometry)
    unsafe rtcAttachGeometry(scene, geometry)
    unsafe rtcCommitScene(scene)
    let error = unsafe rtcGetDeviceError(device)
    guard error == RTC_ERROR_NONE else {
      throw NativeLibraryError("Embree", "can't build its hierarchy (error \(error.rawValue))")
    }
  }

  deinit {
    unsafe rtcReleaseScene(scene)
    unsafe rtcReleaseDevice(device)
  }

  /// The first face between `near` and `far`, in multiples of `direction`, which need not be
  /// normalised.
  ///
  /// A ray with a non-finite component, or one beyond 1e18, hits nothing.
  package func firstHit(
    from origin: SIMD3<Float>, along direction: SIMD3<Float>, near: Float = 0,
    far: Float = .infinity
  ) -> Hit? {
    guard let query = intersection(from: origin, along: direction, near: near, far: far) else {
      return nil
    }
    return Hit(
      distance: query.ray.tfar, face: query.hit.primID,
      barycentric: SIMD2(query.hit.u, query.hit.v))
  }

  /// The distance of the first face on a ray, in multiples of the direction, and its normal: of unit length, and zero for
  /// a face without area.
  package func firstSurface(
    from origin: SIMD3<Float>, along direction: SIMD3<Float>
  ) -> (distance: Float, normal: SIMD3<Float>)? {
    guard let query = intersection(from: origin, along: direction, near: 0, far: .infinity) else {
      return nil
    }
    let normal = SIMD3(query.hit.Ng_x, query.hit.Ng_y, query.hit.Ng_z)
    let length = (normal * normal).sum().squareRoot()
    return (query.ray.tfar, length > 0 ? normal / length : .zero)
  }

  private func intersection(
    from origin: SIMD3<Float>, along direction: SIMD3<Float>, near: Float, far: Float
  ) -> RTCRayHit? {
    guard Self.isShootable(origin, direction) else { return nil }
    var query = RTCRayHit()
    query.ray = Self.ray(from: origin, along: direction, near: near, far: far)
    query.hit.geomID = meshpipe_embree_no_geometry
    unsafe meshpipe_embree_intersect(scene, &query)
    return query.hit.geomID == meshpipe_embree_no_geometry ? nil : query
  }

  /// Whether there is an obstacle between `near` and `far` on a ray, in multiples of `direction`.
  package func isBlocked(
    from origin: SIMD3<Float>, along direction: SIMD3<Float>, near: Float, far: Float
  ) -> Bool {
    guard Self.isShootable(origin, direction) else { return false }
    var ray = Self.ray(from: origin, along: direction, near: near, far: far)
    return unsafe meshpipe_embree_occluded(scene, &ray)
  }

  /// The nearest point of the faces within a distance; nil if there is none, and for balls.
  ///
  /// Of faces at one distance it is on the first. The hit's distance is in units of the positions.
  /// - Parameter likely: A face that may be near, as that of a point beside this one: it makes the search
  ///   faster, without another result.
  package func nearest(
    to point: SIMD3<Float>, within radius: Float = .infinity, likely: UInt32? = nil
  ) -> Hit? {
    guard Self.isShootable(point, .zero), var result = unsafe query(within: radius) else {
      return nil
    }
    unsafe meshpipe_embree_nearest(
      scene, point.x, point.y, point.z, radius, likely ?? meshpipe_embree_no_geometry, &result)
    guard unsafe result.face != .max else { return nil }
    return unsafe Hit(
      distance: result.squared_distance.squareRoot(), face: result.face,
      barycentric: SIMD2(result.second, result.third))
  }

  /// Whether a face is within a distance of a point.
  package func isNear(_ point: SIMD3<Float>, within radius: Float) -> Bool {
    guard Self.isShootable(point, .zero), var result = unsafe query(within: radius) else {
      return false
    }
    return unsafe meshpipe_embree_is_near(scene, point.x, point.y, point.z, radius, &result)
  }

  /// A search for triangles that has found nothing so far; nil for balls.
  private func query(within radius: Float) -> meshpipe_embree_nearest_result? {
    guard let triangles = unsafe triangles else { return nil }
    return unsafe meshpipe_embree_nearest_result(
      vertices: triangles.vertices, faces: triangles.faces, face: .max,
      squared_distance: radius * radius, second: 0, third: 0)
  }

  /// Whether Embree accepts a ray: it aborts on non-finite numbers or those near 2e18.
  private static func isShootable(_ origin: SIMD3<Float>, _ direction: SIMD3<Float>) -> Bool {
    let limit = SIMD3<Float>(repeating: 1e18)
    return all((origin .< limit) .& (origin .> -limit))
      && all((direction .< limit) .& (direction .> -limit))
  }

  private static func ray(
    from origin: SIMD3<Float>, along direction: SIMD3<Float>, near: Float, far: Float
  ) -> RTCRay {
    RTCRay(
      org_x: origin.x, org_y: origin.y, org_z: origin.z, tnear: near, dir_x: direction.x,
      dir_y: direction.y, dir_z: direction.z, time: 0, tfar: far, mask: .max, id: 0, flags: 0)
  }
}
