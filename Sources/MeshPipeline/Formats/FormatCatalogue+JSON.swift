import MeshpipeBase

extension FormatCatalogue {
  /// All formats as JSON, for programs.
  package var json: JSONValue { JSONValue(.array(entries.map(\.json))) }
}

extension FormatCatalogue.Entry {
  /// The format as JSON: names, directions, and the features kept.
  package var json: JSONValue {
    func text(_ string: String) -> JSONValue { JSONValue(.string(string)) }
    var members: [JSONValue.Member] = [
      .init("id", text(id)), .init("name", text(name)),
      .init("extensions", JSONValue(.array(extensions.map(text)))),
      .init("reads", JSONValue(.bool(isReadable))),
      .init("writes", JSONValue(.bool(writing != nil))),
    ]
    if let writing {
      members += [
        .init("keeps", JSONValue(.array(writing.keeps.sorted().map { text($0.rawValue) }))),
        .init("axes", text(writing.axes.description)), .init("remark", text(writing.remark)),
        .init("options", JSONValue(.array(writing.options.map(\.json)))),
      ]
    }
    if let plugin { members.append(.init("plugin", text(plugin))) }
    return JSONValue(.object(members))
  }
}
