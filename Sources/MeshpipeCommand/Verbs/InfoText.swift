import MeshPipeline

/// The page that shows a summary to people.
enum InfoText {
  static func text(
    _ summary: SceneSummary, of name: String, _ format: FormatReader,
    beside capture: (layout: String, path: String)? = nil
  ) -> String {
    var rows: [[String]] = []
    func add(_ name: String, _ value: String) { rows.append([name, value]) }
    func count(_ number: Int, _ noun: String) -> String {
      "\(NumberText.grouped(number)) \(noun)\(number == 1 ? "" : "s")"
    }
    add("format", "\(format.name) (\(format.id))")
    add("meshes", NumberText.grouped(summary.parts.count))
    add("faces", NumberText.grouped(summary.faces))
    add("vertices", NumberText.grouped(summary.vertices))
    if summary.points > 0 { add("points", NumberText.grouped(summary.points)) }
    if let splats = summary.splats { add("splats", text(of: splats)) }
    let size = summary.sizeInMeters
    add("size", "\(length(size.x)) x \(length(size.y)) x \(length(size.z)) m")
    if let box = summary.bounds {
      let corners = [box.minimum, box.maximum].map { SIMD3<Double>($0) + summary.origin }
      let unit = summary.coordinateSystem.metersPerUnit
      add(
        "bounds",
        "\(vector(corners[0])) to \(vector(corners[1])) "
          + (unit == 1 ? "m" : "in the file's unit, \(JSONValue.text(of: unit)) m"))
    }
    if summary.faces > 0 { add("area", NumberText.fixed(summary.area, digits: 3) + " m2") }
    if let volume = summary.volume { add("volume", text(ofVolume: volume)) }
    add("axes", axes(summary.coordinateSystem))
    add("holds", summary.features.map(\.rawValue).joined(separator: ", "))
    add("draw calls", NumberText.grouped(summary.drawCalls))
    if summary.faces > 0 {
      add(
        "soundness",
        [
          count(summary.components, "component"), count(summary.boundaryEdges, "boundary edge"),
          count(summary.nonManifoldEdges, "non-manifold edge"),
        ].joined(separator: ", "))
    }
    if let capture {
      add(
        "frames",
        "beside it (\(capture.layout)); 'meshpipe info \(capture.path)' shows them")
    }
    var lines = [name] + TextLayout.table(rows, indent: 2)
    lines +=
      interpretation(summary.interpretation) + attributes(summary) + classes(summary)
      + materials(summary)
      + parts(summary)
    return lines.joined(separator: "\n") + "\n"
  }

  /// In litres below a tenth of a cubic metre: `0.754 l`.
  private static func text(ofVolume volume: Double) -> String {
    abs(volume) < 0.1
      ? NumberText.fixed(volume * 1000, digits: 4) + " l"
      : NumberText.fixed(volume, digits: 4) + " m3"
  }

  /// What the file leaves open, and how it was answered.
  static func interpretation(_ interpretation: Interpretation) -> [String] {
    let answers = interpretation.answers
    guard !answers.isEmpty else { return [] }
    let rows = answers.map { answer in
      [answer.aspect.words, answer.value, answer.source.words, answer.reason]
    }
    return [""]
      + TextLayout.table([["meaning", "taken as", "source", "reason"]] + rows, indent: 2)
  }

  private static func text(of splats: SceneSummary.Splats) -> String {
    let degrees = Set(splats.forms.map(\.degree)).sorted().map { "\($0)" }
    let isFlat = splats.forms.allSatisfy { $0.scaleCount == 2 }
    return "\(NumberText.grouped(splats.count)) \(isFlat ? "flat " : "")Gaussian splats of degree "
      + degrees.joined(separator: " and ")
  }

  private static func attributes(_ summary: SceneSummary) -> [String] {
    guard !summary.customAttributes.isEmpty else { return [] }
    let rows = summary.customAttributes.map { attribute in
      [
        attribute.name, attribute.element,
        attribute.width == 1 ? attribute.type : "\(attribute.width) x \(attribute.type)",
      ]
    }
    return [""] + TextLayout.table([["attribute", "per", "type"]] + rows, indent: 2)
  }

  private static func classes(_ summary: SceneSummary) -> [String] {
    guard !summary.classes.isEmpty else { return [] }
    let ofPoints = summary.classes.allSatisfy { $0.faces == 0 }
    let rows = summary.classes.map { share in
      [
        share.name, NumberText.grouped(ofPoints ? share.points : share.faces),
        ofPoints ? "" : NumberText.fixed(share.area, digits: 3),
      ]
    }
    let head = ["class", ofPoints ? "points" : "faces", ofPoints ? "" : "area m2"]
    return [""] + TextLayout.table([head] + rows, right: [1, 2], indent: 2)
  }

  private static func materials(_ summary: SceneSummary) -> [String] {
    var lines: [String] = []
    if !summary.materials.isEmpty {
      let names = summary.materials.prefix(20).map { $0.isEmpty ? "(unnamed)" : $0 }
      let more = summary.materials.count - names.count
      let text = names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
      lines += [""] + TextLayout.definitions([("materials", text)])
    }
    guard !summary.textures.isEmpty else { return lines }
    let rows = summary.textures.map { texture in
      [
        texture.fileName, texture.encoding,
        texture.pixelSize.map { "\($0.x) x \($0.y)" } ?? "unknown size",
        NumberText.byteCount(texture.bytes),
      ]
    }
    return lines + [""]
      + TextLayout.table([["texture", "encoding", "pixels", "size"]] + rows, indent: 2)
  }

  private static func parts(_ summary: SceneSummary) -> [String] {
    guard summary.parts.count > 1 else { return [] }
    let shown = summary.parts.prefix(20)
    let rows = shown.map { part in
      [
        part.name.isEmpty ? "(unnamed)" : part.name, NumberText.grouped(part.faces),
        NumberText.grouped(part.vertices + part.points),
      ]
    }
    let more = summary.parts.count - shown.count
    return [""]
      + TextLayout.table([["part", "faces", "vertices"]] + rows, right: [1, 2], indent: 2)
      + (more > 0 ? ["  and \(more) more"] : [])
  }

  static func axes(_ system: CoordinateSystem) -> String {
    let unit =
      system.metersPerUnit == 1 ? "metres" : "\(JSONValue.text(of: system.metersPerUnit)) m"
    return "\(system.up.rawValue) up, \(system.forward.rawValue) forward, "
      + "\(system.handedness.rawValue)-handed, unit \(unit)"
  }

  private static func length(_ meters: Double) -> String { NumberText.fixed(meters, digits: 3) }

  private static func vector(_ value: SIMD3<Double>) -> String {
    "(" + [value.x, value.y, value.z].map { length($0) }.joined(separator: ", ") + ")"
  }
}
