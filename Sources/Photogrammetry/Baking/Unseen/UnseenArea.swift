import MeshpipeBase
import MeshpipeScene
import SurfaceKernels

/// The share of a surface that is filled because no frame sees it, in total and by class.
///
/// Colours vary linearly from the seen corners of a triangle to the filled ones: each corner represents
/// a third of its triangle.
package struct UnseenArea: Sendable {
  private var all = Sum()
  private var byClass: [String: Sum]?

  private struct Sum: Sendable {
    var area = 0.0
    var unseen = 0.0

    var share: Double { area > 0 ? unseen / area : 0 }

    mutating func add(_ area: Double, unseen part: Double) {
      self.area += area
      unseen += area * part
    }
  }

  /// - Parameters:
  ///   - colors: The colours of the triangles' vertices; the fourth component is 0 where no frame sees
  ///     one.
  ///   - classes: The classes of the faces that the triangles belong to.
  package init(_ mesh: BakeMesh, colors: [SIMD4<Float>], classes: [String?]?) {
    byClass = classes.map { _ in [:] }
    for triangle in 0..<mesh.triangleCount {
      let area = mesh.area(ofTriangle: triangle)
      guard area.isFinite else { continue }
      let (a, b, c) = mesh.vertices(ofTriangle: triangle)
      let unseen = Double([a, b, c].count { colors[$0].w == 0 }) / 3
      all.add(area, unseen: unseen)
      guard let classes else { continue }
      byClass?[classes[Int(mesh.surfaceFaces[triangle])] ?? "none", default: Sum()].add(
        area, unseen: unseen)
    }
    guard all.area == 0 else { return }
    // Points and specks have no area: each counts the same.
    for color in colors { all.add(1, unseen: color.w == 0 ? 1 : 0) }
  }

  /// The share of the area that no frame sees; of the points if there is no area.
  package var share: Double { all.share }

  /// The share of each class, by name; nil if there are no classes.
  package var sharesByClass: [String: Double]? { byClass?.mapValues(\.share) }

  /// Whether so much is unseen that something is probably wrong.
  package var isSuspicious: Bool { share >= Self.suspicious }

  /// A few frames of a whole house see a fifth of it; less than a tenth usually is an error.
  private static let suspicious = 0.9
}
