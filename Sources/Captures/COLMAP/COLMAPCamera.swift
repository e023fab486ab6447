import MeshPipeline

/// A camera of a model: one of COLMAP's camera models with its parameters.
struct COLMAPCamera {
  /// The camera models by their number in binary files, with their numbers of parameters.
  static let models: [(name: String, count: Int)] = [
    ("SIMPLE_PINHOLE", 3), ("PINHOLE", 4), ("SIMPLE_RADIAL", 4), ("RADIAL", 5), ("OPENCV", 8),
    ("OPENCV_FISHEYE", 8), ("FULL_OPENCV", 12), ("FOV", 5), ("SIMPLE_RADIAL_FISHEYE", 4),
    ("RADIAL_FISHEYE", 5), ("THIN_PRISM_FISHEYE", 12), ("RAD_TAN_THIN_PRISM_FISHEYE", 16),
  ]

  var model: String
  var size: SIMD2<Int>
  var parameters: [Double]

  var lens: (intrinsics: Capture.Intrinsics, distortion: Capture.Distortion) {
    get throws(FrameFault) {
      guard let known = Self.models.first(where: { $0.name == model }) else {
        throw FrameFault("its camera model \(model) is unknown")
      }
      guard parameters.count == known.count else {
        throw FrameFault(
          "its camera has \(parameters.count) parameters instead of the \(known.count) of \(model)")
      }
      let p = parameters
      let isSimple = model.hasPrefix("SIMPLE") || model.hasPrefix("RADIAL")
      let intrinsics =
        isSimple
        ? Capture.Intrinsics(focalLength: SIMD2(p[0], p[0]), principalPoint: SIMD2(p[1], p[2]))
        : Capture.Intrinsics(focalLength: SIMD2(p[0], p[1]), principalPoint: SIMD2(p[2], p[3]))
      return (intrinsics, try distortion(Array(p.dropFirst(isSimple ? 3 : 4))))
    }
  }

  /// - Parameter k: The parameters after the focal length and the principal point.
  private func distortion(_ k: [Double]) throws(FrameFault) -> Capture.Distortion {
    if k.allSatisfy({ $0 == 0 }), !model.hasSuffix("FISHEYE"), model != "FOV" { return .none }
    switch model {
    case "SIMPLE_RADIAL":
      return .radialTangential(
        numerator: SIMD3(k[0], 0, 0), denominator: .zero, tangential: .zero)
    case "RADIAL":
      return .radialTangential(
        numerator: SIMD3(k[0], k[1], 0), denominator: .zero, tangential: .zero)
    case "OPENCV":
      return .radialTangential(
        numerator: SIMD3(k[0], k[1], 0), denominator: .zero, tangential: SIMD2(k[2], k[3]))
    case "FULL_OPENCV":
      return .radialTangential(
        numerator: SIMD3(k[0], k[1], k[4]), denominator: SIMD3(k[5], k[6], k[7]),
        tangential: SIMD2(k[2], k[3]))
    case "OPENCV_FISHEYE": return .fisheye(SIMD4(k[0], k[1], k[2], k[3]))
    case "SIMPLE_RADIAL_FISHEYE": return .fisheye(SIMD4(k[0], 0, 0, 0))
    case "RADIAL_FISHEYE": return .fisheye(SIMD4(k[0], k[1], 0, 0))
    default:
      throw FrameFault(
        "its camera model \(model) is not supported; undistort the images with COLMAP")
    }
  }
}
