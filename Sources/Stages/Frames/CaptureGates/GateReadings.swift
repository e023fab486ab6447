import MeshPipeline
import NativeLibraries
import POSIX
import Photogrammetry

/// What is measured of a capture for its gates.
struct GateReadings {
  private var readings: [GateKind: [CaptureGate.Reading]] = [:]
  private let start: Double

  /// The shares of the time after which images, depth maps and the mesh are measured.
  private static let shares = (images: 0.5, depths: 0.7, mesh: 0.95)

  /// - Parameters:
  ///   - kinds: What is asked for; the rest is not measured.
  ///   - lockTime: In seconds, how long a camera must stand still.
  init(_ scene: Scene, of kinds: Set<GateKind>, lockTime: Double, in context: StageContext) throws {
    let capture = scene.capture ?? Capture()
    let moments =
      capture.frames.isEmpty
      ? capture.allDepthFrames.map(Moment.init) : capture.frames.map(Moment.init)
    start = moments.compactMap(\.time).min() ?? 0
    if !kinds.isDisjoint(with: [.brightness, .clipped, .sharpness]) {
      try measureImages(scene, capture.frames, context)
    }
    try context.progress(Self.shares.images)
    addPhone(capture.frames)
    if !kinds.isDisjoint(with: [.depth, .confidence]) {
      try measureDepths(capture.allDepthFrames, context)
    }
    try context.progress(Self.shares.depths)
    let metersPerUnit = scene.coordinateSystem.metersPerUnit
    addMotion(moments, metersPerUnit: metersPerUnit)
    let recipe = capture.origin?.recipe
    if !kinds.isDisjoint(with: [.duration, .lockShift, .lockTurn]) {
      addLock(moments, recipe, over: lockTime, metersPerUnit: metersPerUnit)
    }
    if let recipe, !kinds.isDisjoint(with: [.barrier, .separation, .shortDwell, .longDwell]) {
      addDwell(capture, recipe)
      try measureBarrier(capture.allDepthFrames, recipe, context)
    }
    if !kinds.isDisjoint(with: [.coverage, .depthFit, .imageFit]) {
      try measureFit(scene, capture.frames, context)
    }
    try context.progress(Self.shares.mesh)
  }

  subscript(kind: GateKind) -> [CaptureGate.Reading] { readings[kind] ?? [] }

  mutating func add(_ kind: GateKind, of frame: String?, at time: Double?, _ value: Double?) {
    guard let value, value.isFinite else { return }
    readings[kind, default: []].append(
      CaptureGate.Reading(frame: frame, time: time.map { $0 - start }, value: value))
  }

  private mutating func measureImages(
    _ scene: Scene, _ frames: [Capture.Frame], _ context: StageContext
  ) throws {
    let inspected = try InspectedFrames(scene, in: context) {
      try context.progress(Self.shares.images * $0)
    }
    for (index, inspection) in inspected.inspections.enumerated() {
      let (name, time) = (frames[index].name, frames[index].timestamp?.ifFinite)
      if let fault = inspection.fault {
        context.warn("frame '\(name)' is left out: \(fault)")
        continue
      }
      add(.brightness, of: name, at: time, inspection.brightness)
      add(.clipped, of: name, at: time, inspection.clippedShare)
      add(
        .sharpness, of: name, at: time, inspected.sharpness[index].map { min(1, Double(exp2f($0))) }
      )
    }
  }

  /// What the phone says of each frame.
  private mutating func addPhone(_ frames: [Capture.Frame]) {
    let exposures = frames.map(\.logarithmicExposure)
    let focus = frames.map { $0.intrinsics.focalLength.x / Double(max($0.imageSize.x, 1)) }
    let medians = (exposures.compactMap(\.self).median(), focus.median())
    for (index, frame) in frames.enumerated() {
      let (name, time) = (frame.name, frame.timestamp?.ifFinite)
      add(.tracking, of: name, at: time, frame.tracking?.value)
      if let exposure = exposures[index], let median = medians.0 {
        add(.exposure, of: name, at: time, abs(exposure - median))
      }
      if let median = medians.1, median > 0 {
        add(.focus, of: name, at: time, abs(focus[index] / median - 1))
      }
    }
  }

  private mutating func measureDepths(
    _ frames: [Capture.DepthFrame], _ context: StageContext
  ) throws {
    let shares = Parallel.map(count: frames.count) {
      index -> (depth: Double, confidence: Double?)? in
      guard !context.isCancelled, let map = frames[index].depth.readable().map,
        !map.meters.isEmpty
      else { return nil }
      let measured = map.meters.indices.filter { map.meters[$0] > 0 }
      let sure = map.confidences.map { confidences in measured.count { confidences[$0] > 0 } }
      return (
        Double(measured.count) / Double(map.meters.count),
        sure.flatMap { measured.isEmpty ? nil : Double($0) / Double(measured.count) }
      )
    }
    try context.checkCancellation()
    for (frame, share) in zip(frames, shares) {
      let moment = Moment(frame)
      add(.depth, of: frame.name, at: moment.time, share?.depth)
      add(.confidence, of: frame.name, at: moment.time, share?.confidence)
    }
  }

  private mutating func addMotion(_ moments: [Moment], metersPerUnit: Double) {
    for (last, next) in zip(moments, moments.dropFirst()) {
      // Photographs without times have no order.
      guard next.session == last.session, let time = next.time, let before = last.time,
        time > before
      else { continue }
      let step = (next.pose.translation - last.pose.translation).length * metersPerUnit
      let cosine = next.pose.z.normalized.dot(last.pose.z.normalized)
      let turn = Angle(radians: acos(max(-1, min(1, cosine)))).degrees
      add(.step, of: next.name, at: time, step)
      add(.turn, of: next.name, at: time, turn)
      add(.gap, of: next.name, at: time, time - before)
      add(.speed, of: next.name, at: time, step / (time - before))
      add(.turnRate, of: next.name, at: time, turn / (time - before))
    }
  }

  private mutating func measureFit(
    _ scene: Scene, _ frames: [Capture.Frame], _ context: StageContext
  ) throws {
    add(.coverage, of: nil, at: nil, try FrameCoverage(scene)?.seen)
    guard let agreement = try FrameAgreement(scene, in: context) else { return }
    for (index, frame) in frames.enumerated() {
      add(.depthFit, of: frame.name, at: frame.timestamp?.ifFinite, agreement.depthOnMesh[index])
      add(
        .imageFit, of: frame.name, at: frame.timestamp?.ifFinite, agreement.imageCorrelation[index])
    }
  }
}

extension StageContext: MeasuringContext {}

/// Where and when a frame was taken.
struct Moment {
  let name: String
  let session: Int
  let time: Double?
  let pose: Transform

  init(_ frame: Capture.Frame) {
    (name, session) = (frame.name, frame.session)
    (time, pose) = (frame.timestamp?.ifFinite, frame.pose)
  }

  init(_ frame: Capture.DepthFrame) {
    (name, session) = (frame.name, frame.session)
    (time, pose) = (frame.timestamp?.ifFinite, frame.pose)
  }
}

extension Capture.Frame {
  /// The logarithm to base 2 of how much light was let in, from what is known of it.
  fileprivate var logarithmicExposure: Double? {
    let factors = [exposure?.duration, exposure?.iso].compactMap(\.self).filter { $0 > 0 }
    return factors.isEmpty ? nil : factors.reduce(0) { $0 + log2($1) }
  }
}

extension Capture.Tracking {
  fileprivate var value: Double {
    switch self {
    case .normal: 1
    case .limited: 0.5
    case .unavailable: 0
    }
  }
}
