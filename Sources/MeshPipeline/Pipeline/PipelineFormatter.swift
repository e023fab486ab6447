import MeshpipeBase

/// Rewrites a pipeline file in its normal form.
package enum PipelineFormatter {
  /// The file can't be rewritten without loss.
  package struct Fault: UserError {
    package var message: String
    package var exitCode: ExitCode { .configuration }
  }

  /// The text of a file in its normal form: keys in the order of the documentation, short objects
  /// on one line.
  ///
  /// - Throws: ``Fault`` for a file with comments, ``InvalidPipeline`` for invalid JSON.
  package static func format(_ text: String, file: String) throws -> String {
    let bytes = Array(text.utf8)
    let result = JSONReader.read(bytes, file: file)
    guard let value = result.value, result.diagnostics.isEmpty else {
      throw InvalidPipeline(result.diagnostics)
    }
    if JSONReader.holdsComments(bytes) {
      throw Fault(
        message: "\(file): has comments, which the normal form can't keep; move them to 'note' and "
          + "'description'")
    }
    return ordered(value).prettyText
  }

  private typealias Keys = PipelineDocument.Keys

  private static func ordered(_ root: JSONValue) -> JSONValue {
    guard case .object(let members) = root.content else { return root }
    return object(
      members.map { member in
        var member = member
        switch member.key {
        case "variables": member.value = eachMember(of: member.value, Keys.variable)
        case "levels": member.value = eachMember(of: member.value, Keys.level)
        case "inputs": member.value = eachElement(of: member.value, Keys.input)
        case "stages": member.value = eachElement(of: member.value, Keys.stage)
        case "outputs": member.value = eachElement(of: member.value, Keys.output)
        default: break
        }
        return member
      }, Keys.document)
  }

  /// An object with its members in the order of some keys, and the others after them.
  private static func object(_ members: [JSONValue.Member], _ keys: [String]) -> JSONValue {
    func rank(_ key: String) -> Int { keys.firstIndex(of: key) ?? keys.count }
    let sorted = members.enumerated().sorted { one, two in
      (rank(one.element.key), one.offset) < (rank(two.element.key), two.offset)
    }
    return JSONValue(.object(sorted.map(\.element)))
  }

  private static func ordered(_ value: JSONValue, _ keys: [String]) -> JSONValue {
    guard case .object(let members) = value.content else { return value }
    return object(members, keys)
  }

  private static func eachElement(of value: JSONValue, _ keys: [String]) -> JSONValue {
    guard case .array(let elements) = value.content else { return value }
    return JSONValue(.array(elements.map { ordered($0, keys) }))
  }

  private static func eachMember(of value: JSONValue, _ keys: [String]) -> JSONValue {
    guard case .object(let members) = value.content else { return value }
    return JSONValue(.object(members.map { .init($0.key, ordered($0.value, keys)) }))
  }
}
