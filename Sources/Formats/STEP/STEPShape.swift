import MeshPipeline

/// Writes the faces of a model, with the vertices and edges that they share.
struct STEPShape {
  /// Solids, and models of open shells.
  private(set) var solids: [StepReference] = []
  private(set) var surfaces: [StepReference] = []
  /// What has each look: a solid, where all of its faces have it, otherwise faces.
  private(set) var itemsOfStyles: [(style: Int, items: [StepReference])] = []

  private let model: BoundaryModel
  /// The name of the class of each look.
  private let names: [String]
  private var vertices: [StepReference?]
  private var points: [StepReference?]
  private var edges: [StepReference?]
  private var places: [Int: Int] = [:]

  /// - Parameter looks: The name of the class of each look; empty if it is none.
  init(_ model: BoundaryModel, looks: [String]) {
    (self.model, names) = (model, looks)
    vertices = [StepReference?](repeating: nil, count: model.positions.count)
    points = vertices
    edges = [StepReference?](repeating: nil, count: model.edges.count)
  }

  mutating func write(to step: inout StepWriter) throws {
    for solid in model.solids {
      let isTurned = model.isInsideOut(solid)
      let shells = try ([solid.shell] + solid.cavities).map { index in
        try shell("CLOSED_SHELL", model.shells[index].faces, isTurned: isTurned, to: &step)
      }
      let item: StepReference
      if shells.count == 1 {
        item = try step.add("MANIFOLD_SOLID_BREP", [.text(""), .instance(shells[0].reference)])
      } else {
        let voids = try shells.dropFirst().map { shell in
          try step.add(
            "ORIENTED_CLOSED_SHELL",
            [.text(""), .derived, .instance(shell.reference), .boolean(true)])
        }
        item = try step.add(
          "BREP_WITH_VOIDS",
          [.text(""), .instance(shells[0].reference), .instances(voids)])
      }
      solids.append(item)
      add(shells.flatMap(\.faces), of: item)
    }
    for open in model.openShells {
      let shell = try shell("OPEN_SHELL", open.faces, isTurned: false, to: &step)
      let item = try step.add(
        "SHELL_BASED_SURFACE_MODEL", [.text(""), .instances([shell.reference])])
      surfaces.append(item)
      add(shell.faces, of: item)
    }
  }

  /// Notes the look of an item, or those of its faces.
  private mutating func add(
    _ faces: [(style: Int, item: StepReference)], of item: StepReference
  ) {
    let isUniform = faces.allSatisfy { $0.style == faces[0].style }
    for face in isUniform ? faces.prefix(1).map({ ($0.style, item) }) : faces.map({ $0 }) {
      if places[face.0] == nil {
        places[face.0] = itemsOfStyles.count
        itemsOfStyles.append((face.0, []))
      }
      if let place = places[face.0] { itemsOfStyles[place].items.append(face.1) }
    }
  }

  private mutating func shell(
    _ type: String, _ numbers: [Int], isTurned: Bool, to step: inout StepWriter
  ) throws -> (reference: StepReference, faces: [(style: Int, item: StepReference)]) {
    var faces: [(style: Int, item: StepReference)] = []
    for number in numbers {
      let item = try face(model.faces[number], isTurned: isTurned, to: &step)
      faces.append((Int(model.faces[number].style), item))
    }
    let shell = try step.add(type, [.text(""), .instances(faces.map(\.item))])
    return (shell, faces)
  }

  // MARK: Faces

  /// - Parameter isTurned: Whether its other side is outside.
  private mutating func face(
    _ face: BoundaryModel.Face, isTurned: Bool, to step: inout StepWriter
  ) throws -> StepReference {
    var bounds: [StepReference] = []
    for (number, sides) in face.loops.enumerated() {
      var uses: [StepReference] = []
      for side in isTurned ? sides.reversed() : sides {
        let edge = try edge(side.edge, to: &step)
        uses.append(
          try step.add(
            "ORIENTED_EDGE",
            [.text(""), .derived, .derived, .instance(edge), .boolean(side.isForward != isTurned)]))
      }
      let loop = try step.add("EDGE_LOOP", [.text(""), .instances(uses)])
      bounds.append(
        try step.add(
          number == 0 ? "FACE_OUTER_BOUND" : "FACE_BOUND",
          [.text(""), .instance(loop), .boolean(true)]))
    }
    let plane = try plane(of: face, isTurned: isTurned, to: &step)
    let name = names.indices.contains(Int(face.style)) ? names[Int(face.style)] : ""
    return try step.add(
      "ADVANCED_FACE",
      [.text(name), .instances(bounds), .instance(plane), .boolean(true)])
  }

  private mutating func plane(
    of face: BoundaryModel.Face, isTurned: Bool, to step: inout StepWriter
  ) throws -> StepReference {
    let normal = isTurned ? -face.plane.normal : face.plane.normal
    let side = face.loops[0][0]
    let (a, b) = ends(ofEdge: side.edge)
    let along = b - a
    let x = (along - normal * normal.dot(along)).normalized
    let center = try step.add("CARTESIAN_POINT", [.text(""), Self.reals(face.plane.center)])
    let axes = try [normal, x].map { axis in
      try step.add("DIRECTION", [.text(""), Self.reals(axis)])
    }
    let placement = try step.add(
      "AXIS2_PLACEMENT_3D",
      [.text(""), .instance(center), .instance(axes[0]), .instance(axes[1])])
    return try step.add("PLANE", [.text(""), .instance(placement)])
  }

  // MARK: Edges

  private func ends(ofEdge edge: Int) -> (SIMD3<Double>, SIMD3<Double>) {
    let ends = model.edges[edge]
    return (model.positions[Int(ends.from)], model.positions[Int(ends.to)])
  }

  private mutating func edge(_ number: Int, to step: inout StepWriter) throws -> StepReference {
    if let known = edges[number] { return known }
    let (a, b) = ends(ofEdge: number)
    let (from, to) = (Int(model.edges[number].from), Int(model.edges[number].to))
    let first = try vertex(from, to: &step)
    let last = try vertex(to, to: &step)
    let direction = try step.add("DIRECTION", [.text(""), Self.reals((b - a).normalized)])
    let vector = try step.add("VECTOR", [.text(""), .instance(direction), .real(1)])
    let start = points[from].map { StepValue.instance($0) } ?? .none
    let line = try step.add("LINE", [.text(""), start, .instance(vector)])
    let edge = try step.add(
      "EDGE_CURVE",
      [.text(""), .instance(first), .instance(last), .instance(line), .boolean(true)])
    edges[number] = edge
    return edge
  }

  private mutating func vertex(_ number: Int, to step: inout StepWriter) throws -> StepReference {
    if let known = vertices[number] { return known }
    let point = try step.add("CARTESIAN_POINT", [.text(""), Self.reals(model.positions[number])])
    let vertex = try step.add("VERTEX_POINT", [.text(""), .instance(point)])
    points[number] = point
    vertices[number] = vertex
    return vertex
  }

  private static func reals(_ vector: SIMD3<Double>) -> StepValue {
    .reals([vector.x, vector.y, vector.z])
  }
}
