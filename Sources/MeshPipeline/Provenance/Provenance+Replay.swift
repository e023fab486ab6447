package import MeshpipeBase

extension Provenance {
  /// Whether the pipeline can be made again.
  package enum Replay: Sendable, Equatable {
    /// The pipeline file, and what else the run was told.
    case pipeline(JSONValue, settings: [JSONValue.Member])
    /// Why it can't.
    case impossible(String)
  }

  /// The pipeline that makes the file again from the same inputs, with the same provenance.
  ///
  /// - Parameter fileExtension: That of the output's format, by its identifier.
  package func replay(fileExtension: (String) -> String?) -> Replay {
    guard let pipeline = json["pipeline"], let output = pipeline["output"],
      let stages = pipeline["stages"]
    else { return .impossible("its provenance is short and does not say which stages ran") }
    if output["from"]?.elements.isEmpty == false {
      return .impossible("it holds several levels, which one pipeline without levels can't make")
    }
    let format = output["format"]?.text ?? ""
    switch pipeline["unreplayable"]?.text {
    case "levels"?:
      return .impossible(
        "its stages run for levels, and a pipeline without levels can't name them so"
      )
    case "size"?:
      return .impossible(
        "its 'maximumBytes' may choose among options of the format, which a pipeline made again has fixed"
      )
    default: break
    }
    guard case .object(let outputMembers) = output.content,
      let ending = fileExtension(format)
    else { return .impossible("no format '\(format)' is known") }
    var members: [JSONValue.Member] = [
      .init("meshpipe", 1), .init("name", pipeline["name"] ?? ""), .init("provenance", "full"),
    ]
    if let inputs = pipeline["inputs"] {
      members.append(
        .init("inputs", JSONValue(.array(inputs.elements.map { Self.input($0).escaped }))))
    }
    members += [
      .init("stages", JSONValue(.array(stages.elements.map { $0.without(["plugin"]).escaped }))),
      .init(
        "outputs",
        JSONValue(
          .array([
            JSONValue(
              .object(
                [.init("path", "${stem}.\(ending)".json)]
                  + outputMembers.map { .init($0.key, $0.value.escaped) }))
          ]))),
    ]
    guard case .object(let settings) = (json["settings"] ?? JSONValue(.object([]))).content else {
      return .impossible("its settings are damaged")
    }
    return .pipeline(JSONValue(.object(members)), settings: settings)
  }

  /// A further scan, as pipeline files name it: by the name of its file.
  private static func input(_ value: JSONValue) -> JSONValue {
    guard case .object(let members) = value.without(["format", "plugin", "frames"]).content else {
      return value
    }
    return JSONValue(
      .object(
        members.map { member in
          guard member.key == "metersPerUnit", let meters = member.value.number else {
            return member
          }
          return .init("unit", (Length.units.filter { $0.value == meters }.keys.min() ?? "m").json)
        }))
  }
}

extension JSONValue {
  /// An object without some of its members.
  fileprivate func without(_ keys: Set<String>) -> JSONValue {
    guard case .object(let members) = content else { return self }
    return JSONValue(.object(members.filter { !keys.contains($0.key) }))
  }

  /// The same value in a pipeline file, in which `${` begins a variable.
  fileprivate var escaped: JSONValue {
    switch content {
    case .string(let text): text.replacing("${", with: "$${").json
    case .array(let elements): JSONValue(.array(elements.map(\.escaped)))
    case .object(let members):
      JSONValue(.object(members.map { .init($0.key, $0.value.escaped) }))
    case .null, .bool, .number: self
    }
  }
}
