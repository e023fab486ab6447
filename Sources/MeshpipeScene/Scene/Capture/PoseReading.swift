package import MeshpipeBase

/// What happens to frames that don't fit the mesh of their scan.
public enum Misfits: String, Sendable {
  /// They are left out, or the capture is refused; cameras that are off the mesh are corrected.
  case refused
  /// They stay, with a warning; cameras that are off the mesh are corrected.
  case shown
  /// They stay, and no camera is moved: the user knows better.
  case kept
}

/// The user's interpretation of a capture, which overrides its layout.
public struct PoseReading: Sendable, Equatable {
  /// The convention of the poses' numbers.
  public var convention: PoseConvention?
  /// The up axis of their world.
  public var up: SignedAxis?
  /// The length of a unit of their world.
  public var metersPerUnit: Double?
  /// What happens to frames that don't fit the mesh.
  public var misfits: Misfits
  /// Whether images and depth maps are used whole, whatever masks there are.
  public var ignoresMasks: Bool
  /// The name of the file of the capture's mesh; nil for the one that fits best.
  public var mesh: String?

  /// Creates an interpretation; by default that of the layout.
  public init(
    convention: PoseConvention? = nil, up: SignedAxis? = nil, metersPerUnit: Double? = nil,
    misfits: Misfits = .refused, ignoresMasks: Bool = false, mesh: String? = nil
  ) {
    self.mesh = mesh
    self.ignoresMasks = ignoresMasks
    self.convention = convention
    self.up = up
    self.metersPerUnit = metersPerUnit
    self.misfits = misfits
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
    if misfits != .refused {
      members.append(.init("misfits", JSONValue(.string(misfits.rawValue))))
    }
    if ignoresMasks { members.append(.init("ignoresMasks", true)) }
    if let mesh { members.append(.init("mesh", JSONValue(.string(mesh)))) }
    return JSONValue(.object(members))
  }
}
