public import MeshPipeline
import NativeLibraries
import Photogrammetry
import Synchronization

/// Measures depth maps from the photographs of a capture.
public struct EstimateDepth: Stage {
  public static let otherNames = ["stereo", "multi-view-stereo", "mvs", "patchmatch", "depth-maps"]
  public static let summary = "Measures depth maps from the photographs of a capture."
  public static let discussion = """
    Each photograph is compared with up to four others, which see the same from other places: a plane is sought for \
    each pixel in which the surroundings of the pixel look the same in the others (PatchMatch stereo; Bleyer, Rhemann \
    and Rother 2011; Galliani, Lasinger and Schindler 2015; Xu and Tao 2019). What several photographs agree on becomes \
    the frame's depth map, for `fuse-depth`, `points-from-depth` and other stages of the run.

    A phone's depth sensor has few pixels, and sees nothing beyond some metres; most phones and all cameras have none. \
    The photographs have thirty times as many: legs of chairs, cables and edges, and things far away.

    - **Poses** must be right to about a pixel: run `refine-poses` before, where there is a mesh or a sensor's depth. \
    Those of COLMAP are.
    - **Sensor**: where a frame has a sensor's depths they start the search, and remain wherever the photographs show too \
    little texture; the photographs decide where they agree.
    - **Without texture** nothing is measured: plain walls, glass, and what shines or moved stay empty, and \
    `fuse-depth` closes what a plane surrounds.
    - **Confidence** is high where two or more other photographs confirm a depth, there and back within a pixel and 1 %; \
    medium where one does, where texture hardly tells it, and for the sensor's depths.
    - **Start**: otherwise depths are sought around those of the mesh, of the scene's points, such as COLMAP's, or of \
    the places where the photographs look. Photographs must not all be taken from one place.
    - **Maps** are `size` times as wide as the photographs, less for very many, and last as long as the run.
    """
  public static let example = #"{ "use": "estimate-depth" }"#
  public static let dataFlow = StageDataFlow(needs: [.frames], makes: [.depthMaps])
  public static let relativeCost = 100.0

  public struct Parameters: StageParameters {
    @Parameter("Width of the depth maps, as a share of the photographs'.", in: 0.1...1)
    public var size = 0.5

    @Parameter(
      "Maximum number of photographs that each one is compared with.", in: 2...4)
    public var views = 4

    @Parameter(
      "Keep the sensor's depths where the photographs tell none; otherwise such places stay empty.")
    public var keepSensor = true

    public init() {}
  }

  /// Why no depths can be measured.
  public enum Failure: StageFailure, Equatable {
    /// No two photographs show the same from different places.
    case noPairs(frames: Int)
    /// No depth of a photograph is confirmed by another one.
    case noAgreement

    public var message: String {
      switch self {
      case .noPairs(let frames):
        "no two of \(frames) photographs show the same surface from places that are far enough apart; take more of them, "
          + "and step aside instead of turning on the spot"
      case .noAgreement:
        "the photographs agree on no depth: check that poses and photographs belong together, refine the poses before, "
          + "or take sharper photographs with more light"
      }
    }
  }

  /// The most pixels of all depth maps: some ten bytes each.
  private static let mostPixels = 50_000_000
  /// Narrower maps show less than a sensor's.
  private static let leastWidth = 320
  /// The shares of the time after which photographs are read, and compared at coarse scales and at the finest.
  private static let shares = (read: 0.1, coarse: 0.45, fine: 0.95)

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func expectedMemory(for scene: PlannedScene) -> Int {
    let size = parameters.size
    return min(10 * Int(Double(scene.framePixelCount) * size * size), 10 * Self.mostPixels)
  }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    guard var capture = scene.capture, !capture.frames.isEmpty else {
      try context.progress(1)
      return scene
    }
    let frames = try readable(capture.frames, of: scene, in: context)
    let scale = MetricScale(scene.coordinateSystem)
    let pairing = StereoPairing(
      frames.map(\.photograph), priors: frames.map(\.prior),
      landmarks: scene.landmarks(atMost: Self.mostLandmarks))
    let views = Parallel.map(count: frames.count) { place in
      StereoView(
        frames[place].photograph, pairing, place, atMost: parameters.views,
        prior: frames[place].prior)
    }
    try context.checkCancellation()
    guard views.contains(where: \.isCompared) else {
      throw Failure.noPairs(frames: capture.frames.count)
    }
    let stereo = try compared(views, in: context)
    var report = Report()
    for (place, frame) in frames.enumerated() {
      guard let found = stereo.depths(place) else {
        report.alone.append(capture.frames[frame.index].name)
        continue
      }
      let map = frame.photograph.throughLens(found).map(
        metersPerUnit: scale.meters(1), sensor: parameters.keepSensor ? frame.sensor : nil)
      report.count(found)
      capture.frames[frame.index].depth = try map.writtenForRun()
      try context.progress(
        Self.shares.fine + (1 - Self.shares.fine) * Double(place + 1) / Double(frames.count))
    }
    guard report.confirmed > 0 else { throw Failure.noAgreement }
    report.tell(context)
    scene.capture = capture
    try context.progress(1)
    return scene
  }

  private static let mostLandmarks = 20_000

  private func compared(
    _ views: [StereoView], in context: StageContext
  ) throws -> StereoDepth {
    var stereo = StereoDepth(views)
    let (read, coarse, fine) = Self.shares
    for index in views.indices {
      stereo.begin(index)
      try context.progress(read + (coarse - read) * Double(index + 1) / Double(views.count))
    }
    for index in views.indices {
      stereo.finish(index)
      try context.progress(coarse + (fine - coarse) * Double(index + 1) / Double(views.count))
    }
    return stereo
  }

  // MARK: Reading

  /// A frame whose photograph was read.
  private struct ReadFrame: Sendable {
    var index: Int
    var photograph: StereoPhotograph
    var sensor: DepthMap?
    var prior: StereoPrior?
  }

  private func readable(
    _ frames: [Capture.Frame], of scene: borrowing Scene, in context: StageContext
  ) throws -> [ReadFrame] {
    let surface = scene.faceCount > 0 ? try ObservedSurface(scene) : nil
    let scale = MetricScale(scene.coordinateSystem)
    let share = min(
      parameters.size,
      (Double(Self.mostPixels)
        / Double(max(1, frames.reduce(0) { $0 + $1.imageSize.x * $1.imageSize.y })))
        .squareRoot())
    let done = Mutex(0)
    let loaded = Parallel.map(count: frames.count) { index -> Result<ReadFrame, any Error> in
      Result {
        try done.withLock { count in
          count += 1
          try context.progress(Self.shares.read * Double(count) / Double(frames.count + 1))
        }
        let frame = frames[index]
        let width = Self.width(of: frame.imageSize, share)
        let height = max(
          1,
          min(
            StereoPhotograph.mostPixels / width,
            width * frame.imageSize.y / max(1, frame.imageSize.x)))
        let image = try frame.loadImage(
          reducedBy: Capture.Frame.strongestReduction { frame.imageSize.x / $0 >= width },
          from: context.frameStore)
        let sensor = frame.depth?.origin == .sensor ? frame.readableDepth().map : nil
        return ReadFrame(
          index: index,
          photograph: StereoPhotograph(image, of: frame, size: SIMD2(width, height)),
          sensor: sensor,
          prior: StereoPrior(of: frame, sensor: sensor, scale, surface: surface))
      }
    }
    return try zip(frames, loaded).compactMap { frame, result in
      do { return try result.get() } catch let error as any UserError {
        context.warn("frame '\(frame.name)' gets no depth map: \(error.message)")
        return nil
      }
    }
  }

  /// The width of a frame's depth map.
  private static func width(of image: SIMD2<Int>, _ share: Double) -> Int {
    let pixels = Double(max(1, image.x)) * Double(max(1, image.y))
    let share = min(share, (Double(StereoPhotograph.mostPixels) / pixels).squareRoot())
    return max(1, min(image.x, max(leastWidth, Int(Double(image.x) * share))))
  }

  // MARK: Report

  private struct Report {
    var maps = 0
    var pixels = 0
    var confirmed = 0
    var unsure = 0
    var alone: [String] = []

    mutating func count(_ depths: StereoDepth.Depths) {
      maps += 1
      pixels += depths.confidences.count
      confirmed += depths.confidences.count { $0 == 2 }
      unsure += depths.confidences.count { $0 == 1 }
    }

    /// A capture of which less is confirmed has wrong poses, or photographs without texture.
    static let leastConfirmed = 0.1
    /// Where poses are right, a second photograph confirms nearly all that a first one does.
    static let leastTwice = 0.75
    /// Fewer photographs have no second one for most of what they show.
    static let fewest = 4

    func tell(_ context: StageContext) {
      let share = Double(confirmed) / Double(max(1, pixels))
      context.note("depthMaps", maps.json)
      context.note("confirmedPercent", (100 * share).json(digits: 1))
      context.note("unsurePercent", (100 * Double(unsure) / Double(max(1, pixels))).json(digits: 1))
      if share < Self.leastConfirmed {
        context.warn(
          "photographs confirm only \(NumberText.fixed(100 * share, digits: 1)) % of the depths: what they show is plain, "
            + "blurred or shiny, or the poses are off; 'refine-poses' may help where there is a mesh"
        )
      } else if maps >= Self.fewest {
        let twice = Double(confirmed) / Double(confirmed + unsure)
        if twice < Self.leastTwice {
          context.warn(
            "a second photograph confirms only \(NumberText.fixed(100 * twice, digits: 0)) % of the depths that a first one "
              + "does: the poses are off, or what is photographed moved; 'refine-poses' may help where there is a mesh"
          )
        }
      }
      if let first = alone.first {
        context.warn(
          "frames (\(alone.count)) get no depth map, as no other photograph shows the same from another place; the first "
            + "one is '\(first)'")
      }
    }
  }
}

extension Scene {
  /// Points of its surfaces and clouds, such as those of structure from motion.
  fileprivate func landmarks(atMost count: Int) -> [SIMD3<Float>] {
    let points = pointClouds.flatMap { $0.positions.evenly(atMost: count) }
    let vertices = meshes.flatMap { $0.positions.evenly(atMost: count) }
    return (points + vertices).evenly(atMost: count).map(\.simd)
  }
}

extension DepthMap {
  /// Its source in a file that lasts as long as the run.
  fileprivate func writtenForRun() throws -> Capture.DepthSource {
    let files = CurrentRun.current?.files ?? RunFiles.ofProcess
    let path = try files.newPath(ending: ".depth")
    let writer = try FileWriter(creating: path)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 * meters.count)
    for depth in meters {
      for shift in stride(from: 0, to: 32, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: depth.bitPattern >> UInt32(shift)))
      }
    }
    try writer.write(bytes)
    try writer.finish(synchronizing: false)
    var source = Capture.DepthSource(path: path, encoding: .float32(width: width, height: height))
    source.origin = .photographs
    guard let confidences else { return source }
    let place = try files.newPath(ending: ".png")
    let other = try FileWriter(creating: place)
    try other.write(try PNG.encodeGray8(confidences, width: width, height: height))
    try other.finish(synchronizing: false)
    source.confidence = Capture.DepthSource.Confidence(path: place)
    return source
  }
}
