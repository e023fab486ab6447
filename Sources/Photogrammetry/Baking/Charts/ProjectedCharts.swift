import MeshpipeScene
import SurfaceKernels

/// Charts as frames see them: neighbouring faces with the same frame are laid out as in its image.
///
/// A texel then is an unrotated pixel, or a fraction of one. Faces that no frame sees as a whole
/// are projected onto planes of their own.
package struct ProjectedCharts {
  /// A chart for each face, or ``Atlas/noChart`` for a face without area.
  package private(set) var chartOfFace: [UInt32]
  package private(set) var count = 0
  /// The position of each corner in its chart, in units of the scene on average over the seen
  /// surface.
  package private(set) var corners: [SIMD2<Float>]

  private static let none = ChartPieces.noFrame
  /// The least cosine between a face's normal and the direction to the camera of its chart: 81°.
  ///
  /// At a more grazing angle a chart has hardly any texels across, and its face would need a density of its own.
  private static let leastCosine: Float = 0.15
  /// The score of a neighbour with the same frame, beside the frame's part 0…1 of the face's own blend weights: two
  /// neighbours outweigh any preference, so that charts have few ragged borders.
  private static let neighborScore: Float = 0.5
  /// Rounds of this majority filter (iterated conditional modes, Besag 1986): most charts settle in a few.
  private static let rounds = 10

  package init(_ selection: ViewSelection) {
    let surface = selection.calibration.domain.surface
    let areas: [Float] = Parallel.array(count: surface.faceCount) { face in
      let (a, b, c) = surface.vertices(ofFace: face)
      let origin = surface.positions[a].simd
      let area = (surface.positions[b].simd - origin).cross(surface.positions[c].simd - origin)
        .length
      return area.isFinite ? area / 2 : 0
    }
    let neighbors = ChartSurface.neighbors(
      vertices: surface.indices, vertexCount: surface.positions.count, areas: areas)
    let cameras = selection.calibration.frames.map { Camera($0) }
    var frames = Self.frames(Self.candidates(selection, cameras), neighbors)
    ChartJoining(
      surface: surface, cameras: cameras, depthBounds: selection.calibration.depthBounds,
      neighbors: neighbors
    ).join(&frames)
    chartOfFace = [UInt32](repeating: Atlas.noChart, count: surface.faceCount)
    corners = [SIMD2<Float>](repeating: .zero, count: surface.indices.count)
    gather(frames, neighbors)
    draw(frames, cameras: cameras, on: surface, areas: areas)
    drawRest(surface, areas)
  }

  /// Frames that see all of a face, with their weights in its detail.
  private typealias Candidates = [(frame: UInt32, weight: Float)]

  private static func candidates(_ selection: ViewSelection, _ cameras: [Camera]) -> [Candidates] {
    let domain = selection.calibration.domain
    let (mesh, selected, surface) = (domain.mesh, selection.selected, domain.surface)
    var result = [Candidates](repeating: [], count: surface.faceCount)
    for triangle in 0..<mesh.triangleCount {
      let face = Int(mesh.surfaceFaces[triangle])
      let (a, b, c) = mesh.vertices(ofTriangle: triangle)
      for vertex in [a, b, c] {
        for view in selected.contributions[selected.range(of: vertex)] {
          if let place = result[face].firstIndex(where: { $0.frame == view.frame }) {
            result[face][place].weight += view.weight
          } else {
            result[face].append((view.frame, view.weight))
          }
        }
      }
    }
    return Parallel.map(count: result.count) { [result] face in
      let sum = result[face].reduce(0) { $0 + $1.weight }
      return result[face].filter { isWhole(face, of: surface, in: cameras[Int($0.frame)]) }
        .map { ($0.frame, $0.weight / sum) }
    }
  }

  /// Whether all corners of a face are inside an image, and it is not seen at a grazing angle.
  static func isWhole(
    _ face: Int, of surface: ObservedSurface, in camera: Camera
  ) -> Bool {
    let (a, b, c) = surface.vertices(ofFace: face)
    let places = [a, b, c].map { surface.positions[$0].simd }
    let normal = (places[1] - places[0]).cross(places[2] - places[0]).normalized
    guard normal.dot((camera.position - places[0]).normalized) > leastCosine else { return false }
    return places.allSatisfy { place in
      camera.project(place).map { camera.contains(SIMD2($0.x, $0.y), margin: 0) } ?? false
    }
  }

  /// The frame of each face: one that sees it, preferably that of its neighbours.
  private static func frames(_ candidates: [Candidates], _ neighbors: [UInt32]) -> [UInt32] {
    var frames = candidates.map { faceCandidates in
      faceCandidates.max { $0.weight < $1.weight }?.frame ?? none
    }
    for _ in 0..<rounds {
      for face in frames.indices where candidates[face].count > 1 {
        var best = (frame: none, score: -Float.infinity)
        for candidate in candidates[face] {
          var score = candidate.weight
          for corner in 3 * face..<3 * face + 3 where neighbors[corner] != ChartSurface.none {
            if frames[Int(neighbors[corner])] == candidate.frame { score += neighborScore }
          }
          if score > best.score { best = (candidate.frame, score) }
        }
        frames[face] = best.frame
      }
    }
    return frames
  }

  /// Makes a chart of each piece that has a frame.
  private mutating func gather(_ frames: [UInt32], _ neighbors: [UInt32]) {
    let pieces = ChartPieces(frames, neighbors)
    for piece in 0..<pieces.count {
      let faces = pieces.faces(of: piece)
      guard let first = faces.first, frames[Int(first)] != Self.none else { continue }
      for face in faces { chartOfFace[Int(face)] = UInt32(truncatingIfNeeded: count) }
      count += 1
    }
  }

  /// Lays out the faces that have a frame as it sees them.
  private mutating func draw(
    _ frames: [UInt32], cameras: [Camera], on surface: ObservedSurface, areas: [Float]
  ) {
    var (drawn, real) = (0.0, 0.0)
    for face in frames.indices where frames[face] != Self.none {
      let (a, b, c) = surface.vertices(ofFace: face)
      for (corner, vertex) in [a, b, c].enumerated() {
        let seen = cameras[Int(frames[face])].project(surface.positions[vertex].simd) ?? .zero
        corners[3 * face + corner] = SIMD2(seen.x, seen.y)
      }
      let ab = corners[3 * face + 1] - corners[3 * face]
      let ac = corners[3 * face + 2] - corners[3 * face]
      drawn += Double(abs(ab.x * ac.y - ab.y * ac.x)) / 2
      real += Double(areas[face])
    }
    guard drawn > 0 else { return }
    let scale = Float((real / drawn).squareRoot())
    for face in frames.indices where frames[face] != Self.none {
      for corner in 3 * face..<3 * face + 3 { corners[corner] *= scale }
    }
  }

  /// Lays out the other faces in planes.
  private mutating func drawRest(_ surface: ObservedSurface, _ areas: [Float]) {
    let rest = chartOfFace.indices.filter { chartOfFace[$0] == Atlas.noChart && areas[$0] > 0 }
    guard !rest.isEmpty else { return }
    let part = ChartSurface(
      positions: surface.positions,
      indices: rest.flatMap { surface.indices[3 * $0..<3 * $0 + 3] })
    let growth = ChartGrowth(part)
    let charts = ChartProjection.project(
      part, chartOfFace: growth.chartOfFace, count: growth.count)
    for (index, face) in rest.enumerated() where charts.chartOfFace[index] != Atlas.noChart {
      chartOfFace[face] = UInt32(truncatingIfNeeded: count) + charts.chartOfFace[index]
      for corner in 0..<3 { corners[3 * face + corner] = charts.corners[3 * index + corner] }
    }
    count += charts.count
  }
}
