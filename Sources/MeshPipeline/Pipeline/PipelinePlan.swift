import MeshpipeBase
import MeshpipeScene

/// What a run would do with a scene, and why: the result of `meshpipe plan`.
///
/// Conditions that can only be decided during the run stay open.
package struct PipelinePlan: Sendable {
  /// The decision for a stage.
  package enum Decision: Sendable, Equatable {
    case runs(String)
    case isSkipped(String)
    case isOpen(String)
    /// An earlier run kept its result, or one that comes of it.
    case isRecalled

    var isSkipped: Bool { if case .isSkipped = self { true } else { false } }
  }

  /// A stage with its decision.
  package struct Step: Sendable {
    /// The stage, with its parameters.
    package var stage: ResolvedPipeline.ResolvedStage
    /// Whether it will run.
    package var decision: Decision
    /// Estimates of the number of faces before and after.
    package var facesBefore: Int
    package var facesAfter: Int
  }

  /// The planned pipeline.
  package let pipeline: ResolvedPipeline
  /// The size of the input.
  package let counts: RunReport.Counts
  /// The features of the input.
  package let features: [SceneFeature]
  /// One for each stage, in order.
  package private(set) var steps: [Step] = []
  /// An estimate of the peak memory of a run, in bytes.
  package private(set) var estimatedMemory: Int

  /// What is known about a future scene.
  private struct Outlook {
    var features: Set<SceneFeature>
    var faces: Int
    /// Whether this is the scene as read, unchanged.
    var isInput: Bool
  }

  /// Plans the run of a pipeline on a scene that was read.
  package init(_ pipeline: ResolvedPipeline, on scene: Scene) {
    self.pipeline = pipeline
    counts = RunReport.Counts(scene)
    let sceneFeatures = scene.features
    features = sceneFeatures.sorted()
    // The program, its libraries, and a stage's input and result; the rest is working memory of the largest stage.
    estimatedMemory = 30_000_000 + 2 * scene.byteCount
    var planned = PlannedScene(scene)
    var working = 0
    let input = Outlook(features: sceneFeatures, faces: scene.faceCount, isInput: true)
    var outlooks: [Outlook] = []
    for stage in pipeline.stages {
      let before = Self.joined(
        stage.inputs.map { origin in
          switch origin {
          case .input: input
          case .otherInput(let index):
            Outlook(
              features: pipeline.otherInputs[index].format?.canBring ?? SceneFeature.ofCaptures,
              faces: 0, isInput: false)
          case .stage(let index): outlooks[index]
          }
        })
      let decision = Self.decision(on: stage, before, scene)
      let after = Self.outlook(after: stage, decision, before)
      planned.faceCount = before.faces
      if !decision.isSkipped {
        working = max(working, stage.stage.expectedMemory(for: planned))
      }
      steps.append(
        Step(
          stage: stage, decision: decision, facesBefore: before.faces, facesAfter: after.faces))
      outlooks.append(after)
    }
    estimatedMemory += working
  }

  /// The same plan with what earlier runs kept: stages that do not run, and parts of the work of others.
  package func recalling(_ checkpoints: RunCheckpoints) -> PipelinePlan {
    var plan = self
    for index in checkpoints.recalled { plan.steps[index].decision = .isRecalled }
    for (index, parts) in checkpoints.keptParts where !parts.isEmpty {
      let names = parts.map(\.name).joined(separator: " and ")
      plan.steps[index].decision.add(reason: "with \(names) from the cache")
    }
    return plan
  }

  private static func joined(_ outlooks: [Outlook]) -> Outlook {
    guard var result = outlooks.first else {
      return Outlook(features: [], faces: 0, isInput: false)
    }
    for other in outlooks.dropFirst() {
      result.features.formUnion(other.features)
      result.faces += other.faces
      result.isInput = false
    }
    return result
  }

  private static func decision(
    on stage: ResolvedPipeline.ResolvedStage, _ before: Outlook, _ scene: Scene
  ) -> Decision {
    if let reason = stage.reasonToSkip { return .isSkipped(reason) }
    guard let when = stage.when else { return .runs("") }
    switch when.outcome(features: before.features, scene: before.isInput ? scene : nil) {
    case true?: return .runs("\(when.quoted) holds")
    case false?: return .isSkipped("\(when.quoted) is false")
    case nil: return .isOpen("\(when.quoted) is decided during the run")
    }
  }

  private static func outlook(
    after stage: ResolvedPipeline.ResolvedStage, _ decision: Decision, _ before: Outlook
  ) -> Outlook {
    if case .isSkipped = decision { return before }
    var after = before
    after.isInput = false
    after.faces = stage.stage.expectedFaceCount(from: before.faces)
    let flow = stage.definition.dataFlow
    after.features.formUnion(flow.makes)
    if case .runs = decision { after.features.subtract(flow.removes) }
    return after
  }
}

extension Condition {
  /// Whether the condition will be true for a future scene; nil if that is open.
  ///
  /// - Parameters:
  ///   - features: The features the scene will have.
  ///   - scene: The scene itself, if it is available.
  func outcome(features: Set<SceneFeature>, scene: Scene?) -> Bool? {
    if let scene { return holds(for: scene) }
    return root.outcome(features)
  }
}

extension Condition.Node {
  fileprivate func outcome(_ features: Set<SceneFeature>) -> Bool? {
    switch self {
    case .constant(let value): return value
    case .has(let feature): return features.contains(feature)
    case .not(let node): return node.outcome(features).map { !$0 }
    case .and(let left, let right):
      let outcomes = [left.outcome(features), right.outcome(features)]
      return outcomes.contains(false) ? false : outcomes.contains(nil) ? nil : true
    case .or(let left, let right):
      let outcomes = [left.outcome(features), right.outcome(features)]
      return outcomes.contains(true) ? true : outcomes.contains(nil) ? nil : false
    case .holds: return nil
    case .compare: return impliedFeatures.isSubset(of: features) ? nil : false
    }
  }
}

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
  fileprivate mutating func add(reason more: String) {
    func joined(_ reason: String) -> String { reason.isEmpty ? more : "\(reason), \(more)" }
    switch self {
    case .runs(let reason): self = .runs(joined(reason))
    case .isOpen(let reason): self = .isOpen(joined(reason))
    case .isSkipped, .isRecalled: break
    }
  }

  /// The decision in one word, with its reason.
  package var words: (word: String, reason: String) {
    switch self {
    case .runs(let reason): ("runs", reason)
    case .isSkipped(let reason): ("skipped", reason)
    case .isOpen(let reason): ("open", reason)
    case .isRecalled: ("cached", "")
    }
  }
}
