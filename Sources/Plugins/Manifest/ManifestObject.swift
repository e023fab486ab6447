import MeshPipeline

/// Where the mistakes of a manifest are gathered.
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

/// An object of a manifest: typed access to its members, each miss a diagnostic with its place.
struct ManifestObject {
  let path: JSONPath
  let position: SourcePosition
  let members: [JSONValue.Member]
  private let diagnostics: ManifestDiagnostics

  /// - Parameters:
  ///   - owner: What the object is, for messages: `stage 'smooth'`.
  ///   - keys: The keys that it may have; nil for any.
  /// - Returns: Nil when it is none, which is reported.
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
      let hint = near.map { "did you mean '\($0)'?" } ?? "there are \(keys.joined(separator: ", "))"
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

  /// Reports that a value is of another kind than it has to be.
  private func reportKind(_ key: String, _ expected: String, _ value: JSONValue) {
    report("'\(key)' must be \(expected), found \(value.kindDescription)", at: key)
  }

  /// A string, fit for a terminal; nil when it is left out.
  func text(_ key: String) -> String? {
    guard let value = value(key) else { return nil }
    guard case .string(let text) = value.content else {
      reportKind(key, "a string", value)
      return nil
    }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).withoutControlCharacters }.joined(separator: "\n")
  }

  /// A string that has to be there.
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

  /// An object in this one; nil when it is left out or none.
  func object(_ key: String, _ owner: String, keys: [String]?) -> ManifestObject? {
    guard let value = value(key) else { return nil }
    return ManifestObject(value, at: path[key], owner, keys: keys, diagnostics)
  }

  /// The objects of an array in this one.
  func objects(_ key: String, _ owner: String, keys: [String]) -> [ManifestObject] {
    elements(key).enumerated().compactMap { index, element in
      ManifestObject(element, at: path[key][index], owner, keys: keys, diagnostics)
    }
  }
}
