internal import CAssimp
import MeshpipeScene

/// FBX's axes and unit; Assimp passes them on and leaves the coordinates unchanged.
@unsafe
struct AssimpMetadata {
  private let metadata: UnsafePointer<aiMetadata>

  init?(of scene: UnsafePointer<aiScene>) {
    guard let metadata = unsafe scene.pointee.mMetaData else { return nil }
    unsafe self.metadata = unsafe UnsafePointer(metadata)
  }

  /// The coordinate system of the scene, if it is declared and valid.
  var coordinateSystem: CoordinateSystem? {
    guard let up = unsafe axis("Up"), let front = unsafe axis("Front"),
      let right = unsafe axis("Coord"), up.index != front.index
    else { return nil }
    // FBX's front axis points to the viewer.
    var system = CoordinateSystem(up: up, forward: front.opposite)
    if system.right != right.vector { system.handedness = .left }
    guard system.right == right.vector else { return nil }
    if let centimeters = unsafe number("UnitScaleFactor"), centimeters > 0, centimeters.isFinite {
      system.metersPerUnit = centimeters / 100
    }
    return system
  }

  private func axis(_ name: String) -> SignedAxis? {
    guard let index = unsafe number("\(name)Axis"), let sign = unsafe number("\(name)AxisSign")
    else { return nil }
    let axes: [SignedAxis] =
      sign < 0 ? [.negativeX, .negativeY, .negativeZ] : [.x, .y, .z]
    return Int(exactly: index).flatMap { axes.indices.contains($0) ? axes[$0] : nil }
  }

  private func number(_ key: String) -> Double? {
    for index in 0..<Int(unsafe metadata.pointee.mNumProperties) {
      guard unsafe metadata.pointee.mKeys[index].text == key else { continue }
      let entry = unsafe metadata.pointee.mValues[index]
      guard let data = unsafe entry.mData else { return nil }
      switch unsafe entry.mType {
      case AI_INT32: return unsafe Double(data.loadUnaligned(as: Int32.self))
      case AI_UINT64: return unsafe Double(data.loadUnaligned(as: UInt64.self))
      case AI_FLOAT: return unsafe Self.shortest(data.loadUnaligned(as: Float.self))
      case AI_DOUBLE:
        let value = unsafe data.loadUnaligned(as: Double.self)
        // It was converted to single precision before.
        return unsafe Double(Float(value)) == value ? Self.shortest(Float(value)) : value
      default: return nil
      }
    }
    return nil
  }

  /// The double that a person would have written: 0.1 for the float next to it.
  private static func shortest(_ number: Float) -> Double {
    Double(number.description) ?? Double(number)
  }
}

extension SignedAxis {
  /// The negated axis.
  fileprivate var opposite: SignedAxis {
    switch self {
    case .x: .negativeX
    case .y: .negativeY
    case .z: .negativeZ
    case .negativeX: .x
    case .negativeY: .y
    case .negativeZ: .z
    }
  }
}
