public import MeshPipeline

/// Why a scan can't be put on a map.
public struct GeoreferenceFailure: StageFailure, Equatable {
  public let message: String

  static let nothingKnown = GeoreferenceFailure(
    message:
      "nothing says where the scan is: its photographs have no positions of GPS in their EXIF data; give control points "
      + "with 'points', such as '7 = [451234.12, 5764321.55, 87.3]'")

  static let tooFewPhotographs = GeoreferenceFailure(
    message:
      "fewer than three photographs have positions of GPS, which is too few to trust; give control points with 'points'"
  )

  static let noHeading = GeoreferenceFailure(
    message:
      "one control point says where the scan is, not how it is turned: give a second one, or 'heading', the bearing of "
      + "the scan's forward axis")

  static func turnUnknown(spread: String, error: String, turn: String) -> GeoreferenceFailure {
    GeoreferenceFailure(
      message:
        "how the scan is turned is known to ± \(turn) only: its photographs were taken within \(spread), their positions are "
        + "right to \(error), and the directions in their EXIF data do not tell better; give 'heading', the bearing of the "
        + "scan's forward axis, or control points")
  }

  static let undetermined = GeoreferenceFailure(
    message:
      "the control points do not determine the place of the scan: they lie above one another, or on a line; take some "
      + "that are farther apart")

  static func repeated(_ name: String) -> GeoreferenceFailure {
    GeoreferenceFailure(message: "control point '\(name)' is given twice; keep one")
  }

  static func missing(_ names: [String]) -> GeoreferenceFailure {
    GeoreferenceFailure(
      message:
        "no control point was found: none of the markers \(names.joined(separator: ", ")) is in two photographs or more"
    )
  }

  static func disagreement(
    _ residuals: [String], culprit: String?, scale: String?, tolerance: String
  ) -> GeoreferenceFailure {
    var message =
      "the control points do not fit the scan within \(tolerance): \(residuals.joined(separator: ", "))"
    if let culprit {
      message += "; without '\(culprit)' the others agree: check its coordinates"
    } else if let scale {
      message +=
        "; with a scale of \(scale) they would agree: 'scale: true' takes it, 'set-scale' measures it by other means"
    } else {
      message +=
        "; check their coordinates and their order (east, north, height), or give a larger 'tolerance'"
    }
    return GeoreferenceFailure(message: message)
  }

  static func noMap(_ code: String, _ name: String) -> GeoreferenceFailure {
    GeoreferenceFailure(
      message:
        "\(code) (\(name)) is not a map in metres or feet; give the code of a projected system, as that of a zone of UTM"
    )
  }

  static func unknownCode(_ code: String) -> GeoreferenceFailure {
    GeoreferenceFailure(message: "PROJ knows no reference system \(code)")
  }

  static func outside(_ code: String) -> GeoreferenceFailure {
    GeoreferenceFailure(
      message: "the photographs were taken outside of the area of \(code); is that the map?")
  }

  static let mapWithoutPlace = GeoreferenceFailure(
    message: "'system: utm' needs a zone for control points: give its code, such as EPSG:32632")
}
