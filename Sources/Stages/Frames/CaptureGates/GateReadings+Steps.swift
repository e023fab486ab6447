import MeshPipeline
import NativeLibraries
import Photogrammetry

/// What is measured of a camera that stands still, and of what is put before the background.
extension GateReadings {
  /// How long the recording is, and how far the camera strays, between the first step and the last if there are steps.
  mutating func addLock(
    _ moments: [Moment], _ recipe: Capture.Recipe?, over seconds: Double, metersPerUnit: Double
  ) {
    let judged = moments.compactMap { moment in moment.time.map { (time: $0, moment: moment) } }
      .filter { recipe?.times?.contains($0.time) ?? true }
      .sorted { $0.time < $1.time }
    guard let first = judged.first, let last = judged.last, judged.count > 1 else { return }
    add(.duration, of: nil, at: nil, last.time - first.time)
    let strays = CameraLock.strays(
      of: judged.map { CameraLock.Moment(time: $0.time, pose: $0.moment.pose) }, within: seconds)
    for (place, stray) in zip(judged.dropFirst(), strays) {
      let (name, time) = (place.moment.name, place.time)
      add(.lockShift, of: name, at: time, stray.shift * metersPerUnit * 1000)
      add(.lockTurn, of: name, at: time, Angle(radians: stray.radians).degrees)
    }
  }

  /// How long the frames of each step last in which the background is hidden.
  mutating func addDwell(_ capture: Capture, _ recipe: Capture.Recipe) {
    let times = (capture.frames.map(\.timestamp) + capture.depthFrames.map(\.timestamp))
      .compactMap { $0?.ifFinite }
    for step in recipe.steps(named: recipe.hidden) {
      let found = times.filter(step.times.contains)
      guard let first = found.min(), let last = found.max() else { continue }
      add(.shortDwell, of: step.name, at: first, last - first)
      add(.longDwell, of: step.name, at: first, last - first)
    }
  }

  /// Compares the depth maps of the steps in which the background is hidden with those that show it.
  mutating func measureBarrier(
    _ frames: [Capture.DepthFrame], _ recipe: Capture.Recipe, _ context: StageContext
  ) throws {
    func within(_ names: [String]) -> [Capture.DepthFrame] {
      let steps = recipe.steps(named: names)
      return frames.filter { frame in
        frame.timestamp.map { time in steps.contains { $0.times.contains(time) } } ?? false
      }
    }
    func cells(_ frames: [Capture.DepthFrame]) throws -> [DepthCells?] {
      let cells = Parallel.map(count: frames.count) { index -> DepthCells? in
        context.isCancelled ? nil : frames[index].depth.readable().map.map(DepthCells.init)
      }
      try context.checkCancellation()
      return cells
    }
    let hidden = within(recipe.hidden)
    guard !hidden.isEmpty,
      let barrier = DepthBarrier(
        background: try cells(within(recipe.background)).compactMap(\.self))
    else { return }
    for (frame, cells) in zip(hidden, try cells(hidden)) {
      guard let reading = cells.map(barrier.reading) else { continue }
      add(.barrier, of: frame.name, at: frame.timestamp, reading.coverage)
      add(.separation, of: frame.name, at: frame.timestamp, reading.separation.map { $0 * 1000 })
    }
  }
}
