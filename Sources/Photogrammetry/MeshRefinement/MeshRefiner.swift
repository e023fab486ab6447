import MeshpipeBase
package import MeshpipeScene
import POSIX
import SurfaceKernels

/// Moves the vertices of a surface along their normals, so that the images of all frames agree on them.
///
/// From coarse to fine images, the height of each vertex at which they correlate best is found
/// (``PhotoWindows``), and all heights are solved for together, with where the surface was and its
/// stiffness (``ThinPlate``). This is the photometric refinement of Vu, Labatut, Pons and Keriven (2012) with a local
/// search and a linear system in place of the descent along the gradient.
package struct MeshRefiner: Sendable {
  package struct Settings: Sendable {
    /// No vertex moves farther, in units of the scene.
    var maximumShift: Float
    /// Noise of a shorter wavelength is smoothed where the images say nothing, in units of the scene; nil for
    /// some edges.
    var smoothing: Float?
    /// The width of the finest images in pixels.
    var width: Int

    package init(maximumShift: Float, smoothing: Float?, width: Int) {
      self.maximumShift = maximumShift
      self.smoothing = smoothing
      self.width = width
    }
  }

  /// The surface after refinement.
  package struct Result: Sendable {
    /// The new positions, in the order of the vertices of the surface.
    package var positions: [Vector3]
    /// The distance that each vertex was moved, in units of the scene.
    package var shifts: [Float]
    /// The number of vertices whose height images determine.
    package var determined: Int
  }

  /// The smoothing length in edges of the mesh.
  ///
  /// Measured on two parts of a fused room, 4 and 7 edges differ by 2 % in the error.
  private static let smoothingEdges: Float = 5
  /// The steps to either side by which heights are searched, at each scale of the images, of which each is half as
  /// wide as the next: what the coarse one finds is nearly right.
  private static let steps = [3, 2]
  /// The error of fused depth maps in metres, in the middle of a phone's range.
  private static let meshError: Float = 0.002
  /// The weight of images over depth maps: see ``weight(of:)``.
  private static let imageWeight: Float = 2
  /// Errors of poses and of neighbouring windows are alike, so information adds up to less than their sum.
  ///
  /// Measured, errors fall with the power −0.3 of the information over three decades, and not −0.5. At 0.6 instead of
  /// 0.4 a room's surface is as accurate, but its normals get worse by a tenth.
  private static let weightExponent: Float = 0.4
  private static let greatestWeight: Float = 10_000

  private let sources: [PoseRefiner.Source]
  private let settings: Settings

  package init(_ sources: [PoseRefiner.Source], _ settings: Settings) {
    self.sources = sources
    self.settings = settings
  }

  /// The new positions of the vertices of a surface, in units and axes of the scene.
  ///
  /// - Parameters:
  ///   - surface: Released at once, since its tracer is as large as all that is needed here.
  ///   - progress: Receives the finished share, and may cancel by an error.
  /// - Throws: What `progress` throws.
  package func refined(
    _ surface: consuming ObservedSurface, progress: (Double) throws -> Void
  ) throws -> Result {
    var current = RefinedSurface(positions: surface.positions, indices: surface.indices)
    let meshError = surface.scale.units(meters: Self.meshError)
    _ = consume surface
    let smoothing = settings.smoothing ?? Self.smoothingEdges * current.medianEdge
    var images = BandPassImages(of: sources)
    var determined = 0
    for level in Self.steps.indices {
      let details = images.ofWidth(max(1, settings.width >> (Self.steps.count - 1 - level)))
      let frames = sources.indices.map {
        ViewedFrame(
          camera: Camera(sources[$0].frame), image: details[$0], mask: sources[$0].mask)
      }
      let windows = PhotoWindows(
        frames: frames,
        settings: PhotoWindows.Settings(
          steps: Self.steps[level], reach: settings.maximumShift))
      // Windows of the coarse images are wide: neighbours see the same in them.
      let places = level == 0 ? current.scatteredVertices() : current.innerVertices()
      let estimates = try windows.estimates(of: current, at: places) { part in
        try progress((Double(level) + 0.7 * part) / Double(Self.steps.count))
      }
      determined = estimates.count { $0.information > 0 }
      let unit = meshError * meshError * smoothing * smoothing
      // Each estimate stands for those of its neighbours.
      let share = Float(current.positions.count) / Float(max(places.count, 1))
      current.move(
        ThinPlate(current, length: smoothing), toward: estimates,
        weights: estimates.map { share * Self.weight(of: $0.information * unit) },
        atMost: settings.maximumShift)
    }
    try progress(1)
    return Result(
      positions: current.positions.map { Vector3($0) },
      shifts: zip(current.positions, current.original).map { ($0 - $1).length },
      determined: determined)
  }

  /// - Parameter ratio: The information of an estimate relative to that of a depth map, over a patch of the smoothing
  ///   length.
  private static func weight(of ratio: Float) -> Float {
    guard ratio > 0, ratio.isFinite else { return 0 }
    return min(imageWeight * powf(ratio, weightExponent), greatestWeight)
  }
}

extension RefinedSurface {
  /// The median length of edges.
  var medianEdge: Float {
    stride(from: 0, to: indices.count - 2, by: 3).compactMap { corner in
      let length = (positions[Int(indices[corner + 1])] - positions[Int(indices[corner])]).length
      return length.isFinite ? length : nil
    }.median() ?? 0
  }

  /// Moves each vertex along its normal.
  ///
  /// - Parameter limit: Of the distance from where it was at first.
  mutating func move(
    _ plate: ThinPlate, toward estimates: [HeightEstimate], weights: [Float], atMost limit: Float
  ) {
    let anchors = positions.indices.map { vertex -> Float in
      let height = (original[vertex] - positions[vertex]).dot(normals[vertex])
      return height.isFinite ? height : 0
    }
    var heights = plate.heights(anchors: anchors, estimates: estimates, weights: weights)
    // Estimates that the surface does not follow are wrong (Geman and McClure 1985).
    let robust = weights.indices.map { vertex -> Float in
      let miss = (Float(heights[vertex]) - estimates[vertex].height) / estimates[vertex].step
      return weights[vertex] / ((1 + miss * miss) * (1 + miss * miss))
    }
    heights = plate.heights(
      anchors: anchors, estimates: estimates, weights: robust, from: heights)
    for vertex in heights.indices {
      let moved =
        positions[vertex] + normals[vertex] * Float(heights[vertex]) - original[vertex]
      let length = moved.length
      guard length.isFinite else { continue }
      positions[vertex] = original[vertex] + (length > limit ? moved * (limit / length) : moved)
    }
    updateNormals()
  }
}
