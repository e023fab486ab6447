public import MeshPipeline
import Photogrammetry
import SurfaceKernels

/// Closes holes in the surface with triangles, up to a size.
public struct FillHoles: Stage {
  public static let otherNames = ["close-holes", "holes"]
  public static let summary = "Closes holes in the surface with triangles, up to a size."
  public static let discussion = """
    A hole is a closed loop of boundary edges. Among all triangulations of its own vertices, the \
    stage chooses the one that bends least against the surrounding surface, and among those the \
    one with the least area (Liepa 2003).

    Very large holes are first reduced by cutting off corners. No vertex is added or moved.

    New faces get the class and material of most faces around the hole, and the texture \
    coordinates of its border. The outer border of a flat piece, whose fill would coincide with \
    the piece, is not a hole. Holes that can't be closed without an edge of three faces stay \
    open.

    Run `weld` and `clean` first, so that seams between duplicated vertices are not mistaken for \
    holes and the winding is consistent.
    """
  public static let example = #"{ "use": "fill-holes", "with": { "maximumSize": "30cm" } }"#

  public struct Parameters: StageParameters {
    @Parameter(
      "Maximum bounding box edge of a hole; larger holes stay open.",
      in: 0...Double.infinity)
    public var maximumSize = RelativeLength.fraction(0.1)

    @Parameter("Maximum number of edges of a hole.", in: 3...Double.infinity)
    public var maximumEdges: Int? = nil

    public init() {}
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    let size = parameters.maximumSize.resolved(
      extent: Double(scene.bounds.extent), in: scene.coordinateSystem)
    var filled = 0
    var open = 0
    try scene.updateMeshes(in: context) { mesh in
      let faces = try newFaces(closing: mesh, upTo: size, in: context, &filled, &open)
      faces.add(to: &mesh)
    }
    context.note("filledHoles", filled.json)
    context.note("openHoles", open.json)
    return scene
  }

  private func newFaces(
    closing mesh: Mesh, upTo size: Double, in context: StageContext, _ filled: inout Int,
    _ open: inout Int
  ) throws -> NewFaces {
    var filling = HoleFilling(of: mesh)
    try context.checkCancellation()
    for loop in filling.loops {
      try context.checkCancellation()
      let isSmall = loop.count <= parameters.maximumEdges ?? .max
      if isSmall, filling.size(of: loop, in: mesh) <= size, filling.fill(loop, in: mesh) {
        filled += 1
      } else {
        open += 1
      }
    }
    return filling.faces
  }
}

/// New faces that inherit attributes from those around them.
private struct NewFaces {
  /// The corners from which each new face takes its vertices and attributes.
  var corners: [Int] = []
  /// The face from which each new face takes its class and material.
  var models: [Int] = []

  func add(to mesh: inout Mesh) {
    guard !corners.isEmpty else { return }
    mesh.indices += corners.map { mesh.indices[$0] }
    mesh.apply(RepeatedElements(corners), to: .corner)
    mesh.apply(RepeatedElements(models), to: .face)
  }
}

/// Closes the holes of one mesh.
private struct HoleFilling {
  let loops: [[Int]]
  private let edges: Edges
  /// The new edges, by lower and higher vertex.
  private var newEdges: Set<SIMD2<UInt32>> = []
  private(set) var faces = NewFaces()

  init(of mesh: Mesh) {
    edges = Edges(mesh)
    loops = BoundaryLoops(of: mesh, edges: edges).loops
  }

  func size(of loop: [Int], in mesh: Mesh) -> Double {
    Double(Box(loop.map { mesh.positions[Int(mesh.indices[$0])] }).extent)
  }

  /// Fills one hole; false if it is not a hole, or can't be filled.
  mutating func fill(_ loop: [Int], in mesh: Mesh) -> Bool {
    // Seen from outside, a hole runs against the faces around it.
    let ring = Array(loop.reversed())
    let vertices = ring.map { mesh.indices[$0] }
    guard vertices.allSatisfy({ mesh.positions[Int($0)].isFinite }) else { return false }
    let points = vertices.map { mesh.positions[Int($0)].double }
    // The edge from a point to the next belongs to the halfedge that starts at the next.
    let beside = ring.indices.map { ring[($0 + 1) % ring.count] / 3 }
    let normals = beside.map { mesh.areaVector(ofFace: $0).normalized }
    guard
      let triangles = HoleTriangulation.triangles(
        of: points, outerNormals: normals,
        isForbidden: { [self] in hasEdge(vertices[$0], vertices[$1]) })
    else { return false }
    guard !liesBack(triangles, points, normals) else { return false }
    let model = commonFace(of: beside, in: mesh)
    for triangle in triangles {
      for place in 0..<3 {
        faces.corners.append(ring[triangle[place]])
        let (a, b) = (vertices[triangle[place]], vertices[triangle[(place + 1) % 3]])
        newEdges.insert(SIMD2(min(a, b), max(a, b)))
      }
      faces.models.append(model)
    }
    return true
  }

  /// Whether the fill faces the other way than the surrounding surface, which means that the loop
  /// goes around a flat piece and is not a hole.
  private func liesBack(
    _ triangles: [SIMD3<Int>], _ points: [SIMD3<Double>], _ outerNormals: [SIMD3<Double>]
  ) -> Bool {
    let fill = triangles.reduce(SIMD3<Double>.zero) { sum, triangle in
      sum
        + (points[triangle.y] - points[triangle.x]).cross(points[triangle.z] - points[triangle.x])
    }.normalized
    let agreement = outerNormals.reduce(0) { $0 + $1.dot(fill) } / Double(outerNormals.count)
    return agreement < -0.9
  }

  /// The first of some faces with the most common class and material among them.
  private func commonFace(of faces: [Int], in mesh: Mesh) -> Int {
    var votes: [SIMD2<UInt32>: (count: Int, face: Int)] = [:]
    for face in faces {
      let kind = SIMD2(
        UInt32(mesh.classes?.labels[face] ?? 0), mesh.faceMaterials?[face] ?? 0)
      let vote = votes[kind] ?? (0, face)
      votes[kind] = (vote.count + 1, min(vote.face, face))
    }
    let winner = votes.values.max { ($0.count, $1.face) < ($1.count, $0.face) }
    return winner?.face ?? faces[0]
  }

  private func hasEdge(_ a: UInt32, _ b: UInt32) -> Bool {
    newEdges.contains(SIMD2(min(a, b), max(a, b))) || edges.contains(a, b)
  }
}
