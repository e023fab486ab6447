package import MeshpipeScene

/// Determines which faces to reverse for a consistent winding that shows their outside.
package struct Winding {
  /// Whether to reverse each face.
  package private(set) var isFlipped: [Bool]
  /// The number of non-orientable components, such as a Möbius strip.
  package private(set) var nonOrientableCount = 0

  /// The faces, component after component.
  private var order: [UInt32] = []
  private var components: [Component] = []

  private struct Component {
    /// Indices in ``Winding/order``.
    var places: Range<Int>
    /// Every edge has exactly two faces.
    var isClosed = true
    var isOrientable = true
  }

  /// Finds a consistent winding of each component of faces joined by edges with two faces.
  ///
  /// The first face of a component determines the winding, until ``keepMajority(of:)`` or
  /// ``orient(_:)``. A non-orientable component is left unchanged.
  /// - Complexity: O(faces)
  package init(of mesh: Mesh, edges: Edges) {
    isFlipped = [Bool](repeating: false, count: mesh.faceCount)
    order.reserveCapacity(mesh.faceCount)
    var isVisited = isFlipped
    for seed in 0..<mesh.faceCount where !isVisited[seed] {
      isVisited[seed] = true
      let component = flood(from: seed, mesh, edges, &isVisited)
      components.append(component)
      if !component.isOrientable {
        nonOrientableCount += 1
        for face in order[component.places] { isFlipped[Int(face)] = false }
      }
    }
  }

  private mutating func flood(
    from seed: Int, _ mesh: Mesh, _ edges: Edges, _ isVisited: inout [Bool]
  ) -> Component {
    let start = order.count
    var component = Component(places: start..<start)
    order.append(UInt32(truncatingIfNeeded: seed))
    var next = start
    while next < order.count {
      let face = Int(order[next])
      next += 1
      for corner in 3 * face..<3 * face + 3 {
        guard let opposite = edges.opposite(ofCorner: corner) else {
          component.isClosed = false
          continue
        }
        // Consistently wound faces traverse their common edge in opposite directions.
        let windAlike = mesh.indices[corner] != mesh.indices[opposite]
        let wanted = isFlipped[face] == windAlike
        let neighbor = opposite / 3
        if !isVisited[neighbor] {
          isVisited[neighbor] = true
          isFlipped[neighbor] = wanted
          order.append(UInt32(truncatingIfNeeded: neighbor))
        } else if isFlipped[neighbor] != wanted {
          component.isOrientable = false
        }
      }
    }
    component.places = start..<order.count
    return component
  }

  /// Chooses the winding of each component that most of its area already has.
  package mutating func keepMajority(of mesh: Mesh) {
    for component in components where component.isOrientable {
      turn(component, if: keptArea(of: order[component.places], in: mesh) < 0)
    }
  }

  /// Chooses the winding of each component that shows its outside.
  ///
  /// A closed component is oriented outward. An open one follows the normals of the mesh if there
  /// are any, otherwise the winding of most of its area. A closed component that was wound inward
  /// throughout and is in the bounding box of a larger closed one is left unchanged: it may bound a
  /// cavity.
  package mutating func orient(_ mesh: Mesh) {
    let enclosing = boxesOfLargestClosedComponents(of: mesh)
    for component in components where component.isOrientable {
      let faces = order[component.places]
      var turns: Bool
      if component.isClosed {
        turns = signedVolume(of: faces, in: mesh) < 0
        if turns, !faces.contains(where: { isFlipped[Int($0)] }) {
          let box = bounds(of: faces, in: mesh)
          turns = !enclosing.contains { $0 != box && $0.contains(box) }
        }
      } else {
        let agreement = agreementWithNormals(of: faces, in: mesh)
        turns = agreement != 0 ? agreement < 0 : keptArea(of: faces, in: mesh) < 0
      }
      turn(component, if: turns)
    }
  }

  private mutating func turn(_ component: Component, if condition: Bool) {
    guard condition else { return }
    for face in order[component.places] { isFlipped[Int(face)].toggle() }
  }

  /// A small number, so that a scene with very many closed fragments stays linear.
  private func boxesOfLargestClosedComponents(of mesh: Mesh) -> [Box] {
    let closed = components.filter { $0.isClosed && $0.isOrientable }
    let largest = closed.sorted {
      ($1.places.count, $0.places.lowerBound) < ($0.places.count, $1.places.lowerBound)
    }
    return largest.prefix(32).map { bounds(of: order[$0.places], in: mesh) }
  }

  private func bounds(of faces: ArraySlice<UInt32>, in mesh: Mesh) -> Box {
    var box = Box()
    for face in faces {
      for corner in 3 * Int(face)..<3 * Int(face) + 3 {
        box.add(mesh.positions[Int(mesh.indices[corner])].simd)
      }
    }
    return box
  }

  /// Six times the volume enclosed by the faces in the chosen winding.
  private func signedVolume(of faces: ArraySlice<UInt32>, in mesh: Mesh) -> Double {
    guard let first = faces.first else { return 0 }
    let origin = mesh.centroid(ofFace: Int(first))
    return faces.reduce(0) { sum, face in
      let face = Int(face)
      let volume = (mesh.centroid(ofFace: face) - origin).dot(mesh.areaVector(ofFace: face))
      return sum + (isFlipped[face] ? -volume : volume)
    }
  }

  /// The area whose winding stays minus the area that would be reversed.
  private func keptArea(of faces: ArraySlice<UInt32>, in mesh: Mesh) -> Double {
    faces.reduce(0) { sum, face in
      let face = Int(face)
      let area = mesh.area(ofFace: face)
      return sum + (isFlipped[face] ? -area : area)
    }
  }

  /// The agreement of the faces, in the chosen winding, with the normals of their corners.
  private func agreementWithNormals(of faces: ArraySlice<UInt32>, in mesh: Mesh) -> Double {
    guard mesh.cornerNormals != nil || mesh.normals != nil else { return 0 }
    return faces.reduce(0) { sum, face in
      let face = Int(face)
      let agreement = mesh.areaVector(ofFace: face).dot(mesh.normalSum(ofFace: face))
      return sum + (isFlipped[face] ? -agreement : agreement)
    }
  }
}

extension Mesh {
  /// The sum of the finite normals at a face's corners; zero if there are none.
  fileprivate func normalSum(ofFace face: Int) -> SIMD3<Double> {
    var sum = SIMD3<Double>.zero
    for corner in 3 * face..<3 * face + 3 {
      guard let normal = cornerNormals?[corner] ?? normals?[Int(indices[corner])] else { continue }
      if normal.isFinite { sum += normal.double }
    }
    return sum
  }

  /// Reverses the selected faces, and normals that would then point inward; bitangents stay.
  package mutating func flipFaces(_ isFlipped: [Bool]) {
    guard isFlipped.contains(true) else { return }
    reverseFaces(isFlipped)
    var isTurned = [Bool](repeating: false, count: vertexCount)
    var isKept = isTurned
    for face in isFlipped.indices {
      let outside = areaVector(ofFace: face)
      for corner in 3 * face..<3 * face + 3 {
        if isFlipped[face], let normal = cornerNormals?[corner], normal.double.dot(outside) < 0 {
          cornerNormals?[corner] = Vector3(-normal.simd)
          tangents?[corner].w.negate()
        }
        let vertex = Int(indices[corner])
        if isFlipped[face], let normal = normals?[vertex], normal.double.dot(outside) < 0 {
          isTurned[vertex] = true
        } else {
          isKept[vertex] = true
        }
      }
    }
    for vertex in isTurned.indices where isTurned[vertex] && !isKept[vertex] {
      if let normal = normals?[vertex] { normals?[vertex] = Vector3(-normal.simd) }
    }
    guard cornerNormals == nil, tangents != nil else { return }
    for (corner, vertex) in indices.enumerated()
    where isTurned[Int(vertex)] && !isKept[Int(vertex)] {
      tangents?[corner].w.negate()
    }
  }
}

extension Box {
  fileprivate func contains(_ other: Box) -> Bool {
    contains(other.minimum) && contains(other.maximum)
  }
}
