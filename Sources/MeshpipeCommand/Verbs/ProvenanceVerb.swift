import MeshPipeline
import MeshpipeKit

/// Shows what made a file, or makes the pipeline again that did.
enum ProvenanceVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    let path = invocation.operands.first ?? ""
    try invocation.exclude(.json, .replay)
    guard let found = try ProvenanceReader.read(path) else {
      throw NoProvenance(path: path, reason: "says nothing of what made it" + hint(for: path))
    }
    switch found {
    case .digest(let digest):
      if invocation.has(.replay) {
        throw NoProvenance(
          path: path,
          reason: "has only the beginnings of hashes, from which no pipeline can be made")
      }
      let text =
        invocation.has(.json) ? (["digest": digest.json] as JSONValue).prettyText : shown(digest)
      try StandardStream.output.write(text)
    case .provenance(let provenance):
      if invocation.has(.replay) { return try replay(provenance, of: path) }
      try StandardStream.output.write(
        invocation.has(.json)
          ? provenance.json.prettyText
          : ProvenanceText.text(of: provenance).withoutTerminalCommands)
    }
    return .success
  }

  /// Where the user may look instead.
  private static func hint(for path: String) -> String {
    let format = builtInFormats.first { $0.extensions.contains(fileExtension(of: path)) }
    guard let format = format as? any WritableFormat.Type, format.holdsProvenance == .none else {
      return ""
    }
    return ": \(format.name) has no place for it; 'run --report' keeps a record beside it"
  }

  private static func shown(_ digest: String) -> String {
    digest.split(separator: " ").map { part in
      (part.hasPrefix("p=") ? "pipeline  " : "input     ") + part.dropFirst(2) + "…\n"
    }.joined()
  }

  // MARK: Replay

  private static func replay(_ provenance: Provenance, of path: String) throws -> ExitCode {
    let formats = FormatRegistry(builtInFormats)
    let replay = provenance.replay { formats.writer(id: $0)?.extensions.first }
    switch replay {
    case .impossible(let reason): throw NoProvenance(path: path, reason: reason)
    case .pipeline(let pipeline, let settings):
      try StandardStream.output.write(pipeline.prettyText)
      Messages.say(advice(for: provenance, settings))
      return .success
    }
  }

  /// What else the run needs, in one line, of which a shell makes the words that are meant.
  private static func advice(
    for provenance: Provenance, _ settings: [JSONValue.Member]
  ) -> String {
    var remarks: [String] = []
    let words = settings.flatMap { member -> [String] in
      let declaration = RunSettings.declarations.first { $0.key == member.key }
      let name = declaration?.option.name ?? member.key
      switch member.value.content {
      case .bool(let isSet): return isSet ? [name] : [name, "none"]
      case .string(let text): return [name, text]
      case .number(let meters) where member.key.hasSuffix("Unit"):
        let unit = LengthUnit.names.first { (try? LengthUnit(word: $0))?.meters == meters }
        return [name, unit ?? JSONValue.text(of: meters)]
      case .object:
        // Was read from a file, whose contents an option can't have.
        let file = "\(member.key).json"
        remarks.append("; \(file) is what --json shows as 'settings', '\(member.key)'")
        return [name, file]
      default: return [name, member.value.compactText]
      }
    }
    let input = provenance.json["inputs"]?.elements.first?["name"]?.text ?? "INPUT"
    // Not to be taken for an option.
    let operand = input.hasPrefix("-") ? "./" + input : input
    let line = (["meshpipe", "run", "PIPELINE.json", operand] + words).map(\.shellQuoted)
      .joined(separator: " ")
    let version = provenance.json["meshpipe"]?.text ?? ""
    if version != meshpipeVersion {
      remarks.append(
        "; made by meshpipe \(version), and this is \(meshpipeVersion): bytes may differ")
    }
    return "run it with: \(line)\(remarks.joined())".withoutControlCharacters
  }
}

/// A file that does not say what is asked.
private struct NoProvenance: UserError {
  var path: String
  var reason: String

  var exitCode: ExitCode { .data }
  var message: String { "\(path): \(reason)" }
}
