import MeshpipeScene

/// The part of a scene that a stage works on: classes, and meshes and point clouds by name.
package struct StageScope: Sendable, Equatable {
  /// Names of classes, and names of meshes and point clouds, in which `*` matches any characters.
  package var names: [String]

  package init(names: [String]) {
    self.names = names
  }

  /// Splits a scene.
  ///
  /// - Returns: The part for the stage, nil if it is empty, and the rest. Both have all materials
  ///   and textures of the scene.
  func split(_ scene: consuming Scene) -> (part: Scene?, rest: Scene) {
    var part = copy scene
    part.meshes = []
    part.pointClouds = []
    var rest = copy part
    // What is of the whole scene goes with the part.
    rest.capture = nil
    (rest.surfaceMaps, rest.shapes, rest.gates, rest.room) = ([], [], [], nil)
    (rest.buildings, rest.sections) = ([], [])
    for mesh in scene.meshes {
      for (isIn, piece) in pieces(of: mesh) {
        if isIn { part.meshes.append(piece) } else { rest.meshes.append(piece) }
      }
    }
    for cloud in scene.pointClouds {
      for (isIn, piece) in pieces(of: cloud) {
        if isIn { part.pointClouds.append(piece) } else { rest.pointClouds.append(piece) }
      }
    }
    if part.meshes.isEmpty, part.pointClouds.isEmpty { return (nil, consume scene) }
    return (part, rest)
  }

  /// Merges the stage's result with the rest.
  func join(_ result: consuming Scene, _ rest: consuming Scene) -> Scene {
    // Materials are not duplicated, unless the stage has changed them.
    if result.materials == rest.materials, result.textures == rest.textures {
      rest.materials = []
      rest.textures = []
      rest.convert(to: result.coordinateSystem)
      result.meshes += rest.meshes
      result.pointClouds += rest.pointClouds
      return result
    }
    result.append(rest)
    return result
  }

  private func pieces(of mesh: Mesh) -> [(isIn: Bool, piece: Mesh)] {
    if holds(mesh.name) { return [(true, mesh)] }
    guard let classes = mesh.classes else { return [(false, mesh)] }
    let isIn = classes.names.map { holds($0) }
    let groups = classes.labels.map { isIn[Int($0)] ? UInt32(1) : 0 }
    if !groups.contains(0) { return [(!groups.isEmpty, mesh)] }
    if !groups.contains(1) { return [(false, mesh)] }
    let parts = mesh.partitioned(by: groups, count: 2)
    return [(true, parts[1]), (false, parts[0])]
  }

  private func pieces(of cloud: PointCloud) -> [(isIn: Bool, piece: PointCloud)] {
    if holds(cloud.name) { return [(true, cloud)] }
    guard let classes = cloud.classes else { return [(false, cloud)] }
    let isIn = classes.names.map { holds($0) }
    let inside = classes.labels.indices.filter { isIn[Int(classes.labels[$0])] }
    if inside.isEmpty { return [(false, cloud)] }
    if inside.count == classes.labels.count { return [(true, cloud)] }
    let outside = classes.labels.indices.filter { !isIn[Int(classes.labels[$0])] }
    return [(true, cloud.selecting(points: inside)), (false, cloud.selecting(points: outside))]
  }

  private func holds(_ name: String) -> Bool { names.contains { Self.matches(name[...], $0[...]) } }

  /// Whether a name matches a pattern in which `*` matches any characters.
  private static func matches(_ name: Substring, _ pattern: Substring) -> Bool {
    var parts = pattern.split(separator: "*", omittingEmptySubsequences: false)[...]
    guard parts.count > 1, let first = parts.popFirst(), let last = parts.popLast() else {
      return name == pattern
    }
    guard name.hasPrefix(first), name.dropFirst(first.count).hasSuffix(last) else { return false }
    var rest = name.dropFirst(first.count).dropLast(last.count)
    for part in parts {
      guard let range = rest.firstRange(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return true
  }
}
