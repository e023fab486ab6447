package import MeshPipeline
import NativeLibraries

/// Tests whether a plugin conforms to the protocol, by running each of its stages on test scenes.
package struct PluginCheck {
  /// The result of one test.
  package struct Finding: Sendable, Equatable {
    package enum Verdict: String, Sendable { case good, advice, bad }

    package var verdict: Verdict
    /// The name of the test: `smooth: an empty scene`.
    package var trial: String
    /// Details; empty if there are none.
    package var message: String
  }

  private let manifest: PluginManifest
  private let cancellation: Cancellation
  private let report: (Finding) -> Void

  /// - Parameter report: Called with each finding.
  package init(
    _ manifest: PluginManifest, cancellation: Cancellation = Cancellation(),
    report: @escaping (Finding) -> Void
  ) {
    self.manifest = manifest
    self.cancellation = cancellation
    self.report = report
  }

  /// Runs all tests.
  ///
  /// - Throws: ``Cancelled``.
  package func run() throws(Cancelled) {
    checkManifest()
    for wish in manifest.wishes {
      tell(.good, "wishes", "\(wish.text): " + (wish.isAllowed ? "allowed" : wish.option))
    }
    if manifest.program.lane == .process { tell(.good, "confinement", PluginHost.confinement) }
    do {
      let pictures = try CheckCapture()
      for stage in manifest.stages { try check(stage, pictures.capture) }
      for format in manifest.formats {
        try FormatCheck(manifest, format, cancellation) { tell($0, $1, $2) }.run()
      }
    } catch let error as Cancelled {
      throw error
    } catch {
      tell(.bad, "images for the tests", error.userMessage)
    }
  }

  private func tell(_ verdict: Finding.Verdict, _ trial: String, _ message: String = "") {
    report(Finding(verdict: verdict, trial: trial, message: message))
  }

  // MARK: Manifest

  private func checkManifest() {
    var advice: [String] = []
    if manifest.author.isEmpty { advice.append("add \"author\"") }
    if manifest.licence.isEmpty { advice.append("add \"license\"") }
    for stage in manifest.stages {
      if stage.summary.count > 150 {
        advice.append("the summary of '\(stage.name)' is longer than 150 characters")
      }
      for parameter in stage.parameters where parameter.help.isEmpty {
        advice.append("'\(parameter.name)' of '\(stage.name)' has no \"description\"")
      }
    }
    if advice.isEmpty { tell(.good, "manifest") }
    for line in advice { tell(.advice, "manifest", line) }
  }

  // MARK: Stages

  private func check(_ stage: PluginManifest.Stage, _ capture: Capture) throws(Cancelled) {
    guard let call = call(of: stage) else { return }
    guard try checkEmpty(call, stage) else { return }
    try checkEverything(call, stage, capture)
    try checkLarge(call, stage, capture)
    try checkAbsentParameters(call, stage, capture)
    try checkUnknownStage(stage)
    // A library that receives invalid input may crash the check.
    if manifest.program.lane == .process {
      try checkBadParameters(call, stage)
      try checkGarbage(stage)
    }
  }

  /// The stage with the options of its example.
  private func call(of stage: PluginManifest.Stage) -> PluginCall? {
    var members: [JSONValue.Member] = []
    let example = JSONReader.read(Array(stage.example.utf8)).value
    if case .object(let with)? = example?["with"]?.content { members = with }
    var faults: [String] = []
    for member in members where !stage.parameters.contains(where: { $0.name == member.key }) {
      faults.append("the example has '\(member.key)', which is not a parameter")
    }
    let values = PluginManifest.Stage.baseValues(of: members, stage.parameters) { name, _, text in
      faults.append("'\(name ?? "")' in the example: \(text)")
    }
    for fault in faults { tell(.bad, "\(stage.name): example", fault) }
    return faults.isEmpty
      ? PluginCall(manifest: manifest, stage: stage.name, parameters: values) : nil
  }

  /// The end of a test; everything except success has been reported.
  private enum Outcome {
    case done(Scene, seconds: Double)
    /// It refused the input, which is allowed.
    case refused
    case failed
  }

  private func attempt(
    _ trial: String, allows codes: Set<ExitCode> = [], _ call: PluginCall, _ scene: Scene
  ) throws(Cancelled) -> Outcome {
    let start = MonotonicClock.seconds
    do {
      let result = try call.run(scene, in: StageContext(cancellation: cancellation))
      return .done(result, seconds: MonotonicClock.seconds - start)
    } catch let error as Cancelled {
      throw error
    } catch let error as PluginError {
      if case .told(let code, let words) = error.fault, codes.contains(code) {
        tell(.good, trial, "refused: \(words)")
        return .refused
      }
      tell(.bad, trial, error.message)
    } catch {
      tell(.bad, trial, error.userMessage)
    }
    return .failed
  }

  /// - Returns: Whether further tests make sense.
  private func checkEmpty(
    _ call: PluginCall, _ stage: PluginManifest.Stage
  ) throws(Cancelled) -> Bool {
    let trial = "\(stage.name): handshake and an empty scene"
    // A scene without what a stage needs may be refused.
    switch try attempt(trial, allows: [.data], call, CheckScenes.empty) {
    case .done: tell(.good, trial)
    case .refused: break
    case .failed: return false
    }
    return true
  }

  private func checkEverything(
    _ call: PluginCall, _ stage: PluginManifest.Stage, _ capture: Capture
  ) throws(Cancelled) {
    let trial = "\(stage.name): a scene with everything"
    let before = CheckScenes.everything.seen(by: capture)
    guard case .done(let after, _) = try attempt(trial, call, before) else { return }
    guard before == CheckScenes.everything.seen(by: capture) else {
      return tell(.bad, trial, "it wrote to read-only arrays")
    }
    let lost = Self.lost(between: before, and: after).subtracting(stage.dataFlow.removes)
    let missing = stage.dataFlow.makes.subtracting(after.features)
    if lost.isEmpty, missing.isEmpty { tell(.good, trial) }
    if !lost.isEmpty {
      tell(.bad, trial, "\(Self.list(lost)) were lost; keep them, or list them in \"removes\"")
    }
    if !missing.isEmpty {
      tell(.bad, trial, "\(Self.list(missing)) are listed in \"makes\", but missing")
    }
    guard stage.isDeterministic else { return }
    let again = "\(stage.name): repeated"
    guard case .done(let second, _) = try attempt(again, call, before) else { return }
    if second == after {
      tell(.good, again)
    } else {
      tell(
        .bad, again,
        "two runs gave different results; make the stage deterministic or declare \"deterministic\": false"
      )
    }
  }

  /// The attributes that the meshes, or the point clouds, have lost.
  private static func lost(between before: Scene, and after: Scene) -> Set<SceneFeature> {
    func features(_ scene: Scene, meshes: Bool) -> Set<SceneFeature> {
      var part = scene
      if meshes { part.pointClouds = [] } else { part.meshes = [] }
      return part.features
    }
    let ofMeshes = features(before, meshes: true).subtracting(features(after, meshes: true))
    let ofClouds = features(before, meshes: false).subtracting(features(after, meshes: false))
    return ofMeshes.union(ofClouds).subtracting([.faces, .points])
  }

  private static func list(_ features: Set<SceneFeature>) -> String {
    features.sorted().map(\.rawValue).joined(separator: ", ")
  }

  private func checkLarge(
    _ call: PluginCall, _ stage: PluginManifest.Stage, _ capture: Capture
  ) throws(Cancelled) {
    let trial = "\(stage.name): 200,000 faces"
    let needsFrames = stage.dataFlow.needs.contains(.frames)
    if case .done(_, let seconds) =
      try attempt(
        trial, allows: [.data], call, CheckScenes.large.seen(by: needsFrames ? capture : nil))
    {
      tell(.good, trial, "\(JSONValue.text(of: (seconds * 100).rounded() / 100)) s")
    }
    try checkCancellation(call, stage, capture)
  }

  private func checkCancellation(
    _ call: PluginCall, _ stage: PluginManifest.Stage, _ capture: Capture
  ) throws(Cancelled) {
    let trial = "\(stage.name): cancelled at the first progress"
    let inner = Cancellation()
    let start = MonotonicClock.seconds
    do {
      let context = StageContext(cancellation: inner) { _ in inner.request() }
      _ = try call.run(CheckScenes.everything.seen(by: capture), in: context)
      tell(.good, trial, inner.isRequested ? "" : "it reports no progress")
    } catch is Cancelled {
      let seconds = MonotonicClock.seconds - start
      tell(seconds < 20 ? .good : .bad, trial)
    } catch {
      tell(.bad, trial, error.userMessage)
    }
    try cancellation.check()
  }

  // MARK: Parameters

  /// Only the required parameters.
  private func checkAbsentParameters(
    _ call: PluginCall, _ stage: PluginManifest.Stage, _ capture: Capture
  ) throws(Cancelled) {
    let trial = "\(stage.name): only the required parameters"
    let values = stage.parameters.map { parameter in
      guard !parameter.isRequired else {
        return call.parameters.first { $0.key == parameter.name }
          ?? .init(parameter.name, JSONValue(.null))
      }
      let value = try? parameter.baseValue(of: parameter.defaultValue)
      return .init(parameter.name, value ?? JSONValue(.null))
    }
    guard values != call.parameters else { return }
    let sparse = PluginCall(manifest: manifest, stage: stage.name, parameters: values)
    let scene = CheckScenes.everything.seen(by: capture)
    if case .done = try attempt(trial, allows: [.data, .unavailable], sparse, scene) {
      tell(.good, trial)
    }
  }

  /// Values of wrong types, which no pipeline sends: the program may refuse them or end, but must
  /// do so properly.
  private func checkBadParameters(
    _ call: PluginCall, _ stage: PluginManifest.Stage
  ) throws(Cancelled) {
    guard !call.parameters.isEmpty else { return }
    let trial = "\(stage.name): parameters of wrong types"
    let values = call.parameters.map { member in
      let isText = if case .string = member.value.content { true } else { false }
      return JSONValue.Member(member.key, JSONValue(isText ? .number(-1) : .string("?")))
    }
    let bad = PluginCall(manifest: manifest, stage: stage.name, parameters: values)
    do {
      let context = StageContext(cancellation: cancellation)
      _ = try bad.run(CheckScenes.everything, in: context)
      tell(.good, trial)
    } catch let error as Cancelled {
      throw error
    } catch let error as PluginError {
      switch error.fault {
      case .told, .endedEarly: tell(.good, trial, "refused")
      default: tell(.bad, trial, error.message)
      }
    } catch {
      tell(.bad, trial, error.userMessage)
    }
  }

  // MARK: Invalid input

  private func checkUnknownStage(_ stage: PluginManifest.Stage) throws(Cancelled) {
    let trial = "\(stage.name): an unknown stage"
    let call = PluginCall(manifest: manifest, stage: "no-such-stage", parameters: [])
    let codes = Set(ExitCode.allCases)
    if case .done = try attempt(trial, allows: codes, call, CheckScenes.empty) {
      tell(.bad, trial, "it should report that the stage is unknown")
    }
  }

  private func checkGarbage(_ stage: PluginManifest.Stage) throws(Cancelled) {
    let trial = "\(stage.name): garbage on its input"
    do {
      let call = ProcessCall(manifest: manifest, stage: stage.name, parameters: [])
      let ending = try call.provoke(in: StageContext(cancellation: cancellation), seconds: 20)
      if ending.exitStatus == 0 {
        tell(.bad, trial, "it ended with status 0; end with another status")
      } else {
        tell(.good, trial)
      }
    } catch let error as Cancelled {
      throw error
    } catch {
      tell(.bad, trial, error.userMessage)
    }
  }
}

extension Scene {
  /// The same with the frames of a capture.
  fileprivate func seen(by capture: Capture?) -> Scene {
    var scene = self
    scene.capture = capture
    return scene
  }
}

extension Cancellation {
  fileprivate func check() throws(Cancelled) {
    if isRequested { throw Cancelled() }
  }
}
