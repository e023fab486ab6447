package import MeshpipeScene
package import NativeLibraries

extension Winding {
  /// The minimum evidence of rays to orient a part whose faces were wound both ways.
  private static let evidenceForMixed = 0.1
  /// The minimum evidence of rays to flip a part whose faces were wound one way: a floor under furniture shows its
  /// upper side to fewer rays than its lower one.
  private static let evidenceForUniform = 0.3

  /// Winds the components of all meshes of a scene so that they show their outside.
  ///
  /// A component with floors or ceilings follows these: it is a room, whose outside is where people are.
  /// Another closed component is oriented outward. If it is inside an odd number of other closed ones and
  /// was wound inward throughout, it bounds a cavity and is left unchanged. An open component follows the
  /// normals of the mesh if there are any; otherwise, if it is part of a room, the side of most of its
  /// area, and if not, rays from both its sides. Where they don't tell, it keeps the side of most of its
  /// area and is counted in ``unsureCount``.
  /// - Complexity: O(faces log faces).
  package static func outward(of scene: borrowing Scene) throws(NativeLibraryError) -> [Winding] {
    let meshes = scene.meshes
    var windings = meshes.map { Winding(of: $0, edges: Edges($0)) }
    let levels = meshes.map { LevelFaces(of: $0, up: scene.coordinateSystem.up.vector) }
    let isRoom = levels.contains { $0 != nil }
    let doubtful = windings.indices.map {
      windings[$0].orientClearComponents(of: meshes[$0], levels[$0], inRoom: isRoom)
    }
    guard doubtful.contains(where: { !$0.isEmpty }) else { return windings }
    let rays = try OutsideRays(meshes: meshes, windings: windings)
    var firstPart = 0
    for index in windings.indices {
      windings[index].orient(doubtful[index], of: meshes[index], by: rays, firstPart: firstPart)
      firstPart += windings[index].components.count
    }
    return windings
  }

  /// Orients components whose outside is clear without the rest of the scene.
  ///
  /// - Returns: The other orientable components.
  private mutating func orientClearComponents(
    of mesh: Mesh, _ levels: LevelFaces?, inRoom isRoom: Bool
  ) -> [Int] {
    var doubtful: [Int] = []
    for (number, component) in components.enumerated() where component.isOrientable {
      let faces = order[component.places]
      if let agreement = levels?.agreement(of: faces, in: mesh, isFlipped: isFlipped) {
        turn(component, if: agreement < 0)
      } else if component.isClosed {
        let volume = signedVolume(of: faces, in: mesh)
        // What looks outward throughout is right also inside another part.
        if volume > 0, isUniform(faces), !isFlipped[Int(faces[faces.startIndex])] { continue }
        turn(component, if: volume < 0)
        doubtful.append(number)
      } else {
        let agreement = agreementWithNormals(of: faces, in: mesh)
        if agreement == 0, !isRoom {
          doubtful.append(number)
        } else {
          turn(component, if: (agreement != 0 ? agreement : keptArea(of: faces, in: mesh)) < 0)
        }
      }
    }
    return doubtful
  }

  private mutating func orient(
    _ doubtful: [Int], of mesh: Mesh, by rays: OutsideRays, firstPart: Int
  ) {
    let winding = self
    let verdicts = Parallel.array(count: doubtful.count, chunkSize: 16) { index in
      winding.verdict(on: doubtful[index], of: mesh, by: rays, firstPart: firstPart)
    }
    for (number, verdict) in zip(doubtful, verdicts) {
      let component = components[number]
      switch verdict {
      case .right: break
      case .wrong: turn(component, if: true)
      case .unsure:
        if !component.isClosed {
          turn(component, if: keptArea(of: order[component.places], in: mesh) < 0)
        }
        addUnsure(component, of: mesh)
      }
    }
  }

  private enum Verdict: UInt8 {
    case right, wrong, unsure
  }

  private func verdict(
    on number: Int, of mesh: Mesh, by rays: OutsideRays, firstPart: Int
  ) -> Verdict {
    let faces = order[components[number].places]
    guard let first = faces.first else { return .right }
    if components[number].isClosed {
      let corner = mesh.positions[Int(mesh.indices[3 * Int(first)])].double
      guard rays.isEnclosed(corner, ofPart: firstPart + number) else { return .right }
      // Wound inward as a whole it bounds a cavity; wound both ways it may be one or a body of its own.
      return isUniform(faces) ? .wrong : .unsure
    }
    let evidence = rays.evidence(for: faces, of: mesh, isFlipped: isFlipped)
    let turnsAll = isUniform(faces) && isFlipped[Int(first)] == (evidence > 0)
    let needed = turnsAll ? Self.evidenceForUniform : Self.evidenceForMixed
    guard abs(evidence) >= needed else { return .unsure }
    return evidence > 0 ? .right : .wrong
  }

  /// Whether the faces of a component are all to be reversed, or none.
  private func isUniform(_ faces: ArraySlice<UInt32>) -> Bool {
    guard let first = faces.first else { return true }
    return faces.allSatisfy { isFlipped[Int($0)] == isFlipped[Int(first)] }
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
}
