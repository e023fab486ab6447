public import MeshPipeline
import NativeLibraries

/// Why the scale of a scene is not known, or not as it should be.
public struct ScaleFailure: StageFailure, Equatable {
  public let message: String

  static let noPhotographs = ScaleFailure(
    message:
      "the scan has no photographs in which markers could be found; give the capture's folder as the input, or its "
      + "frames with '--frames'")

  static func noMarkers(
    _ dictionaries: [MarkerDictionary], photographs: Int, unclear: Int, others: [MarkerDictionary]
  ) -> ScaleFailure {
    guard photographs > 0 else {
      return ScaleFailure(
        message: "none of the photographs can be read, so that no marker is found")
    }
    let tried = dictionaries.map(\.rawValue).joined(separator: ", ")
    var message = "no marker of \(tried) is in \(photographs) photographs"
    if unclear > 0 {
      message +=
        " but \(unclear) too small or too faint to be measured; go nearer, or print them larger"
    } else if others.isEmpty {
      message +=
        ", nor one of another dictionary; they need a white border, light, and 20 pixels at least"
    } else {
      let names = others.map { "'\($0.rawValue)'" }.joined(separator: ", ")
      message += "; there are markers of \(names): is that the dictionary?"
    }
    return ScaleFailure(message: message)
  }

  static func allRepeated(_ dictionaries: [MarkerDictionary]) -> ScaleFailure {
    let tried = dictionaries.map(\.rawValue).joined(separator: ", ")
    return ScaleFailure(
      message: "each marker of \(tried) is there more than once; print each number once")
  }

  static func seenFromOnePlace(_ names: String) -> ScaleFailure {
    ScaleFailure(
      message:
        "photographs show the markers from one place only (\(names)), which says nothing of their size; photograph "
        + "each from two places at least")
  }

  static func moving(_ names: String) -> ScaleFailure {
    ScaleFailure(
      message:
        "the markers are elsewhere in each photograph (\(names)): fix them to what does not move; if they were, the "
        + "poses are wrong, which 'refine-poses' may mend")
  }

  static func nothingMeasured(_ names: [String]) -> ScaleFailure {
    ScaleFailure(
      message:
        "nothing was found of \(names.joined(separator: ", nor of ")), so that the scale is not known"
    )
  }

  static func unknownDictionary(_ number: Int, option: String) -> ScaleFailure {
    ScaleFailure(
      message:
        "marker \(number) of '\(option)' may be of several dictionaries; say which, like 'aruco-5x5-50/\(number)'"
    )
  }

  static func contradiction(_ parts: [String]) -> ScaleFailure {
    ScaleFailure(
      message:
        "the known sizes contradict each other: the scale is by \(parts.joined(separator: ", by ")); measure them again"
    )
  }

  static func implausible(_ summary: String, scale: Double) -> ScaleFailure {
    let factor = scale > 1 ? scale : 1 / scale
    let known = [
      (10.0, "10: a size in mm or cm"), (1000, "1000: a size in m or mm"),
      (25.4, "25.4: a size in inches"), (2.54, "2.54: a size in inches"),
      (100, "100: a size in m or cm"),
    ]
    let hint = known.first { abs(factor / $0.0 - 1) < 0.05 }.map { " (nearly \($0.1)?)" } ?? ""
    return ScaleFailure(
      message:
        "\(summary) is too far from 1 to be an error of a phone\(hint); check the sizes: that of a marker is the side of "
        + "its black square. For a scan of unknown scale give 'maximumChange: 0'")
  }

  static func beyondTolerance(_ summary: String, _ tolerance: String) -> ScaleFailure {
    ScaleFailure(
      message:
        "\(summary): more than \(tolerance) from 1; 'set-scale' with the same options corrects it")
  }
}
