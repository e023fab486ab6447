package import MeshpipeScene

/// Makes the surface of a solid from any faces: closed, manifold and facing out.
package struct SolidMaking: Sendable {
  package enum Method: Sendable {
    /// The volume that faces enclose, by their winding numbers (Jacobson and others 2013), and a skin behind those that
    /// enclose nothing.
    case wrap
    /// A skin behind each face.
    case shell
  }

  /// Lengths are in units of the mesh.
  package struct Options: Sendable {
    package var method: Method
    /// The edge of a voxel; by default one of ``SolidScale``.
    package var voxel: Double?
    /// The thickness of skins; by default a hundredth of the extent for shells, and two voxels otherwise.
    package var thickness: Double?
    /// The least longest edge of the bounding box of a part, or of a cavity, that stays.
    package var minimumSize: Double
    /// The plane that the solid stands on, and what may be cut off below it; at most half of a skin is.
    package var base: Base?
    /// The most steps for voxels of a default edge; see ``GridWork``.
    package var mostSteps = GridWork.mostChosen

    package init(
      method: Method, voxel: Double?, thickness: Double?, minimumSize: Double, base: Base?
    ) {
      self.method = method
      self.voxel = voxel
      self.thickness = thickness
      self.minimumSize = minimumSize
      self.base = base
    }
  }

  /// A plane on which a solid stands.
  package struct Base: Sendable {
    /// The direction of an axis.
    package var up: SIMD3<Double>
    package var most: Double
    package var floating: Floating

    package init(up: SIMD3<Double>, most: Double, floating: Floating) {
      self.up = up
      self.most = most
      self.floating = floating
    }
  }

  package struct Result: Sendable {
    package var mesh: Mesh
    package var voxel: Double
    /// The edge of voxels that fits the faces, if these were too much work; nil if ``voxel`` is that.
    package var finerVoxel: Double?
    /// The thickness of the skin of a shell, or of faces that enclose nothing; nil if a wrap found none of these.
    package var thickness: Double?
    /// Closed surfaces: bodies, and cavities in them.
    package var parts: Int
    /// Loops of boundary edges of the faces: a wrap closes them, a shell leaves them open.
    package var holes: Int
    package var deviation: SolidDeviation
    /// The height that was cut off below.
    package var baseCut: Double
    /// The result for bodies that nothing carries; none if no base was wanted.
    package var floating: FloatingParts
  }

  package enum Failure: Error, Equatable {
    /// No face has an area.
    case noFaces
    /// Voxels are too much work; the smallest edge that is possible.
    case tooFine(voxel: Double, smallest: Double, cost: GridWork)
    /// A skin is thinner than two voxels; the least thickness, if smaller voxels are too much work.
    case tooThin(voxel: Double, thickness: Double, least: Double?)
    /// Nothing is larger than a voxel.
    case nothing(voxel: Double)
  }

  private let input: SolidInput
  let options: Options
  let scale: SolidScale
  private let raster: SolidRaster
  /// The bars that are added for bodies that would float.
  var struts: [SolidStrut] = []

  /// Makes the surface of a solid from the faces of a mesh, which may have holes, intersect and overlap.
  ///
  /// - Parameters:
  ///   - isFlipped: Whether to reverse each face first.
  ///   - progress: Called with the share done; an error ends the work.
  /// - Returns: A closed, manifold mesh whose faces look out; lengths are in units of the mesh.
  /// - Throws: ``Failure``, or what `progress` throws.
  package static func run(
    _ mesh: consuming Mesh, isFlipped: [Bool]? = nil, _ options: Options,
    progress: (Double) throws -> Void
  ) throws -> Result {
    var draft = try draft(of: mesh, isFlipped: isFlipped, options, progress)
    try draft.measure()
    return draft.result
  }

  private init(_ input: SolidInput, _ options: Options, atLeast coarser: Double) throws {
    self.input = input
    self.options = options
    scale = try SolidScale(input, options, atLeast: coarser)
    let voxel = Float(scale.voxel)
    // Faces along the axes are likelier at the box than elsewhere: there they keep off the voxels.
    raster = SolidRaster(voxel: voxel, origin: input.bounds.minimum - 0.37 * voxel)
  }

  // MARK: Steps

  // Each is a function of its own, so that what only it needs is gone when the next one begins: skins and the
  // grid before intersections are looked for, and the hierarchy of faces before there is one of the solid.

  /// The properties of the faces and the grid that are reported.
  private struct Traits {
    var holeCount: Int
    /// Whether something has the thickness that was asked for.
    var hasSkin: Bool
    var samples: [SolidDeviation.Sample]
  }

  private func crossed(
    _ progress: (Double) throws -> Void
  ) throws -> (SolidField, SolidCrossings, Traits) {
    let (field, skins) = try options.method == .wrap ? wrapped(progress) : shell(progress)
    let crossings = SolidCrossings(field, input: input, skins: skins, struts: struts)
    try progress(0.6)
    let traits = Traits(
      holeCount: input.holeCount(skins.first?.edges ?? input.edges),
      hasSkin: skins.contains { !$0.isOffset },
      samples: SolidDeviation.samples(of: input, by: field, raster))
    return (field, crossings, traits)
  }

  private func surface(
    _ progress: (Double) throws -> Void
  ) throws -> (SolidSurface, Traits) {
    let (field, crossings, traits) = try crossed(progress)
    return (SolidSurface(field, crossings), traits)
  }

  private func solid(_ progress: (Double) throws -> Void) throws -> (Mesh, Traits) {
    let (surface, traits) = try surface(progress)
    return (surface.mesh(), traits)
  }

  /// A result whose mesh and deviation still have the unit of a ``SolidInput``.
  private struct Draft {
    var result: Result
    var samples: [SolidDeviation.Sample]
    var unit: Double
    var middle: SIMD3<Double>

    mutating func measure() throws {
      try result.deviation.measure(samples, to: result.mesh)
      result.deviation.scale(by: unit)
      let (unit, middle) = (unit, middle)
      Parallel.update(&result.mesh.positions) { positions in
        for index in positions.indices {
          positions[index] = Vector3(SIMD3<Float>(positions[index].double * unit + middle))
        }
      }
    }
  }

  private static func draft(
    of mesh: consuming Mesh, isFlipped: [Bool]?, _ options: Options,
    _ progress: (Double) throws -> Void
  ) throws -> Draft {
    var mesh = mesh
    guard let input = try SolidInput(mesh, isFlipped: isFlipped) else { throw Failure.noFaces }
    mesh = mesh.attributesAlone()
    var (coarser, finished) = (0.0, 0.0)
    while true {
      do {
        return try SolidMaking(input, options, atLeast: coarser).draft(like: mesh) {
          // A second attempt does not go back to the beginning.
          finished = max(finished, $0)
          try progress(finished)
        }
      } catch Failure.tooFine(_, let smallest, _) where options.voxel == nil {
        coarser = 1.05 * smallest / input.unit
      }
    }
  }

  private func draft(like mesh: Mesh, _ progress: (Double) throws -> Void) throws -> Draft {
    var (solid, traits) = try self.solid(progress)
    var bodies = try removeSpecks(from: &solid)
    var (floating, cut) = (FloatingParts(), 0.0)
    if let base = options.base {
      let struts = try struts(between: bodies, of: solid, on: base)
      if !struts.isEmpty {
        solid = Mesh()
        var joined = self
        joined.struts = struts
        (solid, traits) = try joined.solid(progress)
        bodies = try removeSpecks(from: &solid)
        floating.joined = struts.count
      }
      cut = place(&solid, &bodies, on: base, &floating)
    }
    try progress(0.8)
    let reach = mesh.hasFaceValues ? .infinity : SolidDeviation.reach * raster.voxel
    let nearest = input.nearest(toFacesOf: solid, within: reach)
    let deviation = SolidDeviation(of: solid, nearest, voxel: raster.voxel)
    solid.takeAttributes(of: mesh, input, nearest)
    let result = Result(
      mesh: solid, voxel: scale.voxel * input.unit, finerVoxel: scale.finer.map { $0 * input.unit },
      thickness: traits.hasSkin ? scale.thickness * input.unit : nil, parts: bodies.count,
      holes: traits.holeCount, deviation: deviation, baseCut: cut * input.unit,
      floating: floating.scaled(by: input.unit))
    return Draft(result: result, samples: traits.samples, unit: input.unit, middle: input.middle)
  }

  private func removeSpecks(from solid: inout Mesh) throws -> SolidBodies {
    let bodies = solid.removeSpecks(voxel: scale.voxel, size: options.minimumSize / input.unit)
    guard solid.faceCount > 0 else { throw Failure.nothing(voxel: scale.voxel * input.unit) }
    return bodies
  }

  /// A length of the options in the unit of the input.
  func local(_ length: Double) -> Double { length / input.unit }

  // MARK: Methods

  private func shell(
    _ progress: (Double) throws -> Void
  ) throws -> (SolidField, [SolidSkin]) {
    let skin = try SolidSkin(input, input.edges, thickness: Float(scale.thickness))
    let keys = raster.blocks(around: input, distance: skin.thickness + raster.voxel)
    try check(keys.count)
    var field = SolidField(keys, voxel: raster.voxel, origin: raster.origin)
    try progress(0.2)
    field.fill(SolidField.decided)
    field.add(skin)
    try grow(&field, progress) { $0.fill(SolidField.decided) }
    try addStruts(to: &field, progress) { $0.fill(SolidField.decided) }
    return (field, [skin])
  }

  private func wrapped(
    _ progress: (Double) throws -> Void
  ) throws -> (SolidField, [SolidSkin]) {
    let windings = WindingNumbers(positions: input.positions, indices: input.indices)
    let keys = raster.blocks(around: input, distance: raster.voxel)
    try check(keys.count)
    var field = SolidField(keys, voxel: raster.voxel, origin: raster.origin)
    try progress(0.1)
    field.evaluate(raster.voxels(around: input, in: field.grid), windings)
    try progress(0.3)
    field.flood(windings)
    try grow(&field, progress) { $0.flood(windings) }
    var skins: [SolidSkin] = []
    // First what is behind faces, then around those that are thinner than voxels.
    for isOffset in [false, true] {
      let faces = raster.unsupported(input, by: field)
      guard !faces.isEmpty else { break }
      let thickness = isOffset ? 0.9 * raster.voxel : Float(scale.thickness)
      let skin = try SolidSkin(
        input, skins.first?.edges ?? input.edges, faces: faces, thickness: thickness,
        isOffset: isOffset)
      skins.append(skin)
      field.add(raster.blocks(around: input, faces: faces, distance: thickness + raster.voxel))
      try check(field.grid.count)
      field.flood(windings)
      field.add(skin)
      try grow(&field, progress) { $0.flood(windings) }
    }
    try addStruts(to: &field, progress) { $0.flood(windings) }
    return (field, skins)
  }

  private func addStruts(
    to field: inout SolidField, _ progress: (Double) throws -> Void,
    fill: (inout SolidField) -> Void
  ) throws {
    guard !struts.isEmpty else { return }
    for strut in struts { field.add(raster.blocks(around: strut, distance: raster.voxel)) }
    try check(field.grid.count)
    fill(&field)
    field.add(struts)
    try grow(&field, progress, fill: fill)
  }

  /// Adds blocks until all around the surface are there.
  private func grow(
    _ field: inout SolidField, _ progress: (Double) throws -> Void,
    fill: (inout SolidField) -> Void
  ) throws {
    while true {
      let missing = field.missingBlocks()
      guard !missing.isEmpty else { return }
      try progress(0.4)
      field.add(missing)
      try check(field.grid.count)
      fill(&field)
    }
  }

  private func check(_ blocks: Int) throws {
    guard blocks > SolidScale.mostBlocks else { return }
    let factor = (Double(blocks) / Double(SolidScale.mostBlocks)).squareRoot()
    throw Failure.tooFine(
      voxel: scale.voxel * input.unit, smallest: scale.voxel * factor * input.unit,
      cost: GridWork(
        steps: Double(blocks * SparseBlocks.volume), bytes: blocks * SolidScale.bytesOfBlock))
  }
}
