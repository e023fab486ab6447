import MeshpipeBase
import MeshpipeScene

/// One of the meshes that an app stores with a capture.
package struct CaptureMesh: Sendable {
  /// The mesh's file.
  package let path: String
  /// Its reader.
  package let format: FormatReader

  package init(path: String, format: FormatReader) {
    (self.path, self.format) = (path, format)
  }

  /// What another mesh must add to the share of the depths that lie on the usual one, and the least share that it must
  /// have: less is chance, or a matter of the world in which the poses are.
  private static let (leastGain, leastShare) = (0.05, 0.5)
  /// What is not given up for a mesh that fits better.
  private static let kept: Set<SceneFeature> = [.classification, .textures, .colors]

  /// Chooses between this mesh and others, by the depth maps of the capture.
  ///
  /// This one, which is the usual one, stays if no depth was measured, or if no other that has its classes, textures and
  /// colours is clearly better. The report of the run names the figures of all.
  func best(
    of others: [CaptureMesh], for source: ScanSource, in context: ReadingContext
  ) throws -> CaptureMesh {
    guard !others.isEmpty, let frames = source.frames else { return self }
    let apart = ReadingContext(
      allowsExternalFiles: context.allowsExternalFiles, stage: context.stage.apart)
    let captureContext = CaptureReadingContext(apart)
    guard let scan = try? frames.read(in: captureContext), scan.capture.hasDepth else {
      return self
    }
    var found: [(mesh: CaptureMesh, share: Double, features: Set<SceneFeature>)] = []
    for mesh in [self] + others {
      try context.stage.checkCancellation()
      // A mesh that can't be read is left out; of the one that is taken, the error is reported.
      guard
        var scene = try? mesh.format.read(
          mesh.path, in: apart.reading(metersPerUnit: source.reading.metersPerUnit))
      else { continue }
      let facts = FileFacts(path: mesh.path, format: mesh.format, isPartOfCapture: true)
      scene.interpret(facts, as: source.reading)
      let features = scene.features.intersection(Self.kept)
      guard let share = frames.depthShare(of: scan, on: scene) else { continue }
      found.append((mesh, share, features))
    }
    guard let usual = found.first, usual.mesh.path == path else { return self }
    var best = usual
    for other in found.dropFirst()
    where other.share > best.share && usual.features.isSubset(of: other.features) { best = other }
    if best.share < max(usual.share + Self.leastGain, Self.leastShare) { best = usual }
    let shares = found.map {
      JSONValue.Member(FileSystem.name(of: $0.mesh.path), $0.share.json(digits: 4))
    }
    context.stage.note("framesDepthOnMeshes", JSONValue(.object(shares)))
    context.stage.note("framesMesh", JSONValue(.string(FileSystem.name(of: best.mesh.path))))
    return best.mesh
  }
}

extension ScanSource {
  /// The same scan with that of its meshes on which most of the measured depths lie.
  package func withBestMesh(in context: ReadingContext) throws -> ScanSource {
    guard let format, !alternatives.isEmpty else { return self }
    let usual = CaptureMesh(path: path, format: format)
    let best = try usual.best(of: alternatives, for: self, in: context)
    var result = self
    (result.path, result.format) = (best.path, best.format)
    result.alternatives = ([usual] + alternatives).filter { $0.path != best.path }
    return result
  }
}

extension FoundCapture {
  /// The meshes beside the usual one, as far as formats can be told; empty if the user names one.
  ///
  /// - Parameter outputs: Files that the run itself writes.
  package func otherMeshes(
    read formats: FormatRegistry, except outputs: [String] = []
  ) -> [CaptureMesh] {
    guard reading.mesh == nil else { return [] }
    return ownMeshPaths.dropFirst().filter { !outputs.contains($0) }.compactMap { path in
      formats.reader(ofFile: path).map { CaptureMesh(path: path, format: $0) }
    }
  }

  /// The share of the measured depths that lie on a scene with a mesh of the capture; nil if there is none.
  ///
  /// The cameras are as recorded, since those that were fitted to one mesh would speak for it.
  fileprivate func depthShare(of scan: CapturedScan, on scene: Scene) -> Double? {
    var (scene, scan) = (scene, scan)
    scan.place(in: scene.coordinateSystem, as: reading)
    if scene.origin != .zero { scan.move(by: Transform(translation: -scene.origin)) }
    scene.capture = scan.capture
    return fitting?.depthShare(on: scene)
  }
}
