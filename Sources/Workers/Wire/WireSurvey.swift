import MeshpipeBase
import MeshpipeScene
import NativeLibraries

// The place of a scene on a map, in the header of a message; WireFormat gives the keys.

extension Survey {
  /// The members `referenceSystem`, if there is one, and `survey`.
  var wireMembers: [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    if let lattice {
      members.append(.init("steps", (0..<3).map { lattice.step[$0] }.json))
      members.append(.init("offset", (0..<3).map { lattice.offset[$0] }.json))
    }
    if !classCodes.isEmpty {
      let codes = classCodes.sorted { $0.key < $1.key }
      members.append(
        .init("classCodes", JSONValue(.object(codes.map { .init($0.key, Int($0.value).json) }))))
    }
    members.append(.init("unclassifiedCode", Int(unclassifiedCode).json))
    if let hasStandardTime {
      members.append(.init("hasStandardTime", JSONValue(.bool(hasStandardTime))))
    }
    if sourceID != 0 { members.append(.init("sourceID", Int(sourceID).json)) }
    if !systemName.isEmpty { members.append(.init("systemName", JSONValue(.string(systemName)))) }
    let survey = JSONValue.Member("survey", JSONValue(.object(members)))
    guard let referenceSystem else { return [survey] }
    return [.init("referenceSystem", referenceSystem.wireValue), survey]
  }

  /// Nil if the header has neither of the members.
  init?(_ header: WireHeader) throws(WireError) {
    guard header.has("referenceSystem") || header.has("survey") else { return nil }
    self.init()
    if header.has("referenceSystem") {
      referenceSystem = try ReferenceSystem(try header.object("referenceSystem"))
    }
    guard header.has("survey") else { return }
    let survey = try header.object("survey")
    if survey.has("steps") {
      let step = try survey.place("steps")
      guard (0..<3).allSatisfy({ step[$0] != 0 }) else {
        throw .header("'survey.steps' must be numbers other than 0")
      }
      lattice = Lattice(step: step, offset: try survey.place("offset"))
    }
    if survey.has("classCodes") {
      for member in try survey.members("classCodes") {
        guard case .number(let number) = member.value.content, let code = UInt8(exactly: number)
        else { throw survey.fault("classCodes", "whole numbers from 0 to 255 by names") }
        classCodes[member.key] = code
      }
    }
    if survey.has("unclassifiedCode") {
      unclassifiedCode = UInt8(clamping: try survey.count("unclassifiedCode", limit: 1))
    }
    if survey.has("hasStandardTime") { hasStandardTime = try survey.bool("hasStandardTime") }
    if survey.has("sourceID") {
      sourceID = UInt16(clamping: try survey.count("sourceID", limit: Int(UInt16.max)))
    }
    systemName = try survey.string("systemName", default: "")
  }
}

extension ReferenceSystem {
  fileprivate var wireValue: JSONValue {
    var members: [JSONValue.Member] = []
    if let code { members.append(.init("code", JSONValue(.string(code)))) }
    if let name { members.append(.init("name", JSONValue(.string(name)))) }
    members.append(.init("horizontalUnit", JSONValue(.number(horizontalUnit))))
    members.append(.init("verticalUnit", JSONValue(.number(verticalUnit))))
    if isLeft { members.append(.init("isLeft", true)) }
    if !records.isEmpty {
      members.append(.init("records", JSONValue(.array(records.map(\.wireValue)))))
    }
    return JSONValue(.object(members))
  }

  fileprivate init(_ header: WireHeader) throws(WireError) {
    self.init()
    if header.has("code") { code = try header.string("code") }
    if header.has("name") { name = try header.string("name") }
    if header.has("horizontalUnit") { horizontalUnit = try header.lengthUnit("horizontalUnit") }
    if header.has("verticalUnit") { verticalUnit = try header.lengthUnit("verticalUnit") }
    if header.has("isLeft") { isLeft = try header.bool("isLeft") }
    for record in try header.objects("records") { records.append(try Record(record)) }
  }
}

extension ReferenceSystem.Record {
  fileprivate var wireValue: JSONValue {
    [
      "user": JSONValue(.string(user)), "id": Int(id).json, "title": JSONValue(.string(title)),
      "base64": JSONValue(.string(URLText.base64(body))),
    ]
  }

  fileprivate init(_ header: WireHeader) throws(WireError) {
    guard let body = URLText.bytes(ofBase64: try header.string("base64").utf8) else {
      throw header.fault("base64", "bytes in base 64")
    }
    self.init(
      user: try header.string("user"),
      id: UInt16(clamping: try header.count("id", limit: Int(UInt16.max))),
      title: try header.string("title", default: ""), body: body)
  }
}

extension WireHeader {
  /// A place, or steps: three numbers that single precision can have, so that sums and quotients of them are finite.
  func place(_ key: String) throws(WireError) -> SIMD3<Double> {
    let numbers = try numbers(key, 3)
    guard numbers.allSatisfy({ abs($0) <= Double(Float.greatestFiniteMagnitude) }) else {
      throw .header("'\(path(of: key))' is beyond all places: single precision can't have it")
    }
    return SIMD3(numbers[0], numbers[1], numbers[2])
  }

  /// The length in metres of a unit of a map.
  fileprivate func lengthUnit(_ key: String) throws(WireError) -> Double {
    let meters = try number(key)
    guard (1e-6...1e6).contains(meters) else { throw fault(key, "a length from 1e-6 to 1e6 m") }
    return meters
  }
}
