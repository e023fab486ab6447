import MeshpipeBase
import MeshpipeScene

/// The options of formats that outputs have.
extension PipelineResolver {
  /// Leaves out options of the format that the pipeline writes, if `-o` chose another one that lacks them.
  mutating func dropOptions(ofRenamedOutput index: Int) {
    let entry = outputs[index].entry
    guard let format = outputs[index].format, let file = entry.file?.value,
      let planned = environment.formats.writer(forPath: file), planned.id != format.id
    else { return }
    let known = Set(format.options.map(\.name))
    var kept: [JSONValue.Member] = []
    for member in entry.options {
      guard !known.contains(member.key),
        let declaration = planned.options.first(where: { $0.name == member.key })
      else {
        kept.append(member)
        continue
      }
      let path = entry.path["with"][member.key]
      if let value = substitute(member.value, at: path),
        value.withoutPositions != declaration.defaultValue.withoutPositions
      {
        warn(
          "'\(member.key)' of format '\(planned.id)' is left out, since '\(format.id)' has no such option",
          at: member.keyPosition, path)
      }
    }
    outputs[index].entry.options = kept
  }

  mutating func resolveFormatOptions(ofOutput index: Int) {
    let entry = outputs[index].entry
    let path = entry.path["with"]
    guard let format = outputs[index].format else {
      for member in entry.options { _ = substitute(member.value, at: path[member.key]) }
      return
    }
    let owner = "format '\(format.id)'"
    let declarations = format.options
    let writers = environment.formats.writers
    guard
      let members = resolve(
        options: entry.options, of: owner, declared: declarations, at: path, owner: entry.position,
        elsewhere: { Self.hint(at: writers, with: $0) })
    else { return }
    var faults: [(name: String?, position: SourcePosition, message: String)] = []
    let missing = format.checkOptions(members) { faults.append(($0, $1, $2)) }
    report(faults, of: owner, members, path, owner: entry.position)
    if let missing {
      report(
        "\(owner): \(missing.message)", at: members.first?.keyPosition ?? entry.position, path,
        exitCode: missing.exitCode)
    }
    outputs[index].options = members
  }

  /// The end of the message about an option that the format lacks, if others have it.
  private static func hint(at writers: [FormatWriter], with option: String) -> String? {
    formats(among: writers, with: option).map {
      "; remove it, or choose a format that has it: \($0)"
    }
  }

  /// The ids of the formats that have an option; nil if there are none.
  static func formats(among writers: [FormatWriter], with option: String) -> String? {
    let ids = writers.filter { $0.options.contains { $0.name == option } }.map(\.id)
    return ids.isEmpty ? nil : ids.joined(separator: ", ")
  }
}
