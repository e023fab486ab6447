import MeshpipeScene
import SurfaceKernels

/// Landmarks of the mesh, and where frames show them: found by searching, not by following a gradient.
struct PatchTracks: Sendable {
  private(set) var positions: [Vector3] = []
  private(set) var normals: [Vector3] = []
  /// Where the observations of each landmark begin; one more element than there are landmarks.
  private(set) var starts: [Int] = [0]
  /// The frame of each observation; the first of a landmark is the one that it was chosen in.
  private(set) var frames: [Int32] = []
  /// The position in the frame's image, in pixels.
  private(set) var pixels: [SIMD2<Float>] = []
  /// The distance of each observation from where the pose predicts it, in pixels of the first frame's image.
  private(set) var residuals: [Float] = []
  /// The one direction in which the position of an observation is known, on an edge; zero if it is
  /// known in both.
  private(set) var edgeNormals: [SIMD2<Float>] = []
  /// Landmarks held out of a fit, to judge it by.
  private(set) var areHeldOut: [Bool] = []

  var count: Int { positions.count }

  /// The observations of a landmark.
  @inline(__always)
  func range(of landmark: Int) -> Range<Int> { starts[landmark]..<starts[landmark + 1] }

  /// The extent of a search.
  struct Search: Sendable {
    /// Columns of the grid over each image in which landmarks are chosen.
    var columns: Int
    /// The most frames in which a landmark is searched.
    var partners: Int
    /// The search radius in pixels around the predicted position.
    var reach: Int
    /// Whether landmarks on edges are searched as well, across the edge.
    var findsEdges = false
  }

  /// One landmark as it was found.
  private struct Track: Sendable {
    var landmark: Landmark
    var frames: [Int32] = []
    var pixels: [SIMD2<Float>] = []
    var residuals: [Float] = []
    var edgeNormals: [SIMD2<Float>] = []
  }

  init(of frames: [ViewedFrame], on surface: ObservedSurface, _ search: Search) {
    let chunks = Parallel.map(count: frames.count) { frame in
      frames[frame].landmarks(on: surface, columns: search.columns).compactMap {
        Self.track($0, of: frame, in: frames, search)
      }
    }
    for track in chunks.joined() {
      positions.append(Vector3(track.landmark.position))
      normals.append(Vector3(track.landmark.normal))
      self.frames += track.frames
      pixels += track.pixels
      residuals += track.residuals
      edgeNormals += track.edgeNormals
      areHeldOut.append(track.landmark.isHeldOut)
      starts.append(self.frames.count)
    }
  }

  /// The number of landmarks of each frame that another frame shows, too.
  func matches(ofFrames count: Int) -> [Int] {
    var result = [Int](repeating: 0, count: count)
    for track in 0..<self.count {
      for index in starts[track]..<starts[track + 1] { result[Int(frames[index])] += 1 }
    }
    return result
  }

  /// The length in pixels over which a patch's map to another image is differentiated, to either side: half of a
  /// patch, so that it fits all of it.
  private static let arm: Float = 4

  private static func track(
    _ landmark: Landmark, of frame: Int, in frames: [ViewedFrame], _ search: Search
  ) -> Track? {
    let own = frames[frame]
    guard let place = own.place(of: landmark.position),
      let values = own.image.patch(
        around: place, SIMD2(1, 0), SIMD2(0, 1), radius: PatchMatcher.radius),
      let template = PatchMatcher(values)
    else { return nil }
    var track = Track(landmark: landmark)
    track.frames.append(Int32(truncatingIfNeeded: frame))
    track.pixels.append(place)
    track.residuals.append(0)
    let edge = search.findsEdges ? template.edgeNormal() : nil
    track.edgeNormals.append(edge ?? .zero)
    for other in partners(of: landmark, frame, in: frames, atMost: search.partners) {
      let partner = frames[other]
      guard let predicted = partner.place(of: landmark.position),
        let (across, down) = steps(of: landmark, from: own, to: partner),
        let window = partner.image.patch(
          around: predicted, across, down, radius: PatchMatcher.radius + search.reach),
        let match = edge.map({ template.match(in: window, reach: search.reach, across: $0) })
          ?? template.match(in: window, reach: search.reach)
      else { continue }
      track.frames.append(Int32(truncatingIfNeeded: other))
      track.pixels.append(predicted + across * match.shift.x + down * match.shift.y)
      track.residuals.append((match.shift * match.shift).sum().squareRoot())
      track.edgeNormals.append(edge.map { Self.normal($0, across, down) } ?? .zero)
    }
    return track.frames.count > 1 ? track : nil
  }

  /// The normal of a line after its plane was mapped: by the inverse transpose of the map.
  private static func normal(
    _ normal: SIMD2<Float>, _ across: SIMD2<Float>, _ down: SIMD2<Float>
  ) -> SIMD2<Float> {
    let mapped = SIMD2(
      down.y * normal.x - across.y * normal.y, across.x * normal.y - down.x * normal.x)
    let length = (mapped * mapped).sum().squareRoot()
    return length > 0 ? mapped / length : normal
  }

  /// Frames that see a landmark at about its scale, spread evenly over all of them.
  private static func partners(
    of landmark: Landmark, _ frame: Int, in frames: [ViewedFrame], atMost limit: Int
  ) -> [Int] {
    let seeing = frames.indices.filter { other in
      guard other != frame, let scale = frames[other].scale(of: landmark) else { return false }
      return scale > Landmark.leastScale * landmark.scale
        && scale < Landmark.greatestScale * landmark.scale
    }
    guard seeing.count > limit else { return seeing }
    return (0..<limit).map { seeing[(2 * $0 + 1) * seeing.count / (2 * limit)] }
  }

  /// The derivatives of the position in one frame's image by columns and rows of another's, on the
  /// plane of a landmark.
  private static func steps(
    of landmark: Landmark, from own: ViewedFrame, to other: ViewedFrame
  ) -> (across: SIMD2<Float>, down: SIMD2<Float>)? {
    guard let start = own.camera.project(landmark.position) else { return nil }
    let distance = (landmark.position - own.camera.position).dot(landmark.normal)
    let length = arm
    func place(_ step: SIMD2<Float>) -> SIMD2<Float>? {
      let ray = own.camera.ray(through: SIMD2(start.x, start.y) + step * own.image.scale)
      let slope = ray.dot(landmark.normal)
      guard slope * distance > 0 else { return nil }
      return other.place(of: own.camera.position + ray * (distance / slope))
    }
    guard let left = place(SIMD2(-length, 0)), let right = place(SIMD2(length, 0)),
      let above = place(SIMD2(0, -length)), let below = place(SIMD2(0, length))
    else { return nil }
    return ((right - left) / (2 * length), (below - above) / (2 * length))
  }
}
