package import MeshpipeBase

/// The user's interpretation of the frames' poses, which overrides their layout.
public struct PoseReading: Sendable, Equatable {
  /// The convention of the poses' numbers.
  public var convention: PoseConvention?
  /// The up axis of their world.
  public var up: SignedAxis?
  /// The length of a unit of their world.
  public var metersPerUnit: Double?
  /// Whether frames that don't fit the mesh are used anyway.
  public var keepsMisfits: Bool
  /// Whether images and depth maps are used whole, whatever masks there are.
  public var ignoresMasks: Bool

  /// Creates an interpretation; by default that of the layout.
  public init(
    convention: PoseConvention? = nil, up: SignedAxis? = nil, metersPerUnit: Double? = nil,
    keepsMisfits: Bool = false, ignoresMasks: Bool = false
  ) {
    self.ignoresMasks = ignoresMasks
    self.convention = convention
    self.up = up
    self.metersPerUnit = metersPerUnit
    self.keepsMisfits = keepsMisfits
  }

  /// The axes and unit of the world if anything is given, the rest as in `known`.
  package func coordinateSystem(otherwise known: CoordinateSystem) -> CoordinateSystem? {
    guard up != nil || metersPerUnit != nil else { return nil }
    return known.reread(up: up == known.up ? nil : up, metersPerUnit: metersPerUnit)
  }

  /// As JSON, without values that are not given.
  package var json: JSONValue {
    var members: [JSONValue.Member] = []
    if let convention { members.append(.init("convention", JSONValue(.string(convention.text)))) }
    if let up { members.append(.init("up", JSONValue(.string(up.rawValue)))) }
    if let metersPerUnit {
      members.append(.init("metersPerUnit", JSONValue(.number(metersPerUnit))))
    }
    if keepsMisfits { members.append(.init("keepsMisfits", true)) }
    if ignoresMasks { members.append(.init("ignoresMasks", true)) }
    return JSONValue(.object(members))
  }

  /// Reads the result of ``json``.
  package init(_ json: JSONValue) {
    self.init(
      convention: json["convention"]?.text.flatMap { PoseConvention(text: $0) },
      up: json["up"]?.text.flatMap { SignedAxis(rawValue: $0) },
      metersPerUnit: json["metersPerUnit"]?.number,
      keepsMisfits: json["keepsMisfits"]?.isTrue ?? false,
      ignoresMasks: json["ignoresMasks"]?.isTrue ?? false)
  }
}
