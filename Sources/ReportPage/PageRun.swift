import MeshPipeline
import NativeLibraries
import Rendering

/// A scan in a page: its models, its capture, and what was said of it.
struct PageRun {
  let json: JSONValue

  private static let posterSize = SIMD2(960, 640)

  init(
    _ run: ReportedRun, faces: Int, in data: PageData, cancellation: Cancellation,
    warn: (String) -> Void
  ) throws {
    let scene = run.after?.scene ?? run.before?.scene
    var members: [JSONValue.Member] = [.init("title", run.title.json)]
    if let pipeline = run.pipeline { members.append(.init("pipeline", pipeline.json)) }
    if let report = run.report { members.append(.init("report", report)) }
    if !run.comparison.isEmpty {
      members.append(
        .init("comparison", JSONValue(.array(run.comparison.map(\.json)))))
    }
    if let provenance = run.provenance { members.append(.init("provenance", provenance.figures)) }
    if let scene {
      members.append(.init("assumptions", scene.interpretation.json))
      members.append(.init("gates", JSONValue(.array(scene.gates.map(\.json)))))
      let system = scene.coordinateSystem.transform(to: .arkit)
      members.append(
        .init("axes", JSONValue(.array([system.x, system.y, system.z].map(\.unitJSON)))))
    }
    let models = try Models(run, faces: faces, in: data, cancellation, warn)
    members.append(.init("models", JSONValue(.array(models.json))))
    if let poster = models.poster { members.append(.init("poster", data.add(poster))) }
    if let capture = models.capture, !capture.frames.isEmpty {
      members.append(.init("frames", PageFrames.json(of: capture, in: data, warn: warn)))
    }
    if let agreement = run.agreement, !agreement.views.isEmpty {
      members.append(.init("agreement", agreement.json))
    }
    json = JSONValue(.object(members))
  }

  /// The models, and what belongs to the last of them.
  private struct Models {
    var json: [JSONValue] = []
    var poster: [UInt8]?
    var capture: Capture?

    init(
      _ run: ReportedRun, faces: Int, in data: PageData, _ cancellation: Cancellation,
      _ warn: (String) -> Void
    ) throws {
      guard let main = run.after ?? run.before else { return }
      var whole = main.scene
      whole.convert(to: .arkit)
      var other = run.after == nil ? nil : run.before?.scene
      other?.align(with: whole)
      let isMoved = other?.moveOnto(whole) ?? false
      if let other, !isMoved { try PageFields.addDistances(to: &whole, from: other) }
      let shown = try whole.reduced(toFaces: faces, cancellation: cancellation)
      var style = RenderStyle()
      style.largestTexture = 1024
      guard let renderer = try? SceneRenderer(shown, style: style) else { return }
      capture = shown.capture
      let view = renderer.defaultView
      let picture = try renderer.picture(
        from: renderer.camera(for: view, size: posterSize), samples: 2, cancellation: cancellation)
      poster = try JPEG.encode(picture.image, quality: 80)
      // Two models share what textures may take.
      let textureShare =
        whole.features.contains(.textures) && other?.features.contains(.textures) == true ? 0.5 : 1
      let model = PageModel(
        main.scene, reducedTo: shown, name: main.name, textureShare: textureShare, in: data,
        warn: warn)
      var fields = PageFields.attributes(of: model, in: data)
      if let distances = PageFields.distances(
        of: model, range: run.distanceRange, isShown: run.beginsWithDistances, in: data)
      {
        fields.insert(distances, at: 0)
      }
      if let before = run.before, let other {
        let small = try other.reduced(toFaces: faces, cancellation: cancellation)
        let second = PageModel(
          before.scene, reducedTo: small, name: before.name + (isMoved ? " (moved)" : ""),
          textureShare: textureShare, in: data, warn: warn)
        json.append(
          second.json(view: view, isOpened: renderer.isOpened, fields: [], in: data))
      }
      json.append(model.json(view: view, isOpened: renderer.isOpened, fields: fields, in: data))
    }
  }
}

extension Scene {
  /// Moves the scene so that its middle is that of another one, if they are far apart for their size.
  ///
  /// - Returns: Whether it was moved.
  fileprivate mutating func moveOnto(_ other: Scene) -> Bool {
    let (own, its) = (bounds, other.bounds)
    guard !own.isEmpty, !its.isEmpty else { return false }
    let overlap = pointwiseMin(own.maximum, its.maximum) - pointwiseMax(own.minimum, its.minimum)
    let size = pointwiseMin(own.size, its.size)
    // A part of a scan lies in the whole; what was centred does not.
    guard (0..<3).contains(where: { overlap[$0] < 0.5 * size[$0] }) else { return false }
    apply(Transform(translation: SIMD3<Double>(its.center - own.center)))
    return true
  }
}

extension CaptureGate {
  fileprivate var json: JSONValue {
    let readings = self.readings.filter(\.value.isFinite).map { reading in
      var members: [JSONValue.Member] = [.init("value", reading.value.json(digits: 6))]
      if let frame = reading.frame { members.append(.init("frame", frame.json)) }
      if let time = reading.time, time.isFinite {
        members.append(.init("time", time.json(digits: 3)))
      }
      return JSONValue(.object(members))
    }
    return [
      "name": name.json, "unit": unit.json, "outcome": outcome.rawValue.json,
      "isMaximum": limits.isMaximum.json, "warning": JSONValue(.number(limits.warning)),
      "failure": JSONValue(.number(limits.failure)), "readings": JSONValue(.array(readings)),
    ]
  }
}

extension SIMD3<Double> {
  fileprivate var unitJSON: JSONValue {
    let length = dot(self).squareRoot()
    let unit = length > 0 ? self / length : self
    return [unit.x, unit.y, unit.z].json
  }
}

extension Provenance {
  /// What the page shows of it; the pipeline is shown by itself.
  fileprivate var figures: JSONValue {
    let rows = [
      ("meshpipe", json["meshpipe"]), ("pipeline", json["pipeline"]?["name"]),
      ("SHA-256 of the pipeline", json["pipeline"]?["sha256"]), ("inputs", json["inputs"]),
    ]
    return JSONValue(.object(rows.compactMap { name, value in value.map { .init(name, $0) } }))
  }
}
