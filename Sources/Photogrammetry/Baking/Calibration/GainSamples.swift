import MeshpipeScene
import POSIX
import SurfaceKernels

/// Observations of a sample of vertices, with the data that exposure depends on.
struct GainSamples: Sendable {
  /// A vertex as one frame shows it.
  struct Sample: Sendable {
    var frame: Int32
    /// The logarithm of linear light, the mean of the channels.
    var luminance: Float
    /// The differences of the logarithms of red, green and blue from it.
    var chroma = Vector3(0, 0, 0)
    /// The weight of the sample when frames are compared; 0 excludes it.
    var weight: Float
    /// The cosine of the angle between the line of sight and the normal.
    var cosine: Float = 1
    /// The unit vector towards the camera.
    var direction = Vector3(0, 0, 1)
    /// The region of the image that it belongs to.
    var area: Float = 1

    /// Reflections of a glossy surface grow about like this (after Schlick 1994, with a lower
    /// power, for rough surfaces such as floors and paint).
    var obliquity: Float { (1 - cosine) * (1 - cosine) }
  }

  let frameCount: Int
  /// Where the samples of each vertex begin, and the end of the last.
  private(set) var offsets = [0]
  /// Vertices that face the same way, and probably have similar gloss: see ``group(of:)``.
  private(set) var groups: [UInt8] = []
  private(set) var samples: [Sample] = []

  init(frameCount: Int) { self.frameCount = frameCount }

  /// Adds the observations of a vertex, ascending by frame.
  mutating func append(_ views: some Sequence<Sample>, normal: SIMD3<Float>) {
    samples += views
    offsets.append(samples.count)
    groups.append(Self.group(of: normal))
  }

  var vertexCount: Int { groups.count }

  func range(of vertex: Int) -> Range<Int> { offsets[vertex]..<offsets[vertex + 1] }

  /// The axis that a normal is nearest to, and its sign: floors, ceilings and the walls of a room
  /// form groups of their own, whichever axis is up.
  private static func group(of normal: SIMD3<Float>) -> UInt8 {
    let sizes = SIMD3(abs(normal.x), abs(normal.y), abs(normal.z))
    let axis = sizes.x >= sizes.y ? (sizes.x >= sizes.z ? 0 : 2) : (sizes.y >= sizes.z ? 1 : 2)
    return UInt8(2 * axis + (normal[axis] < 0 ? 1 : 0))
  }
}

extension GainSamples {
  /// The positions from which frames see the vertices.
  struct Geometry {
    var positions: [Vector3]
    /// The unit normal of each vertex; zero for a point without a normal.
    var normals: [Vector3]
    /// The position of each frame's camera.
    var cameras: [SIMD3<Float>]
  }

  /// Linear light above which a phone's tone curve flattens, so that nothing can be learnt from it.
  private static let shoulder: Float = 0.6 * 65_535
  private static let saturation: Float = 0.85 * 65_535
  /// Below it the rounding of codes and noise are a large part of a logarithm: three codes of sRGB.
  private static let darkness: Float = 300

  /// - Parameters:
  ///   - geometry: Nil if unknown; then all views count as frontal.
  ///   - sampleLimit: The approximate maximum number of vertices.
  init(_ table: ObservationTable, _ geometry: Geometry?, sampleLimit: Int = 20_000) {
    self.init(frameCount: table.frameCount)
    let stride = max(1, table.vertexCount / sampleLimit)
    for vertex in Swift.stride(from: 0, to: table.vertexCount, by: stride) {
      let range = table.range(of: vertex)
      guard range.count > 1 else { continue }
      let normal = geometry?.normals[vertex].simd ?? .zero
      append(
        range.map {
          Self.sample(of: table.observations[$0], at: vertex, normal: normal, geometry: geometry)
        }, normal: normal)
    }
  }

  private static func sample(
    of observation: ObservationTable.Observation, at vertex: Int, normal: SIMD3<Float>,
    geometry: Geometry?
  ) -> Sample {
    let measurement = observation.measurement
    let color = measurement.color
    let logs = SIMD3(
      log(Float(max(color.x, 1))), log(Float(max(color.y, 1))), log(Float(max(color.z, 1))))
    let luminance = logs.sum() / 3
    let brightest = Float(max(color.x, color.y, color.z))
    let certainty =
      Float(min(color.x, color.y, color.z)) <= darkness
      ? 0 : min(1, max(0, (saturation - brightest) / (saturation - shoulder)))
    var sample = Sample(
      frame: Int32(truncatingIfNeeded: observation.frame), luminance: luminance,
      chroma: Vector3(logs - luminance), weight: 0,
      area: measurement.resolution * measurement.resolution * measurement.confidence)
    if let geometry {
      let sight = (geometry.cameras[Int(observation.frame)] - geometry.positions[vertex].simd)
        .normalized
      sample.direction = Vector3(sight)
      if normal != .zero { sample.cosine = min(1, abs((sight * normal).sum())) }
    }
    // A grazing view covers few pixels, and shows reflections rather than the surface.
    sample.weight = measurement.confidence * sample.cosine * certainty
    return sample
  }
}
