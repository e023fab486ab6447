extension ShownPaths {
  /// A value whose strings have the names in place of the paths; in its text they may be escaped.
  package func readable(_ json: JSONValue) -> JSONValue { json.mappingStrings(readable) }

  /// A value whose strings a lasting file may have.
  package func lasting(_ json: JSONValue) -> JSONValue { json.mappingStrings(lasting) }

  /// The value of which ``lasting(_:)-(JSONValue)`` was made.
  package func restored(_ json: JSONValue) -> JSONValue { json.mappingStrings(restored) }

  /// The value of which ``lasting(_:)-(JSONValue)`` was made, with names in place of paths.
  package static func named(_ json: JSONValue) -> JSONValue { json.mappingStrings(named) }
}

extension JSONValue {
  /// The value with other strings.
  fileprivate func mappingStrings(_ change: (String) -> String) -> JSONValue {
    var json = self
    switch content {
    case .null, .bool, .number: break
    case .string(let text): json.content = .string(change(text))
    case .array(let elements):
      json.content = .array(elements.map { $0.mappingStrings(change) })
    case .object(var members):
      for index in members.indices {
        members[index].value = members[index].value.mappingStrings(change)
      }
      json.content = .object(members)
    }
    return json
  }
}
