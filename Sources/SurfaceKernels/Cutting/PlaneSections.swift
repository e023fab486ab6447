package import MeshpipeScene

/// The lines in which parallel planes cut meshes.
///
/// A vertex on a plane counts as in front of it, so that a plane crosses a face at two edges or not at all: faces in the plane
/// are not cut, and the outline of what stands behind them is. Faces are joined where their edges have the same ends,
/// in whichever mesh and with whatever indices.
package struct PlaneSections: Sendable {
  /// The chains of each plane, in the order of the heights.
  package private(set) var chains: [[SectionChain]]

  /// Cuts meshes along the planes at ascending heights along the third axis.
  ///
  /// - Parameters:
  ///   - axes: Orthonormal: those of the plane, and the third towards its viewer.
  ///   - label: What tells the faces of one line from those of another, by mesh and face.
  /// - Complexity: O(faces × log planes + cut faces), on all cores.
  package init(
    of meshes: [Mesh], axes: Transform, heights: [Double],
    label: @Sendable (_ mesh: Int, _ face: Int) -> UInt32
  ) {
    var cuts = [[CutCorners]](repeating: [], count: heights.count)
    for (index, mesh) in meshes.enumerated() {
      for (plane, faces) in Self.cutFaces(of: mesh, axes, heights).enumerated()
      where !faces.isEmpty {
        cuts[plane].append(CutCorners(faces, of: mesh) { label(index, $0) })
      }
    }
    let cutMeshes = cuts
    chains = Parallel.map(count: heights.count) { plane in
      var corners = CutCorners()
      for part in cutMeshes[plane] { corners.append(part) }
      return SectionChaining(corners, axes, height: heights[plane]).chains
    }
  }

  /// The faces that each plane crosses, in their order.
  private static func cutFaces(
    of mesh: Mesh, _ axes: Transform, _ heights: [Double]
  ) -> [[UInt32]] {
    let (axis, offset) = (axes.z, axes.z.dot(axes.translation))
    let depths: [Double] = Parallel.array(count: mesh.vertexCount) {
      mesh.positions[$0].double.dot(axis) - offset
    }
    let parts = Parallel.mapChunks(of: mesh.faceCount) { range in
      var found: [(plane: Int, face: UInt32)] = []
      for face in range {
        let a = depths[Int(mesh.indices[3 * face])]
        let b = depths[Int(mesh.indices[3 * face + 1])]
        let c = depths[Int(mesh.indices[3 * face + 2])]
        let low = min(a, b, c)
        // NaN is in no order; what is infinite has no cut.
        guard (a + b + c).isFinite else { continue }
        let high = max(a, b, c)
        var plane = Self.firstAbove(low, heights)
        while plane < heights.count, heights[plane] <= high {
          found.append((plane, UInt32(face)))
          plane += 1
        }
      }
      return found
    }
    var faces = [[UInt32]](repeating: [], count: heights.count)
    for part in parts {
      for (plane, face) in part { faces[plane].append(face) }
    }
    return faces
  }

  /// The index of the first height above another; their number if none is.
  private static func firstAbove(_ height: Double, _ heights: [Double]) -> Int {
    var (low, high) = (0, heights.count)
    while low < high {
      let middle = (low + high) / 2
      if heights[middle] > height { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// The positions of the corners of cut faces, three of each, with the label of each face.
struct CutCorners: Sendable {
  var positions: [Vector3] = []
  var labels: [UInt32] = []

  init() {}

  init(_ faces: [UInt32], of mesh: Mesh, label: (Int) -> UInt32) {
    positions.reserveCapacity(3 * faces.count)
    labels.reserveCapacity(faces.count)
    for face in faces {
      for corner in 3 * Int(face)..<3 * Int(face) + 3 {
        positions.append(mesh.positions[Int(mesh.indices[corner])])
      }
      labels.append(label(Int(face)))
    }
  }

  mutating func append(_ other: CutCorners) {
    positions += other.positions
    labels += other.labels
  }
}
