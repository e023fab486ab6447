import MeshpipeBase

extension PipelinePlan {
  /// The plan as JSON: the resolved pipeline, and the decision for each stage.
  package var json: JSONValue {
    func number(_ value: Int) -> JSONValue { JSONValue(.number(Double(value))) }
    let decisions = steps.map { step -> JSONValue in
      let (word, reason) = step.decision.words
      return [
        "id": JSONValue(.string(step.stage.id)), "decision": JSONValue(.string(word)),
        "reason": JSONValue(.string(reason)), "facesBefore": number(step.facesBefore),
        "facesAfter": number(step.facesAfter),
      ]
    }
    return [
      "pipeline": pipeline.json,
      "scene": [
        "faces": number(counts.faces), "vertices": number(counts.vertices),
        "points": number(counts.points),
        "features": JSONValue(.array(features.map { JSONValue(.string($0.rawValue)) })),
      ],
      "stages": JSONValue(.array(decisions)),
      "estimatedMemoryBytes": number(estimatedMemory),
    ]
  }
}

extension PipelinePlan.Decision {
  /// The decision in one word, with its reason.
  package var words: (word: String, reason: String) {
    switch self {
    case .runs(let reason): ("runs", reason)
    case .isSkipped(let reason): ("skipped", reason)
    case .isOpen(let reason): ("open", reason)
    }
  }
}
