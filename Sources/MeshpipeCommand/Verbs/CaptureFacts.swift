import MeshpipeKit

/// A summary of a capture, and how it fits its mesh.
struct CaptureFacts {
  private let summary: CaptureSummary
  /// Measurements against the mesh.
  private var notes: [StageContext.Note] = []
  private var coverage: FrameCoverage?
  /// What is on the mesh, and the object; nil without a mesh.
  private var subject: CaptureSubject?
  /// What the page says of the mesh; nil if there is one, which has its own page.
  private var missingMesh: String?
  /// How the poses were read, where there is no mesh whose page says it.
  private(set) var interpretation: Interpretation?
  private var gates: Gates?

  /// What was measured at the gates, and what to do.
  private struct Gates {
    let report: GateReport
    let advice: [String]

    init?(_ scene: Scene, _ preset: GatePreset?) throws {
      guard let preset else { return nil }
      var parameters = CheckCapture.Parameters()
      parameters.preset = preset
      parameters.stop = false
      let context = StageContext(cancellation: Signals.cancellation)
      report = GateReport(try CheckCapture(parameters).run(scene, in: context).gates)
      advice = context.warnings
    }

    var text: String {
      (["gates: \(report.summary)"] + TextLayout.table(report.rows, indent: 2)
        + advice.map { "  \($0)" })
        .joined(separator: "\n") + "\n"
    }
  }

  /// Whether the capture fails at a gate, if it was checked.
  var isRefused: Bool { gates?.report.hasFailed ?? false }

  /// Reads a capture that has no mesh.
  init(reading found: FoundCapture, gates preset: GatePreset?, _ invocation: Invocation) throws {
    let context = invocation.readingContext
    let scene = try Messages.warning(of: context) {
      try found.readAlone(in: CaptureReadingContext(context))
    }
    let read = scene.capture ?? Capture()
    summary = CaptureSummary(
      read, layout: found.layout.id, folder: found.folder.path,
      metersPerUnit: scene.coordinateSystem.metersPerUnit)
    interpretation = scene.interpretation
    let maker =
      read.hasDepth
      ? try invocation.environment.pipelines.stages.remedy(for: .noMesh) : nil
    gates = try Gates(scene, preset)
    missingMesh = "none" + (maker.map { "; '\($0)' can make one from the depth maps" } ?? "")
  }

  init(
    _ found: FoundCapture, _ scene: Scene, _ notes: [StageContext.Note], gates preset: GatePreset?
  ) throws {
    summary = CaptureSummary(
      scene.capture ?? Capture(), layout: found.layout.id, folder: found.folder.path,
      metersPerUnit: scene.coordinateSystem.metersPerUnit)
    self.notes = notes.filter { $0.key.hasPrefix("frames") }
    coverage = try FrameCoverage(scene)
    subject = CaptureSubject(scene)
    gates = try Gates(scene, preset)
  }

  var json: JSONValue {
    guard case .object(var members) = summary.json.content else { return summary.json }
    let entries = members.popLast()
    members += notes.map { .init($0.key, $0.value) }
    if let coverage {
      members.append(
        .init(
          "coverage",
          [
            "seen": JSONValue(.number(coverage.seen)),
            "seenByThree": JSONValue(.number(coverage.seenThrice)),
          ]))
    }
    if let subject, let share = subject.depthsOnSurface, let measured = subject.surfaceMeasured {
      members.append(
        .init(
          "surface",
          [
            "depthsOnSurface": share.json(digits: 4), "surfaceMeasured": measured.json(digits: 4),
            "isImprovable": subject.isImprovable.json,
          ]))
    }
    if let radius = subject?.objectRadius {
      members.append(.init("object", ["radius": radius.json(digits: 3)]))
    }
    if let gates { members.append(.init("gates", gates.report.json)) }
    return JSONValue(.object(members + [entries].compactMap { $0 }))
  }

  func text(named name: String) -> String {
    var rows: [[String]] = [["capture", "\(summary.layout) in \(summary.folder)"]]
    if summary.photographs > 0 {
      rows.append([
        "photographs",
        "\(NumberText.grouped(summary.photographs)), without poses; 'estimate-poses' finds them",
      ])
    } else {
      rows.append(["frames", NumberText.grouped(summary.frames.count)])
    }
    let sizes = summary.sizes.prefix(3).map { share in
      "\(share.size.x) x \(share.size.y)"
        + (summary.sizes.count > 1 ? " (\(NumberText.grouped(share.frames)))" : "")
    }
    if !sizes.isEmpty {
      rows.append([
        "pictures",
        sizes.joined(separator: ", ") + (summary.framesInVideo > 0 ? ", in a video" : "")
          + (summary.framesWithDistortion > 0 ? ", with lens distortion" : ""),
      ])
    }
    if let duration = summary.duration {
      rows.append(["time", NumberText.fixed(duration, digits: 1) + " s"])
    }
    if summary.photographs == 0 {
      rows.append(["path", NumberText.fixed(summary.pathLength, digits: 2) + " m"])
      rows.append(["depth", depth])
    }
    if summary.framesWithMask > 0 { rows.append(["masks", masks]) }
    if let exposure { rows.append(["exposure", exposure]) }
    if !summary.tracking.isEmpty {
      let states = summary.tracking.map { "\($0.state.rawValue) \(NumberText.grouped($0.frames))" }
      rows.append(["tracking", states.joined(separator: ", ")])
    }
    if !summary.locks.isEmpty {
      let words = summary.locks.map { "\($0.name) \($0.isLocked ? "locked" : "automatic")" }
      rows.append(["camera", words.joined(separator: ", ")])
    }
    if !summary.attachments.isEmpty {
      let names = summary.attachments.map(\.withoutControlCharacters)
      let more = names.count > 4 ? " and \(names.count - 4) more" : ""
      rows.append(["files", names.prefix(4).joined(separator: ", ") + more])
    }
    if let missingMesh { rows.append(["mesh", missingMesh]) }
    rows += meshRows
    let meanings = interpretation.map(InfoText.interpretation) ?? []
    return ([name] + TextLayout.table(rows, indent: 2) + meanings).joined(separator: "\n") + "\n"
      + (gates?.text ?? "")
  }

  private var depth: String {
    let alone = summary.depthMapsAlone
    guard summary.framesWithDepth + alone > 0 else { return "none" }
    let size = summary.depthSize.map { ", \($0.x) x \($0.y)" } ?? ""
    return "\(NumberText.grouped(summary.framesWithDepth)) frames"
      + (alone > 0 ? " and \(NumberText.grouped(alone)) maps without an image" : "")
      + "\(size), \(NumberText.grouped(summary.depthMapsWithConfidence)) with confidence"
  }

  private var masks: String {
    let (masked, alpha) = (summary.framesWithMask, summary.framesWithAlpha)
    let opacity =
      alpha == masked
      ? ", by the opacity of their images" : alpha > 0 ? ", \(alpha) by opacity" : ""
    return "\(NumberText.grouped(masked)) frames\(opacity)"
  }

  private var exposure: String? {
    func text(_ range: ClosedRange<Double>, times factor: Double, digits: Int) -> String {
      let ends = [range.lowerBound, range.upperBound].map {
        NumberText.fixed($0 * factor, digits: digits)
      }
      return ends[0] == ends[1] ? ends[0] : ends.joined(separator: " to ")
    }
    let parts = [
      summary.exposure.map { "\(text($0, times: 1000, digits: 1)) ms" },
      summary.iso.map { "ISO \(text($0, times: 1, digits: 0))" },
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  private var meshRows: [[String]] {
    func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }
    var rows: [[String]] = []
    let shares = [
      ("framesDepthOnMesh", "of the measured depths lie on the mesh"),
      ("framesSeeingMesh", "of the frames see it"),
    ].compactMap { (key, words) -> String? in
      guard let note = notes.first(where: { $0.key == key }), let share = note.value.number else {
        return nil
      }
      return "\(percent(share)) \(words)"
    }
    if let world = notes.first(where: { $0.key == "framesWorld" })?.value.text {
      let reason = notes.first { $0.key == "framesWorldReason" }?.value.text
      rows.append([
        "poses", reason.map { "moved to the world \(world): \($0)" } ?? "assumed to be in \(world)",
      ])
    }
    if case .object(let members)? = notes.first(where: { $0.key == "framesDepthOnMeshes" })?.value
      .content, members.count > 1
    {
      let figures = members.map { "\($0.key) \(percent($0.value.number ?? 0))" }
      rows.append([
        "meshes",
        "\(figures.joined(separator: ", ")) of the depths on it; --mesh NAME takes another one",
      ])
    }
    if !shares.isEmpty { rows.append(["fit", shares.joined(separator: ", ")]) }
    if let coverage {
      rows.append([
        "coverage",
        "\(percent(coverage.seen)) of the area is seen, \(percent(coverage.seenThrice)) by three "
          + "frames or more",
      ])
    }
    if let share = subject?.depthsOnSurface {
      rows.append([
        "surface",
        "\(percent(share)) of the depths are within 1 cm and 1 % of the mesh; "
          + (subject?.isImprovable == true
            ? "pipelines with 'geometry' try one made from the depth maps"
            : "pipelines keep it"),
      ])
    }
    if let radius = subject?.objectRadius {
      rows.append([
        "object",
        "within \(NumberText.fixed(radius, digits: 2)) m of where all cameras look; "
          + "pipelines keep it alone with --var scope=object",
      ])
    }
    return rows
  }
}
