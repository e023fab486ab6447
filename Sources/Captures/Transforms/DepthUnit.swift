import MeshPipeline
import NativeLibraries

/// The unit of depth maps that may hold floating-point numbers.
///
/// nerfstudio multiplies them by a thousandth unless its user gives another factor, which no file tells, while most
/// programs write metres. So what a file does not declare is decided by its numbers: nothing is a hundred metres away in
/// the median, and nothing a few millimetres.
struct DepthUnit {
  /// The factors found so far, by what the file declares.
  private var factors: [Double?: Double] = [:]

  /// The median depth that must be exceeded by numbers in millimetres, and may not be by those in metres.
  private static let mostMeters: Float = 150
  /// The least median depth in metres of a capture.
  private static let leastMeters = 0.03
  private static let metersPerMillimeter = 0.001

  /// The factor from the numbers of a map to metres; that of the first map with depths counts for all others.
  ///
  /// - Parameter declared: The factor that the file declares.
  mutating func factor(
    of map: Capture.DepthSource, declared: Double?, in context: CaptureReadingContext
  ) -> Double {
    if let factor = factors[declared] { return factor }
    // A map without depths tells nothing of the others.
    guard let factor = Self.factor(of: map, declared, context) else { return declared ?? 1 }
    factors[declared] = factor
    return factor
  }

  /// Nil for a map without depths.
  private static func factor(
    of map: Capture.DepthSource, _ declared: Double?, _ context: CaptureReadingContext
  ) -> Double? {
    if map.isInteger { return declared ?? metersPerMillimeter }
    // What can't be read is told when it is used.
    guard let median = try? map.load().meters.filter({ $0 > 0 }).median() else { return nil }
    let seeming = median > mostMeters ? metersPerMillimeter : 1
    guard let declared else {
      context.report("framesDepthUnit", JSONValue(.string(seeming == 1 ? "m" : "mm")))
      return seeming
    }
    guard declared < 1, Double(median) * declared < leastMeters else { return declared }
    context.warn(
      "\(map.path): depth_unit_scale_factor \(NumberText.shortest(declared)) would make the median depth "
        + "\(NumberText.shortest((Double(median) * declared * 100_000).rounded() / 100)) mm; the depth maps are read "
        + "as metres, which their numbers are")
    return seeming
  }
}

extension Capture.DepthSource {
  /// Whether its numbers are whole ones, which are millimetres by custom.
  fileprivate var isInteger: Bool {
    encoding == .npy && NumPyArray.Header(ofFile: path).map { $0.kind != .float } ?? false
  }
}
