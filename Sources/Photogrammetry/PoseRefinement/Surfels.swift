import MeshPipeline
import NativeLibraries
import SurfaceKernels

/// Points of the mesh with detail, and the frames that observe each.
struct Surfels: Sendable {
  private(set) var positions: [Vector3] = []
  private(set) var normals: [Vector3] = []
  /// Those that judge poses.
  private(set) var areHeldOut: [Bool] = []
  /// Where the sightings of each surfel begin; one more element than there are surfels.
  private(set) var starts: [Int] = [0]
  /// The frame of each sighting, ascending within a surfel.
  private(set) var frames: [Int32] = []
  /// The surfel of each sighting.
  private(set) var owners: [Int32] = []

  var count: Int { positions.count }

  /// The detail that the frame of each observation shows at its surfel; NaN if it does not show it.
  func values(in frames: [ViewedFrame]) -> [Float] {
    Parallel.array(count: self.frames.count, chunkSize: 4096) { index in
      let frame = frames[Int(self.frames[index])]
      guard let place = frame.place(of: positions[Int(owners[index])].simd),
        let sample = frame.picture.sample(at: place)
      else { return .nan }
      return sample.x
    }
  }

  /// The least detail that counts: more than one code of noise in a dark area.
  fileprivate static let leastSteepness: Float = 0.015 * 0.015
  /// More sightings take time but add hardly any precision.
  private static let mostSightings = 24
  /// At a more grazing angle than 75°, a spot is too foreshortened.
  fileprivate static let leastCosine: Float = 0.25

  /// Chooses the spots of most detail in a grid of cells over each frame, and finds the frames that
  /// see them.
  ///
  /// - Parameter cells: Columns of cells in each image; rows in proportion.
  init(of frames: [ViewedFrame], on surface: ObservedSurface, cells: Int) {
    let found = Parallel.map(count: frames.count) { frames[$0].spots(on: surface, cells: cells) }
    let spots = found.flatMap(\.self)
    let chunks = Parallel.mapChunks(of: spots.count, chunkSize: 1024) { range in
      range.map { Self.sightings(of: spots[$0], in: frames) }
    }
    for (spot, seeing) in zip(spots, chunks.joined()) where seeing.count > 1 {
      owners += [Int32](repeating: Int32(positions.count), count: seeing.count)
      self.frames += seeing
      positions.append(Vector3(spot.position))
      normals.append(Vector3(spot.normal))
      areHeldOut.append(spot.isHeldOut)
      starts.append(self.frames.count)
    }
  }

  /// The frames that see a spot at about the scale of the frame that it was chosen in.
  ///
  /// From twice the distance, other details remain.
  private static func sightings(of spot: Spot, in frames: [ViewedFrame]) -> [Int32] {
    var seeing: [Int32] = []
    for index in frames.indices {
      guard let scale = frames[index].scale(of: spot) else { continue }
      let ratio = scale / spot.scale
      if ratio > 0.6, ratio < 1.7 { seeing.append(Int32(index)) }
    }
    guard seeing.count > mostSightings else { return seeing }
    return (0..<mostSightings).map { seeing[$0 * seeing.count / mostSightings] }
  }
}

/// A point of the mesh that was chosen in a frame.
struct Spot: Sendable {
  var position: SIMD3<Float>
  /// The direction towards the frame that it was chosen in.
  var normal: SIMD3<Float>
  /// Pixels per unit of length on the surface.
  var scale: Float
  /// Whether it is held out of the fit.
  ///
  /// This depends only on its own cell: if it were counted over all spots, one more or less,
  /// through mere rounding, would exchange most of the fitted and held-out spots.
  var isHeldOut = false

  /// Every fifth cell, in a knight's move pattern.
  fileprivate static func isHeldOut(cell column: Int, _ row: Int) -> Bool {
    (column + 2 * row) % 5 == 2
  }
}

/// A frame with its image at one scale.
///
/// A class, since millions of spots are looked up in lists of frames: a structure's arrays would be
/// retained one by one each time.
final class ViewedFrame: Sendable {
  let camera: Camera
  let picture: DetailPicture
  let view: CleanView

  init(camera: Camera, picture: DetailPicture, view: CleanView) {
    (self.camera, self.picture, self.view) = (camera, picture, view)
  }

  /// The pixels per unit of length at a spot in the image; nil if the frame does not see it well.
  @inline(__always)
  func scale(of spot: Spot) -> Float? {
    let toCamera = camera.position - spot.position
    let cosine = spot.normal.dot(toCamera) / toCamera.length
    guard cosine > Surfels.leastCosine, let projected = camera.project(spot.position) else {
      return nil
    }
    let pixel = SIMD2(projected.x, projected.y)
    guard camera.contains(pixel, margin: 2), view.shows(projected.z, at: pixel / camera.size)
    else { return nil }
    return scale(depth: projected.z, cosine: cosine)
  }

  private func scale(depth: Float, cosine: Float) -> Float {
    camera.focalLength.x / picture.scale.x / depth * cosine.squareRoot()
  }

  /// The pixel of the steepest gradient of each cell that is clean, on the mesh.
  func spots(on surface: ObservedSurface, cells: Int) -> [Spot] {
    let size = max(3, picture.width / cells)
    let border = Int(DetailPicture.border) + 1
    var spots: [Spot] = []
    for top in stride(from: border, to: picture.height - border, by: size) {
      for left in stride(from: border, to: picture.width - border, by: size) {
        var best = Surfels.leastSteepness
        var pixel: SIMD2<Float>?
        for y in top..<min(top + size, picture.height - border) {
          for x in left..<min(left + size, picture.width - border) {
            let steepness = picture.steepness(x, y)
            guard steepness > best else { continue }
            let candidate = (SIMD2(Float(x), Float(y)) + 0.5) * picture.scale
            guard view.depth(at: candidate / camera.size) != nil else { continue }
            (best, pixel) = (steepness, candidate)
          }
        }
        guard let pixel, var spot = spot(at: pixel, on: surface) else { continue }
        spot.isHeldOut = Spot.isHeldOut(cell: left / size, top / size)
        spots.append(spot)
      }
    }
    return spots
  }

  private func spot(at pixel: SIMD2<Float>, on surface: ObservedSurface) -> Spot? {
    let ray = camera.ray(through: pixel)
    guard let hit = surface.tracer.firstHit(from: camera.position, along: ray),
      view.shows(hit.distance, at: pixel / camera.size)
    else { return nil }
    let (a, b, c) = surface.vertices(ofFace: Int(hit.face))
    let (u, v) = (hit.barycentric.x, hit.barycentric.y)
    var normal =
      (surface.normals[a].simd * (1 - u - v) + surface.normals[b].simd * u
      + surface.normals[c].simd * v).normalized
    // Next to a crease vertex normals are those of neither side.
    let faceNormal = SIMD3<Float>(surface.areaVector(ofFace: Int(hit.face)).normalized)
    if faceNormal != .zero, normal.dot(faceNormal) < 0.9 { normal = faceNormal }
    let cosine = -normal.dot(ray) / ray.length
    if cosine < 0 { normal = -normal }
    guard abs(cosine) > Surfels.leastCosine else { return nil }
    return Spot(
      position: camera.position + ray * hit.distance, normal: normal,
      scale: scale(depth: hit.distance, cosine: abs(cosine)))
  }
}
