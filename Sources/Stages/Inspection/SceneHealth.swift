package import MeshPipeline
package import Photogrammetry
package import SurfaceKernels

/// The defects of all meshes of a scene, for the stage `inspect`, `info --health` and conditions.
package struct SceneHealth {
  /// Lengths in units of the scene.
  package private(set) var meshes = MeshHealth()
  /// The winding of each mesh that shows the outside.
  private(set) var windings: [Winding] = []
  /// The faces of each mesh that intersect another one of their mesh.
  private(set) var intersections: [[Int]] = []
  /// The middles of the first of these faces.
  package private(set) var intersectionPlaces: [SIMD3<Double>] = []
  package private(set) var thinnestWall: ThinnestWall?
  /// Nil without texture coordinates.
  package private(set) var textures: TextureHealth?
  private let system: CoordinateSystem
  /// Added to places, for the coordinates of the file.
  private let origin: SIMD3<Double>
  /// In metres.
  private let size: SIMD3<Double>
  private let bed: LengthVector

  /// More places than anyone looks at.
  private static let mostPlaces = 10

  /// Examines a scene.
  ///
  /// - Parameter bed: The width, depth and height of a print bed.
  package init(
    _ scene: Scene, bed: LengthVector = Inspect.Parameters().bed, in context: StageContext
  ) throws {
    self.bed = bed
    system = scene.coordinateSystem
    origin = scene.origin
    size = SIMD3<Double>(scene.bounds.size) * system.metersPerUnit
    try context.progress(0)
    for (index, mesh) in scene.meshes.enumerated() {
      meshes += MeshHealth(mesh)
      try context.checkCancellation()
      let faces = SelfIntersections(of: mesh).faces
      intersections.append(faces)
      for face in faces.prefix(Self.mostPlaces - intersectionPlaces.count) {
        intersectionPlaces.append(mesh.centroid(ofFace: face))
      }
      try context.checkCancellation()
      if let wall = try ThinnestWall.measured(in: mesh),
        wall.thickness < thinnestWall?.thickness ?? .infinity
      {
        thinnestWall = wall
      }
      try context.progress(0.9 * Double(index + 1) / Double(scene.meshes.count))
    }
    windings = try Winding.outward(of: scene)
    if scene.features.contains(.textureCoordinates) { textures = TextureHealth(scene) }
    try context.progress(1)
  }

  /// Faces to reverse for a consistent winding that shows the outside.
  private var invertedFaces: Int { windings.reduce(0) { $0 + $1.flippedCount } }

  private var selfIntersections: Int { intersections.reduce(0) { $0 + $1.count } }

  /// The largest scale at which the scene fits the print bed; nil for a scene without a size.
  private var bedScale: Double? {
    let up = system.up.vector
    let level = up.x != 0 ? SIMD2(size.y, size.z) : SIMD2(size.x, up.y != 0 ? size.z : size.y)
    let height = up.x != 0 ? size.x : up.y != 0 ? size.y : size.z
    guard size.max() > 0, size.max().isFinite else { return nil }
    let across = [level, SIMD2(level.y, level.x)].map {
      (SIMD2(bed.meters.x, bed.meters.y) / $0).min()
    }
    return min(across.max() ?? .infinity, bed.meters.z / height)
  }

  // MARK: For programs

  /// The figures by name, lengths in metres and angles in degrees.
  package var figures: [JSONValue.Member] {
    let unit = system.metersPerUnit
    var members: [JSONValue.Member] = [
      .init("watertight", JSONValue(.bool(meshes.isWatertight))),
      .init("manifold", JSONValue(.bool(meshes.isManifold))),
      .init("boundaryEdges", meshes.boundaryEdges.json),
      .init("boundaryLength", rounded(meshes.boundaryLength * unit)),
      .init("boundaryLoops", meshes.boundaryLoops.count.json),
      .init(
        "longestLoops",
        JSONValue(.array(meshes.boundaryLoops.prefix(10).map { rounded($0 * unit) }))),
      .init("nonManifoldEdges", meshes.nonManifoldEdges.json),
      .init("nonManifoldVertices", meshes.nonManifoldVertices.json),
      .init("selfIntersections", selfIntersections.json),
      .init("intersectionPlaces", JSONValue(.array(intersectionPlaces.map(point)))),
      .init("invertedFaces", invertedFaces.json),
      .init("degenerateFaces", meshes.degenerateFaces.json),
      .init("duplicateFaces", meshes.duplicateFaces.json),
      .init("components", meshes.components.json),
      .init("size", JSONValue(.array([size.x, size.y, size.z].map(rounded)))),
    ]
    if let bedScale { members.append(.init("bedScale", rounded(bedScale))) }
    if meshes.isWatertight {
      members.append(.init("volume", JSONValue(.number(meshes.volume * unit * unit * unit))))
    }
    if let angle = meshes.smallestAngle {
      members.append(.init("smallestAngle", rounded(Angle(radians: angle).degrees)))
    }
    if let thinnestWall {
      members += [
        .init("thinnestWall", rounded(thinnestWall.thickness * unit)),
        .init("thinnestPlace", point(thinnestWall.place)),
      ]
    }
    return members + textureFigures
  }

  private var textureFigures: [JSONValue.Member] {
    guard let textures else { return [] }
    var members: [JSONValue.Member] = [
      .init("texturesOutOfRange", textures.outOfRangeFaces.json),
      .init("textureOverlap", rounded(textures.overlap)),
    ]
    if let density = textures.density {
      members.append(.init("texelsPerMeter", rounded(density / system.metersPerUnit)))
    }
    return members
  }

  private func rounded(_ value: Double) -> JSONValue {
    value.isFinite ? value.json(digits: 6) : 0
  }

  /// A place in the axes and units of the scene, where it is in the file.
  private func point(_ position: SIMD3<Double>) -> JSONValue {
    let position = position + origin
    return JSONValue(.array([position.x, position.y, position.z].map(rounded)))
  }

  // MARK: For people

  /// Names and findings, for a table.
  package var rows: [[String]] {
    let unit = system.metersPerUnit
    func count(_ number: Int, _ noun: String) -> String {
      "\(NumberText.grouped(number)) \(noun)\(number == 1 ? "" : "s")"
    }
    var rows = [
      ["watertight", meshes.isWatertight ? "yes" : "no"],
      [
        "open borders",
        meshes.boundaryEdges == 0
          ? "none"
          : "\(count(meshes.boundaryEdges, "edge")), \(count(meshes.boundaryLoops.count, "loop")), "
            + "\(length(meshes.boundaryLength * unit)) in all, the longest "
            + length((meshes.boundaryLoops.first ?? 0) * unit),
      ],
      [
        "non-manifold",
        meshes.isManifold
          ? "nothing"
          : "\(count(meshes.nonManifoldEdges, "edge")), "
            + (meshes.nonManifoldVertices == 1
              ? "1 vertex" : "\(NumberText.grouped(meshes.nonManifoldVertices)) vertices"),
      ],
      [
        "self-intersections",
        selfIntersections == 0
          ? "none"
          : "\(count(selfIntersections, "face")), the first at \(text(intersectionPlaces[0]))",
      ],
      ["inverted faces", NumberText.grouped(invertedFaces)],
      ["degenerate faces", NumberText.grouped(meshes.degenerateFaces)],
      ["duplicate faces", NumberText.grouped(meshes.duplicateFaces)],
      ["components", NumberText.grouped(meshes.components)],
    ]
    if let angle = meshes.smallestAngle {
      rows.append([
        "smallest angle", NumberText.fixed(Angle(radians: angle).degrees, digits: 2) + "°",
      ])
    }
    if let thinnestWall {
      rows.append([
        "thinnest wall",
        "\(length(thinnestWall.thickness * unit)) at \(text(thinnestWall.place))",
      ])
    }
    if let bedScale { rows.append(["print bed", text(bedScale)]) }
    guard let textures else { return rows }
    rows += [
      ["outside textures", count(textures.outOfRangeFaces, "face")],
      ["texture overlap", NumberText.fixed(100 * textures.overlap, digits: 2) + " %"],
    ]
    if let density = textures.density {
      rows.append(["texels per metre", NumberText.fixed(density / unit, digits: 0)])
    }
    return rows
  }

  private func length(_ meters: Double) -> String {
    meters < 0.1
      ? NumberText.fixed(meters * 1000, digits: 2) + " mm"
      : NumberText.fixed(meters, digits: 3) + " m"
  }

  private func text(_ bedScale: Double) -> String {
    let sides = bed.magnitudes.map { NumberText.fixed($0 * 1000, digits: 0) }
    let name = "\(sides.joined(separator: " x ")) mm"
    return bedScale >= 1
      ? "fits \(name)" : "fits \(name) at a scale of \(NumberText.fixed(bedScale, digits: 4))"
  }

  private func text(_ position: SIMD3<Double>) -> String { (position + origin).placeText }
}
