import MeshpipeScene
import NativeLibraries
import SurfaceKernels

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

  /// The position of a point in the image, in its pixels.
  @inline(__always)
  func place(of point: SIMD3<Float>) -> SIMD2<Float>? {
    guard let projected = camera.project(point) else { return nil }
    return SIMD2(projected.x, projected.y) / image.scale
  }

  /// The pixels per unit of length at a landmark in the image; nil if the frame does not see it well.
  @inline(__always)
  func scale(of landmark: Landmark) -> Float? {
    let toCamera = camera.position - landmark.position
    let cosine = landmark.normal.dot(toCamera) / toCamera.length
    guard cosine > Landmark.leastCosine,
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
        var best = Landmark.leastSteepness
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
    guard abs(cosine) > Landmark.leastCosine else { return nil }
    return Landmark(
      position: camera.position + ray * hit.distance, normal: normal,
      scale: scale(depth: hit.distance, cosine: abs(cosine)))
  }
}
