import MeshpipeScene

/// What is known about the scene at a point of a pipeline before the run.
struct SceneFlow {
  /// The features that the scene may have.
  var possible: Set<SceneFeature>
  /// The features made by stages, with the stage's id, as long as they still exist.
  private(set) var made: [SceneFeature: String] = [:]
  /// The features certainly removed by a stage, with its id.
  private(set) var removed: [SceneFeature: String] = [:]
  /// The maps beside the model; all if that is not known.
  private(set) var maps: Set<SurfaceMap.Kind> = []
  /// The coordinate systems that the scene can have; empty if the input may have any.
  private(set) var systems: [CoordinateSystem] = []

  /// The systems of a file that specifies nothing: a phone's, unless the numbers of a grid or of floors turn out to be
  /// Z up.
  private static let undeclaredSystems = [
    CoordinateSystem.arkit, CoordinateSystem.arkit.with(up: .z),
  ]

  /// The scene of a further input.
  init(of input: JoinedInput) {
    possible = (input.format?.canBring ?? []).union([.classification])
    possible.formUnion(input.frames?.layout.brings ?? [])
  }

  /// The scene of the input.
  ///
  /// - Parameter otherMeshes: The meshes that may be read in its place.
  init(
    of input: InputFiles, joined: [JoinedInput], otherMeshes: [CaptureMesh],
    for request: PipelineRequest
  ) {
    possible =
      input.format?.canBring ?? (input.lacksMesh ? [] : Set(SceneFeature.allCases))
    systems = input.lacksMesh ? [] : Self.systems(of: input, as: request.inputReading)
    for format in otherMeshes.map(\.format) + joined.compactMap(\.format) {
      possible.formUnion(format.canBring)
    }
    if !joined.isEmpty { possible.insert(.classification) }
    // Frames that were specified but not found are reported as such, once.
    let captures = [input.frames].compactMap { $0 } + joined.compactMap(\.frames)
    for frames in captures { possible.formUnion(frames.layout.brings) }
    if captures.isEmpty, request.frames.isNamed { possible.formUnion(SceneFeature.ofCaptures) }
    if input.room != nil || request.room.isNamed { possible.insert(.room) }
  }

  private static func systems(
    of input: InputFiles, as reading: InputReading
  ) -> [CoordinateSystem] {
    // As when it is read, what the user says comes first.
    if let up = reading.up { return [CoordinateSystem.arkit.with(up: up)] }
    guard let format = input.format else { return undeclaredSystems }
    switch format.axes {
    case .fixed(let fixed): return [fixed]
    case .declared: return []
    case .undeclared, nil:
      // Reading from a pipe here would consume its bytes.
      guard let path = input.path, (try? FileSystem.status(of: path))?.isRegularFile == true,
        let declared = format.coordinateSystem(of: path)
      else { return undeclaredSystems }
      return [declared]
    }
  }

  /// Several scenes merged into one; nil if there are none.
  init?(merging flows: [SceneFlow]) {
    guard let first = flows.first else { return nil }
    self = first
    for flow in flows.dropFirst() {
      possible.formUnion(flow.possible)
      maps.formUnion(flow.maps)
      made.merge(flow.made) { first, _ in first }
    }
    removed = removed.filter { feature, _ in flows.allSatisfy { $0.removed[feature] != nil } }
  }

  /// The scene after a stage, if that is enabled.
  func after(_ stage: ResolvedStage) -> SceneFlow {
    guard stage.isEnabled else { return self }
    var flow = self
    let isCertain = stage.when == nil && stage.onError == .fail
    let (makes, removes) = (stage.definition.dataFlow.makes, stage.definition.dataFlow.removes)
    for feature in makes {
      flow.possible.insert(feature)
      flow.made[feature] = stage.ownID
      flow.removed[feature] = nil
    }
    if isCertain {
      for feature in removes {
        if flow.possible.remove(feature) != nil { flow.removed[feature] = stage.ownID }
        flow.made[feature] = nil
      }
      if removes.contains(.surfaceMaps) { flow.maps = [] }
    }
    if makes.contains(.surfaceMaps) { flow.maps.formUnion(stage.stage.surfaceMaps) }
    let turned = systems.map { stage.stage.outputCoordinateSystem(for: $0) }
    flow.systems = turned + (isCertain ? [] : systems.filter { !turned.contains($0) })
    return flow
  }
}
