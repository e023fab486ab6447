package import MeshpipeBase
import MeshpipeScene

extension SceneRenderer {
  /// Renders a view along parallel lines, as ``picture(from:samples:background:cancellation:)`` does a camera's.
  ///
  /// - Throws: ``Cancelled``.
  package func picture(
    of view: ParallelView, samples: Int = 4, background: Background = .gradient,
    cancellation: Cancellation = Cancellation()
  ) throws(Cancelled) -> RenderedPicture {
    try picture(along: view, samples, background, cancellation)
  }

  /// Renders a viewpoint along parallel lines, with a bar below that shows the scale.
  ///
  /// - Parameter layout: Made for what the scene fills from this viewpoint; see ``extent(from:)``.
  /// - Throws: ``Cancelled``.
  package func picture(
    from view: Viewpoint, _ layout: OrthographicLayout, background: Background = .gradient,
    cancellation: Cancellation = Cancellation()
  ) throws(Cancelled) -> RenderedPicture {
    let axes = view.axes(in: coordinateSystem)
    let filled = extent(along: axes)
    // In front of everything, by more than the position of a ray is rounded.
    let front = filled.high.z + 0.01 * Double(max(box.extent, .leastNormalMagnitude))
    let middle = (filled.low + filled.high) / 2
    let lift = layout.shiftOfCenter
    let center =
      SIMD3<Double>(box.center) + axes.x * middle.x + axes.y * (middle.y - lift) + axes.z * front
    var picture = try picture(
      of: ParallelView(
        axes: axes, center: center, pixelCounts: layout.size,
        unitsPerPixel: layout.unitsPerPixel),
      background: background, cancellation: cancellation)
    layout.drawBar(on: &picture, background: background)
    return picture
  }

  /// Width and height of what is seen of the scene from a viewpoint along parallel lines, in its units.
  package func extent(from view: Viewpoint) -> SIMD2<Double> {
    let (low, high) = extent(along: view.axes(in: coordinateSystem))
    return SIMD2(high.x - low.x, high.y - low.y)
  }

  /// What the scene fills along three directions, from the middle of its box.
  private func extent(along axes: Transform) -> (low: SIMD3<Double>, high: SIMD3<Double>) {
    let (x, y, z) = (SIMD3<Float>(axes.x), SIMD3<Float>(axes.y), SIMD3<Float>(axes.z))
    let origin = box.center
    @Sendable func place(_ point: Vector3) -> SIMD3<Float> {
      let offset = point.simd - origin
      return SIMD3(x.dot(offset), y.dot(offset), z.dot(offset))
    }
    let surface = sampler.surface
    var boxes = Parallel.mapChunks(of: surface.indices.count) { corners in
      var box = Box()
      for corner in corners {
        box.add(place(surface.positions[Int(surface.indices[corner])]))
      }
      return box
    }
    var cloud = Box()
    let radius = points?.radius ?? 0
    for point in points?.positions ?? [] {
      cloud.add(place(point) - radius)
      cloud.add(place(point) + radius)
    }
    boxes.append(cloud)
    var all = Box()
    for box in boxes { all.add(box) }
    return (SIMD3<Double>(all.minimum), SIMD3<Double>(all.maximum))
  }
}
