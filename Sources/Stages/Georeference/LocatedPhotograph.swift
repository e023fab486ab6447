import MeshPipeline
import NativeLibraries
import SurfaceKernels

/// A photograph whose file says where, or in which direction, it was taken.
struct LocatedPhotograph {
  let pose: Transform
  let location: PictureLocation

  /// Those among evenly spread frames of a walk; others, and files that can't be read, are passed over.
  ///
  /// - Parameters:
  ///   - count: The most frames that are looked at, since more of one walk do not make it surer.
  ///   - progress: Is told the share of the frames, and may end the search.
  static func all(
    of frames: [Capture.Frame], atMost count: Int, progress: (Double) throws -> Void
  ) throws -> [LocatedPhotograph] {
    let step = max(1, (frames.count + count - 1) / count)
    var found: [LocatedPhotograph] = []
    for index in stride(from: 0, to: frames.count, by: step) {
      try progress(Double(index) / Double(frames.count))
      guard case .file(let path) = frames[index].image,
        let file = try? MappedFile(path: path, allowsPipes: false),
        let location = PictureLocation(file)
      else { continue }
      found.append(LocatedPhotograph(pose: frames[index].pose, location: location))
    }
    return found
  }
}

extension [LocatedPhotograph] {
  /// The photographs with a direction; all magnetic, or none.
  ///
  /// - Parameter axes: From the scene to axes with z up.
  func compassViews(in axes: Transform) -> (views: [CompassNorth.View], isMagnetic: Bool) {
    let told = filter { $0.location.bearing != nil }
    // True north is told by phones that know where they are.
    let isMagnetic = told.allSatisfy(\.location.isMagnetic)
    let views = told.filter { $0.location.isMagnetic == isMagnetic }.map {
      // The camera looks along −z.
      CompassNorth.View(
        direction: axes.apply(toVector: -$0.pose.z), bearing: $0.location.bearing ?? 0)
    }
    return (views, isMagnetic)
  }
}
