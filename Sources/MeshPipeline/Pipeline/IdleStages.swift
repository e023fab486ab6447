import MeshpipeScene

/// The stages of a run that found nothing to work on, for one warning at the end.
struct IdleStages {
  private var idsByReason: [(reason: String, ids: [String])] = []
  /// Whether one of them would have worked on frames.
  private var includesStageOfFrames = false

  mutating func note(_ stage: ResolvedPipeline.ResolvedStage, because reason: String) {
    if stage.when?.impliesCapture == true { includesStageOfFrames = true }
    if let known = idsByReason.firstIndex(where: { $0.reason == reason }) {
      idsByReason[known].ids.append(stage.id)
    } else {
      idsByReason.append((reason, [stage.id]))
    }
  }

  /// The warning, with the way out if there is one; nil if every stage had work.
  func warning(in pipeline: ResolvedPipeline) -> String? {
    guard !idsByReason.isEmpty else { return nil }
    let text = idsByReason.map { reason, ids in
      "\(pipeline.names(ofStages: ids).joined(separator: ", ")) (\(reason))"
    }
    let wayOut =
      pipeline.frames == nil && includesStageOfFrames ? "; name a capture with --frames" : ""
    return "skipped: \(text.joined(separator: ", "))\(wayOut)"
  }
}
