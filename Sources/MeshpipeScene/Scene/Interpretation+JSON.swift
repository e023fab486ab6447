public import MeshpipeBase

extension Interpretation {
  /// The answers, each with its aspect, value, source and reason, for reports.
  public var json: JSONValue {
    JSONValue(.array(answers.map(\.json)))
  }
}

extension Interpretation.Answer {
  fileprivate var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("aspect", JSONValue(.string(aspect.rawValue))),
      .init("value", JSONValue(.string(value))),
      .init("source", JSONValue(.string(source.rawValue))),
    ]
    if !reason.isEmpty { members.append(.init("reason", JSONValue(.string(reason)))) }
    if !option.isEmpty { members.append(.init("option", JSONValue(.string(option)))) }
    return JSONValue(.object(members))
  }
}
