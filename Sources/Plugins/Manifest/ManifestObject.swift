import MeshPipeline

/// Collects the mistakes of a manifest.
final class ManifestDiagnostics {
  let file: String
  private(set) var list: [Diagnostic]

  init(file: String, _ list: [Diagnostic] = []) {
    self.file = file
    self.list = list
  }

  func report(_ message: String, at position: SourcePosition, _ path: JSONPath) {
    list.append(
      Diagnostic(
        file: file, position: position, path: path, message: message, exitCode: .unavailable))
  }
}

/// Typed access to the members of a manifest's object; each mismatch is a diagnostic with its
/// position.
struct ManifestObject {
  let path: JSONPath
  let position: SourcePosition
  let members: [JSONValue.Member]
  private let diagnostics: ManifestDiagnostics

  /// - Parameters:
  ///   - owner: The object for messages: `stage 'smooth'`.
  ///   - keys: The allowed keys; nil for any.
  /// - Returns: Nil if it is not an object, which is reported.
  init?(
    _ value: JSONValue, at path: JSONPath, _ owner: String, keys: [String]?,
    _ diagnostics: ManifestDiagnostics
  ) {
    guard case .object(let members) = value.content else {
      diagnostics.report(
        "\(owner) must be an object, found \(value.kindDescription)", at: value.position, path)
      return nil
    }
    self.path = path
    self.members = members
    self.diagnostics = diagnostics
    position = value.position
    guard let keys else { return }
    for member in members where !keys.contains(member.key) {
      let near = nearestName(to: member.key, in: keys)
      let hint =
        near.map { "did you mean '\($0)'?" } ?? "known keys: \(keys.joined(separator: ", "))"
      diagnostics.report(
        "unknown key '\(member.key)' of \(owner); \(hint)", at: member.keyPosition,
        path[member.key])
    }
  }

  func value(_ key: String) -> JSONValue? { members.first { $0.key == key }?.value }

  func report(_ message: String, at key: String? = nil) {
    guard let key, let value = value(key) else {
      return diagnostics.report(message, at: position, path)
    }
    diagnostics.report(message, at: value.position, path[key])
  }

  /// Reports that a value has the wrong type.
  private func reportKind(_ key: String, _ expected: String, _ value: JSONValue) {
    report("'\(key)' must be \(expected), found \(value.kindDescription)", at: key)
  }

  /// A string, safe for a terminal; nil if absent.
  func text(_ key: String) -> String? {
    guard let value = value(key) else { return nil }
    guard case .string(let text) = value.content else {
      reportKind(key, "a string", value)
      return nil
    }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).withoutControlCharacters }.joined(separator: "\n")
  }

  /// A required string.
  func requiredText(_ key: String, _ purpose: String) -> String? {
    if value(key) == nil { report("\"\(key)\" is missing: \(purpose)") }
    return text(key)
  }

  func bool(_ key: String) -> Bool? {
    guard let value = value(key) else { return nil }
    guard case .bool(let flag) = value.content else {
      reportKind(key, "true or false", value)
      return nil
    }
    return flag
  }

  func number(_ key: String, in range: ClosedRange<Double>) -> Double? {
    guard let value = value(key) else { return nil }
    guard case .number(let number) = value.content, range.contains(number) else {
      let bounds =
        "\(JSONValue.text(of: range.lowerBound)) to \(JSONValue.text(of: range.upperBound))"
      report("'\(key)' must be a number from \(bounds), found \(value.compactText)", at: key)
      return nil
    }
    return number
  }

  func elements(_ key: String) -> [JSONValue] {
    guard let value = value(key) else { return [] }
    guard case .array(let elements) = value.content else {
      reportKind(key, "an array", value)
      return []
    }
    return elements
  }

  func texts(_ key: String) -> [String] {
    var texts: [String] = []
    for (index, element) in elements(key).enumerated() {
      guard case .string(let text) = element.content, !text.contains("\0") else {
        diagnostics.report(
          "expected a string, found \(element.kindDescription)", at: element.position,
          path[key][index])
        continue
      }
      texts.append(text)
    }
    return texts
  }

  /// A nested object; nil if absent or invalid.
  func object(_ key: String, _ owner: String, keys: [String]?) -> ManifestObject? {
    guard let value = value(key) else { return nil }
    return ManifestObject(value, at: path[key], owner, keys: keys, diagnostics)
  }

  /// The objects of a nested array.
  func objects(_ key: String, _ owner: String, keys: [String]) -> [ManifestObject] {
    elements(key).enumerated().compactMap { index, element in
      ManifestObject(element, at: path[key][index], owner, keys: keys, diagnostics)
    }
  }
}
