package import MeshPipeline

extension STL: WritableFormat {
  package struct Options: StageParameters {
    @Parameter("Write text instead of binary; about five times as large.")
    package var ascii = false
    @Parameter(
      "Unit of the numbers: mm for slicers and CAD, m for Blender; if absent, they are those of the scene, and a warning names both readings unless they are millimetres."
    )
    package var unit: STLUnit? = nil

    package init() {}
  }

  package static let keeps: Set<SceneFeature> = [.faces]
  package static let axes = AxisConvention.undeclared(usually: .blender)
  package static let holdsProvenance = Provenance.Extent.short
  package static let remark = """
    Axes and unit are in the header, for meshpipe only: slicers and CAD assume millimetres, Blender \
    metres; `unit` chooses. All meshes are merged, and no vertices are shared. Colours of facets are read, not written.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let options = try context.options(of: Self.self)
    try context.requireFinitePositions(of: scene)
    guard scene.faceCount > 0 else {
      throw UnwritableScene.nothingToWrite(format: name, holds: "faces")
    }
    guard let faceCount = UInt32(exactly: scene.faceCount) else {
      throw UnwritableScene.tooLarge(format: name, limit: "\(UInt32.max) faces")
    }
    context.warnOfLosses(of: scene, in: Self.self)
    context.warnOfAxes(of: scene, in: Self.self)
    if options.unit == nil { warnOfUnit(of: scene, in: context) }
    var scene = scene
    if let unit = options.unit?.meters {
      var system = scene.coordinateSystem
      system.metersPerUnit = unit
      scene.convert(to: system)
      try context.requireFinitePositions(of: scene)
    }

    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    if options.ascii {
      let name = title(of: scene, in: context)
      try writer.write("solid \(name)\n")
      for mesh in scene.meshes { try writeText(mesh, to: writer) }
      try writer.write("endsolid \(name)\n")
    } else {
      // The header must not begin with "solid", or programs assume text.
      let kind = context.provenance == nil ? "binary STL" : "STL"
      var header = Array("\(kind) by \(title(of: scene, in: context))".utf8)
      // A unit with many digits does not fit.
      if header.count > headerLength { header = Array("binary STL by meshpipe".utf8) }
      try writer.write(header + [UInt8](repeating: 0x20, count: headerLength - header.count))
      try writer.write(faceCount)
      for mesh in scene.meshes { try writeBinary(mesh, to: writer) }
    }
    try writer.finish()
  }

  private static let headerLength = 80

  /// Axes and unit, and the beginnings of the hashes of what made the file.
  private static func title(of scene: Scene, in context: WritingContext) -> String {
    [scene.coordinateSystem.declaration, context.provenance?.digest].compactMap(\.self)
      .filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// Says how large programs will take the model for, unless they agree with the scene.
  private static func warnOfUnit(of scene: Scene, in context: WritingContext) {
    let isUnchanged = scene.interpretation[.unit].map { $0.isDoubtful && $0.source == .assumed }
    // Numbers in an unknown unit, as of another STL, are left as they are.
    guard scene.coordinateSystem.metersPerUnit != STLUnit.mm.meters, isUnchanged != true else {
      return
    }
    let size = scene.bounds.size
    let numbers = (0..<3).map {
      NumberText.fixed(Double(size[$0]), digits: size.max() < 10 ? 3 : 1)
    }
    let text = numbers.joined(separator: " x ")
    context.stage.warn(
      """
      \(name) has no unit: the model is \(text), which is millimetres for slicers and CAD, and metres for Blender; \
      say which with "unit": "mm" or "m" on the output (--set stl.unit=mm)
      """)
  }

  private static func writeBinary(_ mesh: Mesh, to writer: FileWriter) throws {
    let (positions, indices) = (mesh.positions, mesh.indices)
    try writer.write(count: mesh.faceCount) { faces, buffer in
      for face in faces {
        let facet = Facet(of: face, positions: positions, indices: indices)
        buffer.append(facet.normal)
        buffer.append(facet.a)
        buffer.append(facet.b)
        buffer.append(facet.c)
        buffer.append(UInt16(0))
      }
    }
  }

  private static func writeText(_ mesh: Mesh, to writer: FileWriter) throws {
    let (positions, indices) = (mesh.positions, mesh.indices)
    let powers = DecimalPowers.shared
    try writer.write(count: mesh.faceCount) { faces, buffer in
      for face in faces {
        let facet = Facet(of: face, positions: positions, indices: indices)
        buffer.append("facet normal")
        buffer.append(spaced: facet.normal, powers: powers)
        buffer.append("\nouter loop\nvertex")
        buffer.append(spaced: facet.a, powers: powers)
        buffer.append("\nvertex")
        buffer.append(spaced: facet.b, powers: powers)
        buffer.append("\nvertex")
        buffer.append(spaced: facet.c, powers: powers)
        buffer.append("\nendloop\nendfacet\n")
      }
    }
  }

  /// A face with its normal, zero if the face has no area.
  private struct Facet {
    var normal: Vector3
    var a: Vector3
    var b: Vector3
    var c: Vector3

    init(of face: Int, positions: borrowing [Vector3], indices: borrowing [UInt32]) {
      a = positions[Int(indices[3 * face])]
      b = positions[Int(indices[3 * face + 1])]
      c = positions[Int(indices[3 * face + 2])]
      let product = (b.double - a.double).cross(c.double - a.double)
      normal = Vector3(SIMD3<Float>(product.normalized))
    }
  }
}

/// A unit in which programs take the numbers of STL.
package enum STLUnit: String, CaseIterable, ParameterValue {
  case mm, cm, m
  case inch = "in"

  /// The length in metres.
  var meters: Double { Length.units[rawValue] ?? 1 }
}
