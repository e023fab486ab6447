package import MeshpipeScene
import POSIX

/// A part of the lens that the files of all frames may have wrong, or lack.
package enum LensPart: Int, CaseIterable, Sendable {
  /// One number, the logarithm of a factor of the focal length.
  case focalLength
  /// The coefficients k1 and k2 of Brown's and Conrady's radial distortion, only for lenses whose distortion is not
  /// recorded.
  ///
  /// Phones' lenses need both: those of one stretch the image by up to 1.5 % halfway to the corners, and not at all at them.
  case radialDistortion

  /// The count of its numbers.
  package var count: Int { self == .focalLength ? 1 : 2 }

  /// The index of its first number among those of all parts.
  var first: Int { self == .focalLength ? 0 : 1 }
  /// The count of the numbers of all parts.
  static let numberCount = 3

  /// Corrects a lens by an error that it has.
  ///
  /// The focal length of a lens with a distortion is that of the middle of the image: what is recorded stays.
  package func correct(
    _ intrinsics: inout Capture.Intrinsics, _ distortion: inout Capture.Distortion,
    by error: SIMD2<Double>
  ) {
    switch self {
    case .focalLength: intrinsics.focalLength *= exp(error.x)
    case .radialDistortion:
      var coefficients = error
      if case .radialTangential(let known, _, _) = distortion {
        coefficients += SIMD2(known.x, known.y)
      }
      distortion = .radialTangential(
        numerator: SIMD3(coefficients, 0), denominator: .zero, tangential: .zero)
    }
  }
}

extension Capture {
  /// Changes the lens of all frames and depth maps.
  package mutating func changeLenses(_ change: (inout Intrinsics, inout Distortion) -> Void) {
    for index in frames.indices {
      var frame = frames[index]
      change(&frame.intrinsics, &frame.distortion)
      frames[index] = frame
    }
    for index in depthFrames.indices {
      var frame = depthFrames[index]
      change(&frame.intrinsics, &frame.distortion)
      depthFrames[index] = frame
    }
  }
}
