import MeshpipeBase
package import MeshpipeScene
import NativeLibraries
import SurfaceKernels

/// The points that depth maps measured, with normals, and colours from photographs.
///
/// A pixel counts as for ``DepthFusion``: the plane of the surface around it gives its depth and normal,
/// and pixels that belong to no surface, such as flying ones between two, are left out. Depth maps
/// are read a few at a time; the result does not depend on the number of threads.
package struct MeasuredPoints: Sendable {
  package struct Settings: Sendable {
    /// The greatest distance from the camera, in metres.
    let maximumDepth: Double
    /// Depths of less confidence are ignored; 0 low, 1 medium, 2 high.
    let minimumConfidence: Int
    /// Every n-th depth map is used.
    let frameStep: Int
    /// Every n-th pixel is used, along rows and columns.
    let pixelStep: Int
    /// The edge in metres of the cells of a grid that keep one point each; nil for all points.
    let spacing: Double?
    /// Whether photographs are read.
    let hasColors: Bool

    package init(
      maximumDepth: Double, minimumConfidence: Int, frameStep: Int, pixelStep: Int,
      spacing: Double?, hasColors: Bool
    ) {
      self.maximumDepth = maximumDepth
      self.minimumConfidence = minimumConfidence
      self.frameStep = frameStep
      self.pixelStep = pixelStep
      self.spacing = spacing
      self.hasColors = hasColors
    }
  }

  /// Why there are no points.
  package enum Failure: Error {
    /// No frame has a readable depth map with depths in range, and why the first one has none.
    case noDepth(reason: String)
    /// There are more points than a cloud holds.
    case tooManyPoints
  }

  package struct Result: Sendable {
    /// Has the attributes `range`, in metres from the camera, and `frame`, the number in
    /// ``Capture/allDepthFrames``.
    package var cloud: PointCloud
    package var frameCount: Int
    /// Frames whose depth map is not used, or without its confidences, and why.
    package var faults: [(frame: String, reason: String)]
    /// Frames whose photograph can't be read, and why.
    package var photographFaults: [(frame: String, reason: String)]
    /// The number of points that no photograph shows.
    package var uncoloredCount: Int
  }

  private let maps: DepthMaps
  private let photographs: [Capture.Frame]
  private let settings: Settings
  /// The most points of a cloud: a 32-bit count.
  package static let limit = Int(Int32.max)
  /// The fewest points that are gathered before each cell keeps one: each is looked at about twice.
  private static let leastPortion = 1 << 20
  /// The share of the time after which all depth maps are read.
  private static let readShare = 0.9

  package init(_ capture: Capture, _ system: CoordinateSystem, _ settings: Settings) {
    let all = capture.allDepthFrames
    maps = DepthMaps(
      stride(from: 0, to: all.count, by: settings.frameStep).map { all[$0] }, system,
      maximumDepth: settings.maximumDepth, minimumConfidence: settings.minimumConfidence,
      isExtended: false)
    photographs = settings.hasColors ? capture.frames : []
    self.settings = settings
  }

  /// Measures the points.
  ///
  /// - Parameter progress: Receives the finished share, and may cancel by an error.
  /// - Throws: ``Failure``, or what `progress` throws.
  package func points(
    from store: FrameStore, _ progress: (Double) throws -> Void
  ) throws -> Result {
    var result = Result(
      cloud: PointCloud(), frameCount: maps.frames.count, faults: [], photographFaults: [],
      uncoloredCount: 0)
    var collected = CollectedPoints(spacing: settings.spacing.map(maps.scale.units(meters:)))
    let photographs = Dictionary(
      photographs.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var haveConfidences = false
    for batch in maps.batches() {
      let measured = Parallel.map(count: batch.count) { index in
        points(of: batch.lowerBound + index, photographs, store)
      }
      for (index, frame) in zip(batch, measured) {
        let name = maps.frames[index].name
        if let fault = frame.fault { result.faults.append((name, fault)) }
        if let fault = frame.photographFault { result.photographFaults.append((name, fault)) }
        haveConfidences = haveConfidences || frame.hasConfidences
        collected.append(frame.cloud)
      }
      guard collected.count <= Self.limit else { throw Failure.tooManyPoints }
      if settings.spacing != nil { collected.thinIfMany(Self.leastPortion) }
      try progress(Self.readShare * Double(batch.upperBound) / Double(maps.frames.count))
    }
    result.cloud = collected.cloud()
    guard !result.cloud.positions.isEmpty else {
      throw Failure.noDepth(reason: maps.reasonForNone(result.faults))
    }
    if !haveConfidences { result.cloud.confidences = nil }
    try color(&result, from: store) {
      try progress(Self.readShare + (1 - Self.readShare) * $0)
    }
    return result
  }

  // MARK: One frame

  private struct FramePoints: Sendable {
    var cloud = PointCloud()
    var hasConfidences = false
    var fault: String?
    var photographFault: String?
  }

  private func points(
    of index: Int, _ photographs: [String: Capture.Frame], _ store: FrameStore
  ) -> FramePoints {
    var result = FramePoints()
    let (view, fault) = maps.view(of: index, rowStep: settings.pixelStep)
    result.fault = fault
    guard let view else { return result }
    result.hasConfidences = view.confidences != nil
    result.cloud = points(of: view, number: index * settings.frameStep)
    let frame = maps.frames[index]
    guard let photograph = photographs[frame.name], photograph.depth == frame.depth else {
      return result
    }
    do {
      let image = try photograph.image(atLeast: view.planes.size, from: store)
      let camera = Camera(photograph, size: image.size)
      let light = LinearImage(image)
      result.cloud.colors = result.cloud.positions.map {
        guard let seen = camera.project($0.simd) else { return Self.uncolored }
        let pixel = SIMD2(seen.x, seen.y)
        // Depth maps have the masks of their images, but not as finely.
        return camera.contains(pixel) && image.mask?.hides(Int(pixel.x), Int(pixel.y)) != true
          ? Color(light: light.bilinear(pixel)) : Self.uncolored
      }
    } catch {
      result.photographFault = error.userMessage
    }
    return result
  }

  private func points(of view: DepthView, number: Int) -> PointCloud {
    var cloud = PointCloud()
    var (normals, confidences): ([Vector3], [Float]) = ([], [])
    var (ranges, weights): ([Float], [Float]) = ([], [])
    let size = view.planes.size
    for y in stride(from: 0, to: size.y, by: settings.pixelStep) {
      for x in stride(from: 0, to: size.x, by: settings.pixelStep) {
        let pixel = y * size.x + x
        guard view.planes.weights[pixel] > 0 else { continue }
        let point = view.surfacePoint(x, y)
        let range = point.length
        let position = maps.scale.units(meters: Vector3(view.inScene(point)))
        // Poses may be finite and still too far away.
        guard range <= Float(settings.maximumDepth), position.isFinite else { continue }
        let plane = view.planes.planes[pixel]
        cloud.positions.append(position)
        normals.append(Vector3(-view.turnedToScene(SIMD3(plane.x, plane.y, plane.z))))
        // Depths without a confidence count as those of high confidence.
        confidences.append(Float(view.confidences?[pixel] ?? 2))
        ranges.append(range)
        weights.append(view.planes.weights[pixel])
      }
    }
    let count = cloud.positions.count
    cloud.normals = normals
    cloud.confidences = confidences
    cloud.colors = photographs.isEmpty ? nil : [Color](repeating: Self.uncolored, count: count)
    cloud.attributes = [
      CustomAttribute("range", values: .float32(ranges)),
      CustomAttribute(
        "frame", values: .int32([Int32](repeating: Int32(clamping: number), count: count))),
      CustomAttribute(CollectedPoints.weight, values: .float32(weights)),
    ]
    return cloud
  }

  // MARK: Other frames' photographs

  /// Stands for a missing colour: nothing else is transparent.
  private static let uncolored = Color(red: 128, green: 128, blue: 128, alpha: 0)

  private func color(
    _ result: inout Result, from store: FrameStore, _ progress: (Double) throws -> Void
  ) throws {
    guard var colors = result.cloud.colors.take() else { return }
    if colors.contains(where: { $0.alpha == 0 }) {
      let known = Set(result.photographFaults.map(\.frame))
      var painter = PhotographColors(
        colors, of: result.cloud, maps.scale, angle: angle(of: result.cloud))
      result.photographFaults += try painter.add(
        photographs.filter { !known.contains($0.name) }, from: store, progress)
      colors = painter.colors
    }
    result.uncoloredCount = colors.count { $0.alpha == 0 }
    guard result.uncoloredCount < colors.count else { return }
    for point in colors.indices { colors[point].alpha = 255 }
    result.cloud.colors = colors
  }

  /// The angle between neighbouring points as a camera sees them, about: that of pixels, or of the edge
  /// of a cell at the median distance.
  private func angle(of cloud: PointCloud) -> Float {
    let frame = maps.frames[0]
    let focalLength = frame.intrinsics.scaled(
      from: frame.imageSize, to: frame.depth.headerSize ?? frame.imageSize
    ).focalLength.x
    let pixels = Float(Double(settings.pixelStep) / focalLength)
    guard let spacing = settings.spacing,
      case .float32(let ranges)? = cloud.attributes["range"]?.values
    else { return pixels }
    let sample = stride(from: 0, to: ranges.count, by: 1 + ranges.count / 1000)
    let median = sample.map { ranges[$0] }.median() ?? 1
    return max(pixels, Float(spacing) / median)
  }
}

extension Capture.Frame {
  /// The photograph, reduced as far as its sides stay at least as long as given ones.
  func image(atLeast size: SIMD2<Int>, from store: FrameStore) throws -> Image {
    let reduction = Self.strongestReduction { all(imageSize / $0 .>= size) }
    return try loadImage(reducedBy: reduction, from: store)
  }
}

/// The points of frames, all of them or the best of each cell of a grid.
private struct CollectedPoints {
  /// The edge of a cell in units of the scene; nil to keep all points.
  let spacing: Double?
  private var parts: [PointCloud] = []
  private(set) var count = 0
  /// The number of points after they were last thinned.
  private var thinnedCount = 0
  /// The attribute that says how much a point counts.
  static let weight = "weight"

  init(spacing: Double?) { self.spacing = spacing }

  mutating func append(_ cloud: PointCloud) {
    guard !cloud.positions.isEmpty else { return }
    parts.append(cloud)
    count += cloud.positions.count
  }

  /// Keeps one point per cell when twice as many have come together.
  mutating func thinIfMany(_ least: Int) {
    guard count > 2 * max(thinnedCount, least) else { return }
    let all = thinned()
    parts = [all]
    (count, thinnedCount) = (all.positions.count, all.positions.count)
  }

  /// All of them, without their weights.
  mutating func cloud() -> PointCloud {
    var all = thinned()
    all.attributes[Self.weight] = nil
    return all
  }

  private mutating func thinned() -> PointCloud {
    var all = PointCloud(joining: parts, fillsMissing: true, up: .zero)
    parts = []
    guard let spacing, case .float32(let weights)? = all.attributes[Self.weight]?.values else {
      return all
    }
    // A fixed corner: the same points stay, at whatever times others are removed.
    let cells = VertexClusters(of: all.positions, inCellsOf: spacing, corner: .zero)
    all.merge(cells, to: .largest(weights))
    return all
  }
}
