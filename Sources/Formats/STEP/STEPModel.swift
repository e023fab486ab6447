import MeshPipeline

/// The parts of a STEP file in the making: an assembly of one product for each mesh, or one product alone.
///
/// Lengths are millimetres. Names are those of ISO 10303-214 (automotive design).
struct STEPModel {
  var step: StepWriter
  private let application: StepReference
  private let context: StepReference
  private let productContext: StepReference
  private let definitionContext: StepReference
  /// The axes of parts, and of the assembly.
  private let axes: StepReference
  private var parts: [(product: Product, name: String)] = []
  /// The styles of entries of the table, and all styled items.
  private var styles: [Int: StepReference] = [:]
  private var styledItems: [StepReference] = []

  /// What a product is in the file.
  private struct Product {
    var definition: StepReference
    var representation: StepReference
  }

  /// - Parameter accuracy: How far apart points may be that are meant to be the same, in millimetres.
  init(_ step: StepWriter, accuracy: Double) throws {
    var step = step
    application = try step.add(
      "APPLICATION_CONTEXT", [.text("core data for automotive mechanical design processes")])
    _ = try step.add(
      "APPLICATION_PROTOCOL_DEFINITION",
      [
        .text("international standard"), .text("automotive_design"), .integer(2000),
        .instance(application),
      ])
    productContext = try step.add(
      "PRODUCT_CONTEXT", [.text(""), .instance(application), .text("mechanical")])
    definitionContext = try step.add(
      "PRODUCT_DEFINITION_CONTEXT",
      [.text("part definition"), .instance(application), .text("design")])
    let length = try step.add([
      ("LENGTH_UNIT", []), ("NAMED_UNIT", [.derived]),
      ("SI_UNIT", [.symbol("MILLI"), .symbol("METRE")]),
    ])
    let angle = try step.add([
      ("NAMED_UNIT", [.derived]), ("PLANE_ANGLE_UNIT", []),
      ("SI_UNIT", [.none, .symbol("RADIAN")]),
    ])
    let solidAngle = try step.add([
      ("NAMED_UNIT", [.derived]), ("SI_UNIT", [.none, .symbol("STERADIAN")]),
      ("SOLID_ANGLE_UNIT", []),
    ])
    let uncertainty = try step.add(
      "UNCERTAINTY_MEASURE_WITH_UNIT",
      [
        .typed("LENGTH_MEASURE", .real(accuracy)), .instance(length),
        .text("distance_accuracy_value"), .text("flatness of faces"),
      ])
    context = try step.add([
      ("GEOMETRIC_REPRESENTATION_CONTEXT", [.integer(3)]),
      ("GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT", [.instances([uncertainty])]),
      ("GLOBAL_UNIT_ASSIGNED_CONTEXT", [.instances([length, angle, solidAngle])]),
      ("REPRESENTATION_CONTEXT", [.text(""), .text("")]),
    ])
    let origin = try step.add("CARTESIAN_POINT", [.text(""), .reals([0, 0, 0])])
    axes = try step.add(
      "AXIS2_PLACEMENT_3D", [.text(""), .instance(origin), .none, .none])
    self.step = step
  }

  // MARK: Products

  /// Writes a part with the solids and open shells of a mesh.
  mutating func addPart(
    _ model: BoundaryModel, name: String, looks: [MaterialTable.Entry]
  ) throws {
    var shape = STEPShape(model, looks: looks.map { $0.className ?? "" })
    try shape.write(to: &step)
    var representations: [StepReference] = []
    func represent(_ type: String, _ items: [StepReference]) throws {
      guard !items.isEmpty else { return }
      representations.append(
        try step.add(type, [.text(name), .instances([axes] + items), .instance(context)]))
    }
    try represent("ADVANCED_BREP_SHAPE_REPRESENTATION", shape.solids)
    try represent("MANIFOLD_SURFACE_SHAPE_REPRESENTATION", shape.surfaces)
    guard var representation = representations.first else { return }
    if representations.count > 1 {
      // One of solids alone, one of surfaces alone, and one to which both belong.
      representation = try step.add(
        "SHAPE_REPRESENTATION", [.text(name), .instances([axes]), .instance(context)])
      for other in representations {
        _ = try step.add(
          "SHAPE_REPRESENTATION_RELATIONSHIP",
          [.text(""), .text(""), .instance(representation), .instance(other)])
      }
    }
    for (style, items) in shape.itemsOfStyles where style >= 0 && style < looks.count {
      try paint(items, style, looks[style])
    }
    parts.append((try product(name, representation), name))
  }

  private mutating func product(
    _ name: String, _ representation: StepReference
  ) throws -> Product {
    let product = try step.add(
      "PRODUCT",
      [.text(name), .text(name), .text(""), .instances([productContext])])
    _ = try step.add(
      "PRODUCT_RELATED_PRODUCT_CATEGORY", [.text("part"), .none, .instances([product])])
    let formation = try step.add(
      "PRODUCT_DEFINITION_FORMATION", [.text(""), .text(""), .instance(product)])
    let definition = try step.add(
      "PRODUCT_DEFINITION",
      [.text("design"), .text(""), .instance(formation), .instance(definitionContext)])
    let shape = try step.add(
      "PRODUCT_DEFINITION_SHAPE", [.text(""), .text(""), .instance(definition)])
    _ = try step.add(
      "SHAPE_DEFINITION_REPRESENTATION", [.instance(shape), .instance(representation)])
    return Product(definition: definition, representation: representation)
  }

  /// Writes the assembly of several parts, the styles, and the end of the file.
  mutating func finish(name: String) throws {
    if parts.count > 1 { try assemble(name) }
    if !styledItems.isEmpty {
      _ = try step.add(
        "MECHANICAL_DESIGN_GEOMETRIC_PRESENTATION_REPRESENTATION",
        [.text(""), .instances(styledItems), .instance(context)])
    }
    try step.finish()
  }

  private mutating func assemble(_ name: String) throws {
    let representation = try step.add(
      "SHAPE_REPRESENTATION", [.text(name), .instances([axes]), .instance(context)])
    let assembly = try product(name, representation)
    for (index, part) in parts.enumerated() {
      let placement = try step.add(
        "ITEM_DEFINED_TRANSFORMATION",
        [.text(""), .text(""), .instance(axes), .instance(axes)])
      let relation = try step.add([
        (
          "REPRESENTATION_RELATIONSHIP",
          [
            .text(""), .text(""), .instance(part.product.representation),
            .instance(representation),
          ]
        ), ("REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION", [.instance(placement)]),
        ("SHAPE_REPRESENTATION_RELATIONSHIP", []),
      ])
      let use = try step.add(
        "NEXT_ASSEMBLY_USAGE_OCCURRENCE",
        [
          .text(String(index + 1)), .text(part.name), .text(""),
          .instance(assembly.definition), .instance(part.product.definition), .none,
        ])
      let shape = try step.add(
        "PRODUCT_DEFINITION_SHAPE", [.text("Placement"), .text(""), .instance(use)])
      _ = try step.add(
        "CONTEXT_DEPENDENT_SHAPE_REPRESENTATION", [.instance(relation), .instance(shape)])
    }
  }

  // MARK: Styles

  private mutating func paint(
    _ items: [StepReference], _ number: Int, _ look: MaterialTable.Entry
  ) throws {
    let style: StepReference
    if let known = styles[number] {
      style = known
    } else {
      style = try self.style(look)
      styles[number] = style
    }
    for item in items {
      styledItems.append(
        try step.add("STYLED_ITEM", [.text(look.name), .instances([style]), .instance(item)]))
    }
  }

  private mutating func style(_ look: MaterialTable.Entry) throws -> StepReference {
    let linear = look.material.baseColor
    let channels = (0..<3).map { StepValue.real(Self.code(ofLinear: linear[$0])) }
    let color = try step.add("COLOUR_RGB", [.text(look.name)] + channels)
    let fill = try step.add("FILL_AREA_STYLE_COLOUR", [.text(""), .instance(color)])
    let area = try step.add("FILL_AREA_STYLE", [.text(look.name), .instances([fill])])
    let surface = try step.add("SURFACE_STYLE_FILL_AREA", [.instance(area)])
    let side = try step.add("SURFACE_SIDE_STYLE", [.text(""), .instances([surface])])
    let usage = try step.add("SURFACE_STYLE_USAGE", [.symbol("BOTH"), .instance(side)])
    return try step.add("PRESENTATION_STYLE_ASSIGNMENT", [.instances([usage])])
  }

  /// A channel from 0 to 1 as screens show it, in steps of 1/1000.
  private static func code(ofLinear linear: Float) -> Double {
    let encoded = SRGBTable.encoded(ofLinear: Double(min(max(linear, 0), 1)))
    return (encoded * 1000).rounded() / 1000
  }
}
