import MeshpipeBase
import MeshpipeScene

/// The options of an output's format, and the limit of its size.
struct FormatOptions {
  let members: [JSONValue.Member]
  let limit: OutputLimit?

  /// - Parameters:
  ///   - settings: Those of all outputs.
  ///   - replacesFile: Whether `-o` chose the file, and with it perhaps another format.
  init(
    of target: OutputTarget, format: FormatWriter, settings: [OptionSetting],
    replacesFile: Bool, _ evaluator: inout Evaluator
  ) {
    let entry = target.entry
    let formats = evaluator.use.environment.formats
    var owner = OptionOwner(
      name: "format '\(format.id)'", declarations: format.options,
      position: entry.position, path: entry.path["with"],
      elsewhere: { option in
        formats.ids(ofWritersWith: option).map {
          "; remove it, or choose a format that has it: \($0)"
        }
      })
    let options = replacesFile ? evaluator.options(of: entry, keptBy: format) : entry.options
    var written = evaluator.renamed(options, of: &owner)
    var maximum = entry.maximumBytes
    let settings = settings.filter { $0.applies(to: format, in: target.level) }
    for setting in settings where setting.option == OptionSetting.maximumBytes {
      // Variables in what is replaced count as used.
      if let maximum { _ = evaluator.value(maximum.value, at: maximum.path) }
      maximum = .init(
        value: setting.value(ofType: .bytes), position: setting.position, path: owner.path)
    }
    let others = settings.filter { $0.option != OptionSetting.maximumBytes }
    written = evaluator.override(
      written, with: evaluator.renamed(others, of: &owner), of: owner)
    let complete = evaluator.options(written, of: owner)
    if let complete { evaluator.check(complete, of: format, owner) }
    members = complete ?? []
    let bytes = maximum.flatMap { evaluator.bytes($0) }
    limit = bytes.map { evaluator.limit(of: $0, for: format, complete ?? [], asWritten: written) }
  }
}

extension Evaluator {
  /// The options of an output without those of the format that the pipeline writes, if `-o` chose another one that
  /// lacks them.
  fileprivate mutating func options(of entry: OutputEntry, keptBy format: FormatWriter)
    -> [JSONValue.Member]
  {
    guard let file = entry.file?.value,
      let planned = use.environment.formats.writer(forPath: file), planned.id != format.id
    else { return entry.options }
    var kept: [JSONValue.Member] = []
    for member in entry.options {
      guard format.options[name: member.key] == nil,
        let declaration = planned.options[name: member.key]
      else {
        kept.append(member)
        continue
      }
      let path = entry.path["with"][member.key]
      if let value = value(member.value, at: path),
        value.withoutPositions != declaration.defaultValue.withoutPositions
      {
        warn(
          "'\(member.key)' of format '\(planned.id)' is left out, since '\(format.id)' has no such option",
          at: DocumentLocation(member.keyPosition, path))
      }
    }
    return kept
  }

  /// Reports faults of options, and what they need and this machine lacks.
  fileprivate mutating func check(
    _ options: [JSONValue.Member], of format: FormatWriter, _ owner: OptionOwner
  ) {
    let missing = prepare(options, of: owner) { format.checkOptions($0, report: $1) }
    guard let missing else { return }
    report(
      "\(owner.name): \(missing.message)", at: owner.location(of: options),
      exitCode: missing.exitCode)
  }

  /// The maximum size of an output.
  mutating func bytes(_ written: WrittenValue) -> Int? {
    guard let value = value(written.value, at: written.path) else { return nil }
    do throws(ParameterFault) {
      let bytes = try ByteCount(json: value).bytes
      if bytes == 0 { throw ParameterFault("must be at least 1 byte") }
      return bytes
    } catch {
      report(error.message, at: written)
      return nil
    }
  }

  /// - Parameters:
  ///   - options: The options of the format.
  ///   - written: The same before variables were replaced.
  fileprivate func limit(
    of bytes: Int, for format: FormatWriter, _ options: [JSONValue.Member],
    asWritten written: [JSONValue.Member]
  ) -> OutputLimit {
    var limit = OutputLimit(bytes: bytes)
    let forms = format.smallerForms + format.smallestForms
    // The form that the output has, and those before it, are no smaller.
    let own = forms.lastIndex { form in
      options.contains { form[$0.key]?.withoutPositions == $0.value.withoutPositions }
    }
    for (index, form) in forms.enumerated().dropFirst(own.map { $0 + 1 } ?? 0) {
      let members = form.map { JSONValue.Member($0.key, $0.value) }
      guard format.checkOptions(members, report: { _, _, _ in }) == nil else { continue }
      let isUsual = index < format.smallerForms.count
      if members.allSatisfy({ mayChoose($0, insteadOf: written, isUsual: isUsual) }) {
        limit.smallerForms.append(form)
      } else {
        limit.otherForms.append(form)
      }
    }
    if format.keeps.contains(.textures), let stage = use.environment.stages[.limitsTextures] {
      limit.textureLimiter = { stage.prepared(with: $0.options) { _, _, _ in } }
    }
    return limit
  }

  /// Whether an option may have another value than the output's to make it smaller.
  ///
  /// One that is not set may have what all readers know; one that has the default of a variable, any of its choices.
  private func mayChoose(
    _ option: JSONValue.Member, insteadOf written: [JSONValue.Member], isUsual: Bool
  ) -> Bool {
    guard let member = written.last(where: { $0.key == option.key }) else { return isUsual }
    guard let name = member.value.text?.wholeVariableName,
      let variable = use.document.variables.first(where: { $0.name == name }),
      case .declaration? = values[name, in: level]?.origin
    else { return false }
    guard let choices = variable.bounds.choices else { return isUsual }
    return choices.contains { $0.withoutPositions == option.value.withoutPositions }
  }
}

extension FormatRegistry {
  /// The ids of the readable formats, sorted.
  package var readableIDs: [String] {
    formats.filter { $0.reader != nil }.map(\.id).sorted()
  }
  /// The ids of the writable formats, sorted.
  package var writableIDs: [String] { writers.map(\.id).sorted() }
  /// The formats that can be written.
  package var writers: [FormatWriter] { formats.compactMap(\.writer) }

  /// The ids of the formats to which an option belongs; nil if there are none.
  func ids(ofWritersWith option: String) -> String? {
    let ids = writers.filter { $0.options.contains { $0.name == option } }.map(\.id)
    return ids.isEmpty ? nil : ids.joined(separator: ", ")
  }
}
