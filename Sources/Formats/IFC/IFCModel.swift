import MeshPipeline
import POSIX

/// A model of IFC4 in the making: its project, and what all elements share.
///
/// Lengths are metres, up is z. Numbers and names are those of IFC4 ADD2 TC1 (ISO 16739-1:2018).
struct IFCModel {
  var step: StepWriter
  private(set) var project = StepReference(number: 0)
  /// For solids, and for the centre lines of walls.
  private(set) var body = StepReference(number: 0)
  private(set) var axis = StepReference(number: 0)
  /// What every global identifier depends on.
  private let seed: String
  private var styles: [String: StepReference] = [:]
  private var materials: [String: StepReference] = [:]
  private var directions: [SIMD3<Double>: StepReference] = [:]

  /// Begins a project.
  ///
  /// - Parameters:
  ///   - seed: A text that is another one for each model, for identifiers that are unique and the same in each run.
  ///   - north: The direction of true north along x and y; nil if unknown.
  ///   - georeference: Where the model is on a map; nil if unknown.
  init(
    _ step: StepWriter, name: String, seed: String, north: SIMD2<Double>?,
    georeference: IFCGeoreference? = nil
  ) throws {
    self.step = step
    self.seed = seed
    let origin = try placement()
    let trueNorth = try north.map { direction in
      StepValue.instance(try add("IFCDIRECTION", .reals([direction.x, direction.y])))
    }
    let context = try add(
      "IFCGEOMETRICREPRESENTATIONCONTEXT", .none, .text("Model"), .integer(3), .real(1e-5),
      .instance(origin), trueNorth ?? .none)
    func subcontext(_ name: String, _ view: String) throws -> StepReference {
      try add(
        "IFCGEOMETRICREPRESENTATIONSUBCONTEXT", .text(name), .text("Model"), .derived, .derived,
        .derived, .derived, .instance(context), .none, .symbol(view), .none)
    }
    body = try subcontext("Body", "MODEL_VIEW")
    axis = try subcontext("Axis", "GRAPH_VIEW")
    var units: [StepReference] = []
    for (kind, unit) in [
      ("LENGTHUNIT", "METRE"), ("AREAUNIT", "SQUARE_METRE"), ("VOLUMEUNIT", "CUBIC_METRE"),
      ("PLANEANGLEUNIT", "RADIAN"),
    ] {
      units.append(try add("IFCSIUNIT", .derived, .symbol(kind), .none, .symbol(unit)))
    }
    let assignment = try add("IFCUNITASSIGNMENT", .instances(units))
    project = try add(
      "IFCPROJECT", identifier("project"), .none, .text(name), .none, .none, .none, .none,
      .instances([context]), .instance(assignment))
    try georeference?.write(context: context, to: &self)
  }

  /// Writes an instance.
  mutating func add(_ type: String, _ values: StepValue...) throws -> StepReference {
    try step.add(type, values)
  }

  // MARK: Identifiers

  /// A global identifier of 22 characters, from the path of what it identifies.
  func identifier(_ path: String) -> StepValue {
    let digits = SHA256.hexadecimal(of: Array("\(seed)/\(path)".utf8)).prefix(32)
    let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$")
    // 128 bits, the first two alone and then six at a time.
    let bits = digits.flatMap { digit in
      let value = digit.hexDigitValue ?? 0
      return [8, 4, 2, 1].map { value & $0 != 0 ? 1 : 0 }
    }
    var text = String(letters[2 * bits[0] + bits[1]])
    for start in stride(from: 2, to: 128, by: 6) {
      text.append(letters[bits[start..<start + 6].reduce(0) { 2 * $0 + $1 }])
    }
    return .text(text)
  }

  // MARK: Placement

  mutating func point(_ point: SIMD3<Double>) throws -> StepReference {
    try add("IFCCARTESIANPOINT", .reals([point.x, point.y, point.z]))
  }

  mutating func direction(_ vector: SIMD3<Double>) throws -> StepReference {
    if let known = directions[vector] { return known }
    let reference = try add("IFCDIRECTION", .reals([vector.x, vector.y, vector.z]))
    directions[vector] = reference
    return reference
  }

  /// A coordinate system.
  mutating func placement(
    at origin: SIMD3<Double> = .zero, z: SIMD3<Double>? = nil, x: SIMD3<Double>? = nil
  ) throws -> StepReference {
    let location = try point(origin)
    let (z, x) = (try z.map { try direction($0) }, try x.map { try direction($0) })
    return try add(
      "IFCAXIS2PLACEMENT3D", .instance(location), z.map { .instance($0) } ?? .none,
      x.map { .instance($0) } ?? .none)
  }

  /// Where an object is within another one, turned about z.
  ///
  /// - Parameter turn: Counterclockwise, in radians.
  mutating func localPlacement(
    in parent: StepReference?, at origin: SIMD3<Double> = .zero, turn: Double = 0
  ) throws -> StepReference {
    let axes: (SIMD3<Double>?, SIMD3<Double>?) =
      turn == 0 ? (nil, nil) : (SIMD3(0, 0, 1), SIMD3(cos(turn), sin(turn), 0))
    return try localPlacement(in: parent, at: origin, z: axes.0, x: axes.1)
  }

  /// Where an object is within another one.
  mutating func localPlacement(
    in parent: StepReference?, at origin: SIMD3<Double>, z: SIMD3<Double>?, x: SIMD3<Double>?
  ) throws -> StepReference {
    let placement = try placement(at: origin, z: z, x: x)
    return try add(
      "IFCLOCALPLACEMENT", parent.map { .instance($0) } ?? .none, .instance(placement))
  }

  // MARK: Shapes

  /// A closed profile in the plan, with holes.
  mutating func profile(_ outline: [[SIMD2<Double>]]) throws -> StepReference {
    var curves: [StepReference] = []
    for polygon in outline {
      let points = try (polygon + polygon.prefix(1)).map { point in
        try add("IFCCARTESIANPOINT", .reals([point.x, point.y]))
      }
      curves.append(try add("IFCPOLYLINE", .instances(points)))
    }
    guard curves.count > 1 else {
      return try add(
        "IFCARBITRARYCLOSEDPROFILEDEF", .symbol("AREA"), .none, .instance(curves[0]))
    }
    return try add(
      "IFCARBITRARYPROFILEDEFWITHVOIDS", .symbol("AREA"), .none, .instance(curves[0]),
      .instances(Array(curves.dropFirst())))
  }

  /// A prism over a profile.
  mutating func extrusion(
    of outline: [[SIMD2<Double>]], from height: Double, by depth: Double, style: String
  ) throws -> StepReference {
    let profile = try profile(outline)
    let (position, up) = (
      try placement(at: SIMD3(0, 0, height)), try direction(SIMD3(0, 0, 1))
    )
    let solid = try add(
      "IFCEXTRUDEDAREASOLID", .instance(profile), .instance(position), .instance(up), .real(depth))
    try paint(solid, style)
    return solid
  }

  /// Gives an item the colour of its class.
  mutating func paint(_ item: StepReference, _ name: String) throws {
    let style: StepReference
    if let known = styles[name] {
      style = known
    } else {
      let color = ClassPalette.color(of: name)
      let channels = [color.red, color.green, color.blue].map { Double($0) / 255 }
      let rgb = try add(
        "IFCCOLOURRGB", .none, .real(channels[0]), .real(channels[1]), .real(channels[2]))
      let shading = try add(
        "IFCSURFACESTYLESHADING", .instance(rgb), .real(name == "window" ? 0.6 : 0))
      style = try add(
        "IFCSURFACESTYLE", .text(name), .symbol("BOTH"), .instances([shading]))
      styles[name] = style
    }
    _ = try add("IFCSTYLEDITEM", .instance(item), .instances([style]), .none)
  }

  /// The shape of an object made of solids of one kind.
  mutating func shape(
    _ items: [StepReference], _ kind: String, axis line: StepReference? = nil
  ) throws -> StepReference {
    var representations: [StepReference] = []
    if let line {
      representations.append(
        try add(
          "IFCSHAPEREPRESENTATION", .instance(axis), .text("Axis"), .text("Curve2D"),
          .instances([line])))
    }
    representations.append(
      try add(
        "IFCSHAPEREPRESENTATION", .instance(body), .text("Body"), .text(kind), .instances(items)))
    return try add("IFCPRODUCTDEFINITIONSHAPE", .none, .none, .instances(representations))
  }

  // MARK: Relations

  /// Says what a whole is made of.
  mutating func aggregate(_ parts: [StepReference], into whole: StepReference) throws {
    guard !parts.isEmpty else { return }
    _ = try add(
      "IFCRELAGGREGATES", identifier("aggregate \(whole.number)"), .none, .none, .none,
      .instance(whole), .instances(parts))
  }

  /// Says what a storey contains.
  mutating func contain(_ elements: [StepReference], in storey: StepReference) throws {
    guard !elements.isEmpty else { return }
    _ = try add(
      "IFCRELCONTAINEDINSPATIALSTRUCTURE", identifier("contents \(storey.number)"), .none, .none,
      .none, .instances(elements), .instance(storey))
  }

  /// Gives an object a set of properties or quantities.
  mutating func define(_ object: StepReference, by set: StepReference) throws {
    _ = try add(
      "IFCRELDEFINESBYPROPERTIES", identifier("definition \(set.number)"), .none, .none, .none,
      .instances([object]), .instance(set))
  }

  /// Says that elements are made of a material.
  mutating func associate(_ elements: [StepReference], with material: StepReference) throws {
    guard !elements.isEmpty else { return }
    _ = try add(
      "IFCRELASSOCIATESMATERIAL", identifier("material \(material.number)"), .none, .none, .none,
      .instances(elements), .instance(material))
  }
}
