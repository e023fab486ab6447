public import MeshPipeline

/// The gates for a kind of capture, with their limits.
public struct GatePreset: ParameterValue, Equatable {
  /// The name; nil for one of a file.
  public let name: String?
  /// What the preset is for; empty if it does not say.
  public let description: String
  let limits: [GateKind: [Double]]
  /// In seconds, how long a camera must stand still.
  let lockTime: Double
  /// The gates that refuse a capture of which nothing is known there.
  let required: [GateKind]
  /// The preset as written.
  private let source: JSONValue

  /// The presets with a name, the usual one first.
  public static let builtIn: [GatePreset] = [scan, `static`, occlusion]
  /// A walk around a room or an object.
  public static let scan = GatePreset("scan", scanText)
  /// A camera on a tripod.
  public static let `static` = GatePreset("static", staticText)
  /// A camera on a tripod, and something that hides the background for a while.
  public static let occlusion = GatePreset("occlusion", occlusionText)

  private static let usualLockTime = 2.0

  /// A name of a preset, or a file.
  public static let parameterType = ParameterType.choiceOrFile(["scan", "static", "occlusion"])

  /// The name, or the contents of the file.
  public var json: JSONValue { name?.json ?? source }

  /// Accepts the name of a preset, or an object in the form of a file.
  public init(json: JSONValue) throws(ParameterFault) {
    if case .object(let members) = json.content {
      try self.init(members)
    } else {
      try Self.parameterType.check(json)
      guard let preset = Self.builtIn.first(where: { $0.name == json.text }) else {
        throw .expected("the name of a preset", json)
      }
      self = preset
    }
  }

  /// A preset of the program.
  private init(_ name: String, _ text: String) {
    do throws(ParameterFault) {
      guard case .object(let members)? = JSONReader.read(Array(text.utf8)).value?.content else {
        preconditionFailure("the preset '\(name)' is not JSON")
      }
      try self.init(members, named: name)
    } catch {
      preconditionFailure("the preset '\(name)': \(error.message)")
    }
  }

  private init(_ members: [JSONValue.Member], named name: String? = nil) throws(ParameterFault) {
    var base: GatePreset?
    if let member = members.first(where: { $0.key == "preset" }) {
      guard case .string = member.value.content else {
        throw .at(member.value, "'preset' must be the name of a preset")
      }
      do throws(ParameterFault) { base = try GatePreset(json: member.value) } catch {
        throw .at(member.value, error.message)
      }
    }
    var limits = base?.limits ?? [:]
    var lockTime = base?.lockTime ?? Self.usualLockTime
    var required = base?.required ?? []
    var description = base?.description ?? ""
    var given: [GateKind: String] = [:]
    for member in members where member.key != "preset" {
      let value = member.value
      do throws(ParameterFault) {
        switch member.key {
        case "description": description = try String(json: value)
        case "require": required = try [GateKind](json: value)
        case "lockTime":
          lockTime = try Double(json: value)
          guard (0.01...60).contains(lockTime) else {
            throw ParameterFault("must be from 0.01 to 60")
          }
        default:
          let kind = try GateKind(option: member)
          let numbers = try [Double](json: value)
          guard CaptureGate.Limits(numbers, of: kind) != nil else {
            throw ParameterFault("must be \(kind.limitsText)")
          }
          limits[kind] = numbers
          guard given.updateValue(member.key, forKey: kind) == nil else {
            throw ParameterFault("is given under its former name, too", at: member.keyPosition)
          }
        }
      } catch {
        throw ParameterFault(
          error.position == member.keyPosition ? error.message : "'\(member.key)' \(error.message)",
          at: error.position ?? value.position)
      }
    }
    if let missing = required.first(where: { limits[$0] == nil }) {
      let place = members.first { $0.key == "require" }?.value.position
      throw ParameterFault(
        "'require' names '\(missing.rawValue)', for which there is no '\(missing.rule.option)'",
        at: place)
    }
    self.name = name
    self.description = description
    self.limits = limits
    self.lockTime = lockTime
    self.required = required
    source = JSONValue(.object(members)).withoutPositions
  }

  /// A list item on the preset, for documentation.
  var summary: String {
    let gates = GateKind.allCases.compactMap { kind in
      limits[kind].map { numbers in
        "`\(kind.rule.option)` \(numbers.map { JSONValue.text(of: $0) }.joined(separator: ", "))"
      }
    }
    let needs =
      required.isEmpty ? "" : " Requires \(required.map(\.rawValue).joined(separator: ", "))."
    return "- **\(name ?? "")**: \(description) Gates: \(gates.joined(separator: "; ")).\(needs)"
  }
}

extension GateKind {
  /// The gate of an option in a file.
  fileprivate init(option member: JSONValue.Member) throws(ParameterFault) {
    let named = Self.allCases.first { [$0.rule.option, $0.rule.formerOption].contains(member.key) }
    guard let kind = named else {
      let known =
        ["preset", "description", "lockTime", "require"] + Self.allCases.map(\.rule.option)
      let gate = GateKind(rawValue: member.key).map(\.rule.option)
      let hint = (gate ?? nearestName(to: member.key, in: known)).map { "; did you mean '\($0)'?" }
      throw ParameterFault("unknown gate '\(member.key)'" + (hint ?? ""), at: member.keyPosition)
    }
    self = kind
  }
}

extension ParameterFault {
  fileprivate static func at(_ value: JSONValue, _ message: String) -> ParameterFault {
    ParameterFault(message, at: value.position)
  }
}
