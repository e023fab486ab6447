import MeshpipeBase
import MeshpipeScene

/// How a length that a stage takes relates to the size of the scan.
public enum LengthScope: Sendable {
  /// A part of the scan, such as a deviation or a thickness: nothing larger than the scan makes sense.
  case ofScan
  /// A tolerance, an error or a spacing, next to which the scan is large.
  case detail
  /// What the scan has to fit, such as a print bed, which may be larger.
  case aroundScan
  /// A place, or the range of something else, such as of a camera.
  case free
}

extension ParameterType {
  /// The scope of a length that does not say it.
  var usualScope: LengthScope {
    switch self {
    case .length, .relativeLength: .ofScan
    case .optional(let wrapped): wrapped.usualScope
    default: .free
    }
  }
}
