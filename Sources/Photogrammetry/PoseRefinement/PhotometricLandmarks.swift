import MeshpipeScene
import NativeLibraries
import SurfaceKernels

/// Points of the mesh with detail, and the frames that observe each: one value of a band-pass image per observation.
///
/// They don't depend on matching, and so can judge poses that were found by it (``PoseJudge``): right poses show the
/// same value in all frames.
struct PhotometricLandmarks: Sendable {
  private(set) var positions: [Vector3] = []
  private(set) var normals: [Vector3] = []
  /// Whether each landmark is held out of a fit, to judge poses.
  private(set) var areHeldOut: [Bool] = []
  /// Where the observations of each landmark begin; one more element than there are landmarks.
  private(set) var starts: [Int] = [0]
  /// The frame of each observation, ascending within a landmark.
  private(set) var frames: [Int32] = []
  /// The landmark of each observation.
  private(set) var owners: [Int32] = []

  var count: Int { positions.count }

  /// The detail that the frame of each observation shows at its landmark; NaN if it does not show it.
  func values(in frames: [ViewedFrame]) -> [Float] {
    Parallel.array(count: self.frames.count, chunkSize: 4096) { index in
      let frame = frames[Int(self.frames[index])]
      guard let place = frame.place(of: positions[Int(owners[index])].simd),
        let sample = frame.image.sample(at: place)
      else { return .nan }
      return sample.x
    }
  }

  /// More observations take time but add hardly any precision: the error of a mean of 24 is a fifth of one's.
  private static let mostObservations = 24

  /// Chooses the landmarks of most detail in a grid of cells over each frame, and finds the frames that
  /// see them.
  ///
  /// - Parameter columns: Columns of cells in each image; rows in proportion.
  init(of frames: [ViewedFrame], on surface: ObservedSurface, columns: Int) {
    let found = Parallel.map(count: frames.count) {
      frames[$0].landmarks(on: surface, columns: columns)
    }
    let landmarks = found.flatMap(\.self)
    let chunks = Parallel.mapChunks(of: landmarks.count, chunkSize: 1024) { range in
      range.map { Self.observations(of: landmarks[$0], in: frames) }
    }
    for (landmark, seeing) in zip(landmarks, chunks.joined()) where seeing.count > 1 {
      owners += [Int32](repeating: Int32(positions.count), count: seeing.count)
      self.frames += seeing
      positions.append(Vector3(landmark.position))
      normals.append(Vector3(landmark.normal))
      areHeldOut.append(landmark.isHeldOut)
      starts.append(self.frames.count)
    }
  }

  /// The frames that see a landmark at about the scale of the frame that it was chosen in.
  private static func observations(of landmark: Landmark, in frames: [ViewedFrame]) -> [Int32] {
    var seeing: [Int32] = []
    for index in frames.indices {
      guard let scale = frames[index].scale(of: landmark) else { continue }
      let ratio = scale / landmark.scale
      if ratio > Landmark.leastScale, ratio < Landmark.greatestScale { seeing.append(Int32(index)) }
    }
    guard seeing.count > mostObservations else { return seeing }
    return (0..<mostObservations).map { seeing[$0 * seeing.count / mostObservations] }
  }
}
