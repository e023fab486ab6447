import MeshPipeline

extension [[CustomAttribute]] {
  /// The same lists, one for each cloud, with the intensity under the name of LAS, in the range of its field.
  ///
  /// CloudCompare and others write it as `scalar_Intensity`, with fractions from 0 to 1 as in PTS, or as floats with
  /// values of 8, 12 or 16 bits. Fractions would all become 0 or 1, so that they are scaled: by one range for all
  /// clouds, so that what is equally bright in two of them stays so.
  func withIntensities(in context: WritingContext) -> Self {
    let lists = map(\.withNamedIntensity)
    let intensity = LASIntensity(lists.compactMap(\.intensity))
    intensity.warning.map { context.stage.warn($0) }
    return lists.map { list in
      guard let scaled = list.intensity.flatMap(intensity.scaled) else { return list }
      var list = list
      list[LASIntensity.field] = CustomAttribute(LASIntensity.field, values: scaled)
      return list
    }
  }
}

extension [CustomAttribute] {
  /// The same with the intensity under the name of LAS.
  fileprivate var withNamedIntensity: Self {
    guard intensity == nil,
      let other = first(where: { $0.width == 1 && LASIntensity.isIntensity($0.name) })
    else { return self }
    var result = self
    result[other.name] = nil
    result[LASIntensity.field] = CustomAttribute(LASIntensity.field, values: other.values)
    return result
  }

  fileprivate var intensity: CustomAttribute.Values? {
    self[LASIntensity.field].flatMap { $0.width == 1 ? $0.values : nil }
  }
}

/// The range of the intensities of a scene, by their values.
private struct LASIntensity {
  /// What becomes 0 to 65535; nil if the field can hold the values as they are.
  private var range: ClosedRange<Double>?
  private var least = Double.infinity
  private var most = -Double.infinity
  /// Whether a value between 0 and 1 is neither.
  private var hasFractions = false
  /// Whether a cloud has nothing else.
  private var hasCloudOfFractions = false

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

  /// - Parameter clouds: The intensities of the clouds that have some.
  init(_ clouds: [CustomAttribute.Values]) {
    for values in clouds where !Self.fits(values) { add(values) }
    guard least <= most else { return }
    if least >= 0, most <= 1 {
      range = hasFractions ? 0...1 : nil
    } else if least < 0 || most > Self.largest {
      // Decibels, or more bits than the field has: the other clouds are scaled along.
      for values in clouds where Self.fits(values) { add(values) }
      range = least...most
    }
  }

  /// Whether values are of a type that the field can hold.
  private static func fits(_ values: CustomAttribute.Values) -> Bool {
    values.type == .uint16 || values.type == .uint8
  }

  private mutating func add(_ values: CustomAttribute.Values) {
    var (low, high, isBetween) = (Double.infinity, -Double.infinity, false)
    for value in values.doubles where value.isFinite {
      low = min(low, value)
      high = max(high, value)
      isBetween = isBetween || value > 0 && value < 1
    }
    (least, most) = (min(least, low), max(most, high))
    hasFractions = hasFractions || isBetween
    hasCloudOfFractions = hasCloudOfFractions || isBetween && low >= 0 && high <= 1
  }

  /// What changes; nil if nothing does.
  var warning: String? {
    let words = "\(LAS.name) holds intensities as whole numbers"
    if let range {
      let ends = [range.lowerBound, range.upperBound].map { JSONValue.text(of: $0) }
      return "\(words): \(ends[0]) to \(ends[1]) become 0 to 65535"
    }
    guard hasCloudOfFractions, most > 1 else { return nil }
    return """
      \(words): fractions from 0 to 1 in some clouds become 0 or 1, since other clouds reach \
      \(JSONValue.text(of: most)); give all clouds the same range first
      """
  }

  /// The values of a cloud as the field can hold them; nil if it can as they are.
  func scaled(_ values: CustomAttribute.Values) -> CustomAttribute.Values? {
    // Beside fractions, values of the field's own types are whole.
    guard let range, range != 0...1 || !Self.fits(values) else { return nil }
    let factor = Self.largest / (range.upperBound - range.lowerBound)
    return .float64(
      values.doubles.map { ($0.isNaN ? 0 : ($0 - range.lowerBound) * factor).rounded() })
  }
}
