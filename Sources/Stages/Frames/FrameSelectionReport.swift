import MeshPipeline
import POSIX
import Photogrammetry

/// Reports why each frame was kept or dropped.
struct FrameSelectionReport {
  let frames: [Capture.Frame]
  let candidates: [FrameSelection.Candidate]
  let verdicts: [FrameSelection.Verdict]

  /// Adds counts, a sentence and an entry for each frame to the report.
  func write(to context: StageContext) {
    context.note("keptFrames", verdicts.count { $0.isKept }.json)
    context.note("droppedFrames", verdicts.count { !$0.isKept }.json)
    context.note("summary", summary.json)
    context.note("frames", JSONValue(.array(verdicts.indices.map(entry))))
    for (frame, verdict) in zip(frames, verdicts) {
      if case .bad(.unreadable(let reason)) = verdict {
        context.warn("frame '\(frame.name)' is left out: \(reason)")
      }
    }
  }

  /// `52 of 60 frames: 6 blurred, 2 near a sharper one`.
  var summary: String {
    var counts: [(word: String, count: Int)] = []
    for word in verdicts.compactMap(\.word) {
      if let place = counts.firstIndex(where: { $0.word == word }) {
        counts[place].count += 1
      } else {
        counts.append((word, 1))
      }
    }
    let kept = "\(verdicts.count { $0.isKept }) of \(verdicts.count) frames"
    let dropped = counts.sorted { ($1.count, $0.word) < ($0.count, $1.word) }
      .map { "\($0.count) \($0.word)" }.joined(separator: ", ")
    return dropped.isEmpty ? kept : "\(kept); dropped: \(dropped)"
  }

  private func entry(_ index: Int) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", frames[index].name.json), .init("kept", verdicts[index].isKept.json),
      .init("reason", reason(index).json),
    ]
    if let sharpness = candidates[index].sharpness {
      members.append(.init("sharpness", rounded(Double(exp2f(sharpness)))))
    }
    members.append(.init("clipped", rounded(candidates[index].clippedShare)))
    return JSONValue(.object(members))
  }

  private func rounded(_ value: Double) -> JSONValue { value.json(digits: 3) }

  /// Why a frame was kept or dropped, in words.
  func reason(_ index: Int) -> String {
    switch verdicts[index] {
    case .kept(let gain?): "adds \(percent(gain)) of the surface"
    case .kept(nil): "good, one of few"
    case .needed(let fault, let gain):
      "\(words(of: fault, index)), but the only one to see \(percent(gain)) of the surface"
    case .bad(let fault): words(of: fault, index)
    case .near(let other): "from the same place as '\(frames[other].name)'"
    case .redundant: "other frames see all of it well enough"
    }
  }

  private func words(of fault: FrameSelection.Fault, _ index: Int) -> String {
    switch fault {
    case .unreadable(let reason): return reason
    case .tracking(let state): return "tracking was \(state.rawValue)"
    case .clipped: return "\(percent(candidates[index].clippedShare)) is blown out or black"
    case .blurred:
      let width = NumberText.fixed(Double(exp2f(-(candidates[index].sharpness ?? 0))), digits: 1)
      return "blurred: edges are \(width) times as wide as other frames predict"
    }
  }

  private func percent(_ share: Double) -> String {
    "\(NumberText.fixed(100 * share, digits: share < 0.1 ? 1 : 0))%"
  }
}

extension FrameSelection.Verdict {
  /// The reason for dropping a frame in a word or two; nil if it is kept.
  fileprivate var word: String? {
    switch self {
    case .kept, .needed: nil
    case .bad(.unreadable): "unreadable"
    case .bad(.tracking): "badly tracked"
    case .bad(.clipped): "badly exposed"
    case .bad(.blurred): "blurred"
    case .near: "near another"
    case .redundant: "not needed"
    }
  }
}
