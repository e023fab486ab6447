package import MeshPipeline

extension OFF: WritableFormat {
  package static let keeps: Set<SceneFeature> = [.faces, .points, .colors]
  package static let holdsFaceColors = true
  package static let axes = AxisConvention.undeclared(usually: .arkit)
  package static let remark = """
    Text. All meshes and points are merged; with colours it is a COFF file, whose vertices have red, \
    green, blue and opacity from 0 to 255; colours of faces stand behind each face.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    _ = try context.options(of: Self.self)
    try context.requireFinitePositions(of: scene)
    let vertexCount = scene.vertexCount + scene.pointCount
    guard vertexCount > 0 else {
      throw UnwritableScene.nothingToWrite(format: name, holds: "faces and points")
    }
    guard vertexCount <= Int(Int32.max), scene.faceCount <= Int(Int32.max) else {
      throw UnwritableScene.tooLarge(format: name, limit: "\(Int32.max) vertices or faces")
    }
    context.warnOfLosses(of: scene, in: Self.self)
    context.warnOfAxes(of: scene, in: Self.self)

    let hasColors =
      scene.meshes.contains { $0.colors != nil } || scene.pointClouds.contains { $0.colors != nil }
    let hasFaceColors = scene.meshes.contains { $0.faceColors != nil }
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try writer.write(hasColors ? "COFF\n" : "OFF\n")
    try writer.write("\(vertexCount) \(scene.faceCount) 0\n")
    for mesh in scene.meshes {
      try write(mesh.positions, mesh.colors, hasColors: hasColors, to: writer)
    }
    for cloud in scene.pointClouds {
      try write(cloud.positions, cloud.colors, hasColors: hasColors, to: writer)
    }
    var firstVertex: UInt32 = 0
    for mesh in scene.meshes {
      try writeFaces(
        of: mesh, firstVertex: firstVertex, colors: hasFaceColors ? mesh.meanFaceColors : nil,
        to: writer)
      firstVertex += UInt32(mesh.vertexCount)
    }
    try writer.finish()
  }

  /// Parts without colours are white if others have some.
  private static func write(
    _ positions: [Vector3], _ colors: [Color]?, hasColors: Bool, to writer: FileWriter
  ) throws {
    let powers = DecimalPowers.shared
    try writer.write(count: positions.count) { range, buffer in
      for vertex in range {
        buffer.append(decimal: positions[vertex].x, powers: powers)
        buffer.append(" ")
        buffer.append(decimal: positions[vertex].y, powers: powers)
        buffer.append(" ")
        buffer.append(decimal: positions[vertex].z, powers: powers)
        if hasColors {
          let color = colors?[vertex] ?? .white
          for part in [color.red, color.green, color.blue, color.alpha] {
            buffer.append(" ")
            buffer.append(decimal: part)
          }
        }
        buffer.append("\n")
      }
    }
  }

  private static func writeFaces(
    of mesh: Mesh, firstVertex: UInt32, colors: [Color]?, to writer: FileWriter
  ) throws {
    let indices = mesh.indices
    try writer.write(count: mesh.faceCount) { faces, buffer in
      for face in faces {
        buffer.append("3")
        for corner in 3 * face..<3 * face + 3 {
          buffer.append(" ")
          buffer.append(decimal: indices[corner] + firstVertex)
        }
        if let color = colors?[face] {
          for part in [color.red, color.green, color.blue, color.alpha] {
            buffer.append(" ")
            buffer.append(decimal: part)
          }
        }
        buffer.append("\n")
      }
    }
  }
}
