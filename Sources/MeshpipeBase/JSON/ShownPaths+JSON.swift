extension ShownPaths {
  /// A value whose strings have the names in place of the paths; in its text they may be escaped.
  package func readable(_ json: JSONValue) -> JSONValue {
    var json = json
    switch json.content {
    case .null, .bool, .number: break
    case .string(let text): json.content = .string(readable(text))
    case .array(let elements): json.content = .array(elements.map(readable))
    case .object(var members):
      for index in members.indices { members[index].value = readable(members[index].value) }
      json.content = .object(members)
    }
    return json
  }
}
