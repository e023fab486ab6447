import MeshPipeline
import NativeLibraries
import SurfaceKernels

/// Points of the mesh with detail, and the frames that observe each: one value of a band-pass image per observation.
///
/// They don't depend on matching, and so can judge poses that were found by it (``PoseJudge``): right poses show the
/// same value in all frames.
struct PhotometricLandmarks: Sendable {
  private(set) var positions: [Vector3] = []
  private(set) var normals: [Vector3] = []
  /// Those that judge poses.
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

  /// The least detail that counts: more than one code of noise in a dark area.
  fileprivate static let leastSteepness: Float = 0.015 * 0.015
  /// More observations take time but add hardly any precision: the error of a mean of 24 is a fifth of one's.
  private static let mostObservations = 24
  /// At a more grazing angle than 75°, a landmark is too foreshortened.
  fileprivate static let leastCosine: Float = 0.25

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

/// A point of the mesh that was chosen in a frame.
struct Landmark: Sendable {
  /// The scale of another frame over that of the frame that a landmark was chosen in: from farther away details are
  /// gone, and from nearer there are others.
  ///
  /// A wider range would find few patches more, since their correlation falls with the lost detail.
  static let leastScale: Float = 0.6
  static let greatestScale: Float = 1.7

  var position: SIMD3<Float>
  /// The direction towards the frame that it was chosen in.
  var normal: SIMD3<Float>
  /// Pixels per unit of length on the surface.
  var scale: Float
  /// Whether it is held out of the fit.
  ///
  /// This depends only on its own cell: if it were counted over all landmarks, one more or less,
  /// through mere rounding, would exchange most of the fitted and held-out landmarks.
  var isHeldOut = false

  /// Every fifth cell, in a knight's move pattern.
  fileprivate static func isHeldOut(cell column: Int, _ row: Int) -> Bool {
    (column + 2 * row) % 5 == 2
  }
}

/// A frame with its image at one scale.
///
/// A class, since millions of landmarks are looked up in lists of frames: a structure's arrays would be
/// retained one by one each time.
final class ViewedFrame: Sendable {
  let camera: Camera
  let image: BandPassImage
  let mask: ReliabilityMask

  /// Pixels at an image's border at which nothing is observed: lenses are worst there, and filters lack neighbours.
  private static let margin: Float = 2

  init(camera: Camera, image: BandPassImage, mask: ReliabilityMask) {
    (self.camera, self.image, self.mask) = (camera, image, mask)
  }

  /// The pixels per unit of length at a landmark in the image; nil if the frame does not see it well.
  @inline(__always)
  func scale(of landmark: Landmark) -> Float? {
    let toCamera = camera.position - landmark.position
    let cosine = landmark.normal.dot(toCamera) / toCamera.length
    guard cosine > PhotometricLandmarks.leastCosine,
      let projected = camera.project(landmark.position)
    else {
      return nil
    }
    let pixel = SIMD2(projected.x, projected.y)
    guard camera.contains(pixel, margin: Self.margin),
      mask.shows(projected.z, at: pixel / camera.size)
    else { return nil }
    return scale(depth: projected.z, cosine: cosine)
  }

  private func scale(depth: Float, cosine: Float) -> Float {
    camera.focalLength.x / image.scale.x / depth * cosine.squareRoot()
  }

  /// The pixel of the steepest gradient of each cell that is clean, on the mesh.
  func landmarks(on surface: ObservedSurface, columns: Int) -> [Landmark] {
    let size = max(3, image.width / columns)
    let border = Int(BandPassImage.border) + 1
    var landmarks: [Landmark] = []
    for top in stride(from: border, to: image.height - border, by: size) {
      for left in stride(from: border, to: image.width - border, by: size) {
        var best = PhotometricLandmarks.leastSteepness
        var pixel: SIMD2<Float>?
        for y in top..<min(top + size, image.height - border) {
          for x in left..<min(left + size, image.width - border) {
            let steepness = image.steepness(x, y)
            guard steepness > best else { continue }
            let candidate = (SIMD2(Float(x), Float(y)) + 0.5) * image.scale
            guard mask.depth(at: candidate / camera.size) != nil else { continue }
            (best, pixel) = (steepness, candidate)
          }
        }
        guard let pixel, var landmark = landmark(at: pixel, on: surface) else { continue }
        landmark.isHeldOut = Landmark.isHeldOut(cell: left / size, top / size)
        landmarks.append(landmark)
      }
    }
    return landmarks
  }

  /// The least cosine (26°) between a vertex normal and the face's: next to a crease it is that of neither side.
  private static let leastNormalCosine: Float = 0.9

  private func landmark(at pixel: SIMD2<Float>, on surface: ObservedSurface) -> Landmark? {
    let ray = camera.ray(through: pixel)
    guard let hit = surface.tracer.firstHit(from: camera.position, along: ray),
      mask.shows(hit.distance, at: pixel / camera.size)
    else { return nil }
    let (a, b, c) = surface.vertices(ofFace: Int(hit.face))
    let (u, v) = (hit.barycentric.x, hit.barycentric.y)
    var normal =
      (surface.normals[a].simd * (1 - u - v) + surface.normals[b].simd * u
      + surface.normals[c].simd * v).normalized
    let faceNormal = SIMD3<Float>(surface.areaVector(ofFace: Int(hit.face)).normalized)
    if faceNormal != .zero, normal.dot(faceNormal) < Self.leastNormalCosine { normal = faceNormal }
    let cosine = -normal.dot(ray) / ray.length
    if cosine < 0 { normal = -normal }
    guard abs(cosine) > PhotometricLandmarks.leastCosine else { return nil }
    return Landmark(
      position: camera.position + ray * hit.distance, normal: normal,
      scale: scale(depth: hit.distance, cosine: abs(cosine)))
  }
}
