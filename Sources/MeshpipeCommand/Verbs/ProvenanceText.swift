import MeshPipeline

/// The page that shows provenance to people.
enum ProvenanceText {
  static func text(of provenance: Provenance) -> String {
    let json = provenance.json
    var rows: [[String]] = [["made by", "meshpipe \(json["meshpipe"]?.text ?? "")"]]
    func add(_ title: String, _ values: [String]) {
      for (index, value) in values.enumerated() { rows.append([index == 0 ? title : "", value]) }
    }
    let pipeline = json["pipeline"]
    let named = [pipeline?["name"]?.text, pipeline?["sha256"]?.text.map { "SHA-256 \($0)" }]
    add("pipeline", [named.compactMap(\.self).joined(separator: ", ")].filter { !$0.isEmpty })
    add("input", (json["inputs"]?.elements ?? []).map(input))
    add("stages", (pipeline?["stages"]?.elements ?? []).map { stage($0, json["skipped"]) })
    if let output = pipeline?["output"] {
      add("output", [(output["format"]?.text ?? "") + options(output["with"])])
    }
    add("settings", members(json["settings"]).map { "\($0.key) \(shown($0.value))" })
    add("input read as", members(json["assumptions"]).map(assumption))
    add("agreement", members(json["agreement"]).map { "\($0.key): \(shown($0.value))" })
    return TextLayout.table(rows).map { $0.withoutControlCharacters + "\n" }.joined()
  }

  private static func members(_ json: JSONValue?) -> [JSONValue.Member] {
    if case .object(let members)? = json?.content { members } else { [] }
  }

  private static func input(_ json: JSONValue) -> String {
    var parts: [String] = []
    if let name = json["name"]?.text {
      parts.append(name)
    } else if case .number(let number)? = json["files"]?.content, let count = Int(exactly: number) {
      parts.append("\(NumberText.grouped(count)) side files")
    }
    let hash =
      json["sha256"]?.text.map { "SHA-256 \($0)" }
      ?? (json["changed"] != nil ? "changed during the run" : "could not be read again")
    return (parts + [hash]).joined(separator: ", ")
  }

  private static func stage(_ json: JSONValue, _ skipped: JSONValue?) -> String {
    let (id, use) = (json["id"]?.text ?? "", json["use"]?.text ?? "")
    let reason = skipped?[id]?.text ?? (json["enabled"] == nil ? nil : "disabled")
    return (id == use ? use : "\(id): \(use)")
      + (reason.map { " (left out: \($0))" } ?? options(json["with"]))
  }

  /// The options, in the form of the command line.
  private static func options(_ json: JSONValue?) -> String {
    members(json).filter { $0.value.content != .null && $0.value.content != .array([]) }
      .map { " \($0.key)=\(shown($0.value))" }.joined()
  }

  private static func shown(_ value: JSONValue) -> String {
    switch value.content {
    case .string(let text): text
    case .array(let elements): elements.map(shown).joined(separator: ",")
    default: value.compactText
    }
  }

  private static func assumption(_ member: JSONValue.Member) -> String {
    let source = member.value["source"]?.text.flatMap { Interpretation.Source(rawValue: $0) }
    let reasons = [source?.words, member.value["reason"]?.text].compactMap(\.self)
    let answer = "\(member.key): \(member.value["value"]?.text ?? "")"
    return "\(answer) (\(reasons.joined(separator: ": ")))"
  }
}
