package import MeshpipeScene

/// Determines which faces to reverse for a consistent winding that shows their outside.
package struct Winding {
  /// Whether to reverse each face.
  package private(set) var isFlipped: [Bool]
  package var flippedCount: Int { isFlipped.count { $0 } }
  /// The number of non-orientable components, such as a Möbius strip.
  package private(set) var nonOrientableCount = 0
  /// The number of components without a clear outside, and their area.
  package private(set) var unsureCount = 0
  package private(set) var unsureArea = 0.0

  /// The faces, component after component.
  private(set) var order: [UInt32] = []
  private(set) var components: [Component] = []

  struct Component {
    /// Indices in ``Winding/order``.
    var places: Range<Int>
    /// Every edge has exactly two faces.
    var isClosed = true
    var isOrientable = true
  }

  /// Finds a consistent winding of each component of faces joined by edges with two faces.
  ///
  /// The first face of a component determines the winding, until ``keepMajority(of:)`` or
  /// ``outward(of:)``. A non-orientable component is left unchanged.
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

  /// Counts a component as one without a clear outside.
  mutating func addUnsure(_ component: Component, of mesh: Mesh) {
    unsureCount += 1
    for face in order[component.places] where mesh.isFinite(Int(face)) {
      unsureArea += mesh.area(ofFace: Int(face))
    }
  }

  mutating func turn(_ component: Component, if condition: Bool) {
    guard condition else { return }
    for face in order[component.places] { isFlipped[Int(face)].toggle() }
  }

  /// The area whose winding stays minus the area that would be reversed.
  func keptArea(of faces: ArraySlice<UInt32>, in mesh: Mesh) -> Double {
    faces.reduce(0) { sum, face in
      let face = Int(face)
      let area = mesh.area(ofFace: face)
      return sum + (isFlipped[face] ? -area : area)
    }
  }
}
