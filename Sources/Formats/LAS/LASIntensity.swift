import MeshPipeline

extension [CustomAttribute] {
  /// The same with the intensity under the name of LAS, in the range of its field.
  ///
  /// CloudCompare and others write it as `scalar_Intensity`, with fractions from 0 to 1 as in PTS, or as floats with
  /// values of 8, 12 or 16 bits. Fractions would all become 0 or 1, so that they are scaled.
  func withIntensity(in context: WritingContext) -> Self {
    var result = self
    let name = LASIntensity.field
    if result[name]?.width != 1 {
      guard let other = first(where: { $0.width == 1 && LASIntensity.isIntensity($0.name) }) else {
        return self
      }
      result[other.name] = nil
      result[name] = CustomAttribute(name, values: other.values)
    }
    guard let found = result[name], let scaled = LASIntensity(found.values).scaled(in: context)
    else { return result }
    result[name] = CustomAttribute(name, values: scaled)
    return result
  }
}

/// The range of an intensity, by its values.
private struct LASIntensity {
  private let values: CustomAttribute.Values
  private var least = Double.infinity
  private var most = -Double.infinity
  /// Whether a value between 0 and 1 is neither.
  private var hasFractions = false

  /// The name of the field, that of laspy and PDAL.
  static let field = "intensity"
  /// The largest value of the field.
  private static let largest = 65_535.0

  /// Whether an attribute is the intensity by its name, in the spelling of CloudCompare and other programs.
  static func isIntensity(_ name: String) -> Bool {
    let words = name.lowercased().split { !$0.isLetter && !$0.isNumber }
    let own = words.filter { !["scalar", "field", "scalarfield", "sf"].contains($0) }
    return own.count == 1
      && ["intensity", "intensities", "reflectance", "remission"].contains(own[0])
  }

  init(_ values: CustomAttribute.Values) {
    self.values = values
    guard values.type != .uint16, values.type != .uint8 else { return }
    for value in values.doubles where value.isFinite {
      least = min(least, value)
      most = max(most, value)
      hasFractions = hasFractions || value > 0 && value < 1
    }
  }

  /// The values as the field can hold them, with a warning of what changes; nil if it can as they are.
  func scaled(in context: WritingContext) -> CustomAttribute.Values? {
    guard least <= most else { return nil }
    let (from, to): (ClosedRange<Double>, String)
    if least >= 0, most <= 1 {
      guard hasFractions else { return nil }
      (from, to) = (0...1, "0 to 1 become")
    } else if least >= 0, most <= Self.largest {
      return nil
    } else {
      // Decibels, or more bits than the field has.
      (from, to) = (
        least...most, "\(JSONValue.text(of: least)) to \(JSONValue.text(of: most)) become"
      )
    }
    context.stage.warn("\(LAS.name) holds intensities as whole numbers: \(to) 0 to 65535")
    let factor = Self.largest / (from.upperBound - from.lowerBound)
    return .float64(
      values.doubles.map { ($0.isNaN ? 0 : ($0 - from.lowerBound) * factor).rounded() })
  }
}
