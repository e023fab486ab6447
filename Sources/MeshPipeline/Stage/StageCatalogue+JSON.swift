import MeshpipeBase
import MeshpipeScene

extension StageCatalogue {
  /// All stages as JSON, for programs.
  package var json: JSONValue { JSONValue(.array(entries.map(\.json))) }
}

extension StageDefinition {
  /// The stage as JSON: its texts, its parameters with types, defaults and bounds, and its data flow.
  package var json: JSONValue {
    func names(_ features: Set<SceneFeature>) -> JSONValue {
      JSONValue(.array(features.sorted().map { JSONValue(.string($0.rawValue)) }))
    }
    let plugin = origin.map { [JSONValue.Member("plugin", $0.json)] } ?? []
    let json: JSONValue = [
      "name": JSONValue(.string(name)),
      "summary": JSONValue(.string(summary)),
      "discussion": JSONValue(.string(discussion)),
      "parameters": JSONValue(.array(parameters.map(\.json))),
      "needs": names(dataFlow.needs),
      "makes": names(dataFlow.makes),
      "removes": names(dataFlow.removes),
      "example": JSONReader.read(Array(example.utf8)).value?.withoutPositions
        ?? JSONValue(.string(example)),
    ]
    guard case .object(let members) = json.content else { return json }
    return JSONValue(.object(members + plugin))
  }
}

extension ParameterDeclaration {
  /// The declaration as JSON.
  package var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", JSONValue(.string(name))), .init("type", JSONValue(.string(type.name))),
      .init("help", JSONValue(.string(help))), .init("required", JSONValue(.bool(isRequired))),
    ]
    if !isRequired { members.append(.init("default", defaultValue)) }
    if let range {
      if range.lowerBound.isFinite {
        members.append(.init("minimum", JSONValue(.number(range.lowerBound))))
      }
      if range.upperBound.isFinite, range.upperBound != .greatestFiniteMagnitude {
        members.append(.init("maximum", JSONValue(.number(range.upperBound))))
      }
    }
    return JSONValue(.object(members))
  }
}

extension StageOrigin {
  /// The origin as JSON, for reports and pages.
  package var json: JSONValue {
    ["name": plugin.json, "version": version.json, "fingerprint": fingerprint.json]
  }
}
