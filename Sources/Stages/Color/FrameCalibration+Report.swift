import MeshPipeline
import POSIX
import Photogrammetry

extension FrameCalibration {
  /// Reports how exposures were equalised across frames, and what was doubtful.
  func reportLeveling(to context: StageContext) {
    let gains = photometry.gains.map(\.y)
    guard let leveling = photometry.leveling, let least = gains.min(), let most = gains.max() else {
      return
    }
    let check = leveling.check
    if most > least { context.note("exposureRange", JSONValue(.number(Double(most / least)))) }
    context.note("exposureSource", JSONValue(.string(leveling.prior.source.rawValue)))
    context.note(
      "exposureDeviation", JSONValue(.number(Double(leveling.prior.deviations.median() ?? 0))))
    let brightness = check.brightness.map { Double(exp($0)) }
    if let darkest = brightness.min(), let brightest = brightness.max() {
      context.note("leastBrightness", JSONValue(.number(darkest)))
      context.note("mostBrightness", JSONValue(.number(brightest)))
    }
    if glossyShare > 0.001 {
      context.note("glossyShare", JSONValue(.number(Double(glossyShare))))
    }
    context.note("clippedShare", JSONValue(.number(Double(check.clippedShare))))
    if leveling.stiffenings > 0 {
      context.note("levelingStiffened", JSONValue(.number(Double(leveling.stiffenings))))
    }
    // Not a fault of the capture: phones often record the exposure time without the ISO.
    if leveling.prior.isContradicted {
      context.note("recordedExposures", JSONValue(.string("contradicted by the photographs")))
    }
    if let fault = check.firstFault ?? check.fault { warn(of: fault, leveling, context) }
  }

  private func warn(of fault: GainCheck.Fault, _ leveling: FrameGains, _ context: StageContext) {
    let consequence =
      leveling.check.fault == nil
      ? "gains were held nearer to the recorded or equal exposures"
      : "'exposure: false' bakes the frames as they are"
    let gains = "exposure compensation is doubtful: "
    switch fault {
    case .brightness(let frame, let deviation):
      let percent = Int((100 * (exp(deviation) - 1)).rounded())
      context.warn(
        gains + "frame '\(frames[frame].name)' would be \(abs(percent)) % "
          + "\(percent > 0 ? "brighter" : "darker") on the model than its photograph; \(consequence)"
      )
    case .trend(let rise):
      let factor = (Double(exp(abs(rise))) * 10).rounded() / 10
      context.warn(
        gains
          + "gains change steadily along the path, by a factor of \(factor) in total, as with glossy "
          + "surfaces; \(consequence)")
    case .clipping(let share):
      context.warn(
        gains
          + "gains push \(Int((100 * share).rounded())) % of what the frames show beyond white; "
          + consequence)
    }
  }
}
