import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Stages
import Testing

/// Maps that materials have no place for.
struct SurfaceMapTests {
  private static let size = 64

  /// A sheet from 0 to 2 in x and 0 to 1 in z, at a height.
  private func square(_ cells: Int, height: Float = 0) -> Mesh {
    MeshFixtures.sheet(cells, size: SIMD2(2, 1)) { _, _ in height }
  }

  private func baked(
    _ light: Scene, from heavy: Scene, _ maps: [BakeMaps.Map],
    _ context: StageContext = StageContext(),
    _ change: (inout BakeMaps.Parameters) -> Void = { _ in }
  ) throws -> Scene {
    try BakeMaps.baked(light, from: heavy, context) {
      ($0.size, $0.maps) = (Self.size, maps)
      change(&$0)
    }
  }

  /// The channels of each texel, from 0 to 1.
  private func values(_ scene: Scene, _ kind: SurfaceMap.Kind) throws -> [SIMD3<Double>] {
    let map = try #require(scene.surfaceMaps.first { $0.kind == kind })
    let samples = try PNG.samples(of: map.pages[0].bytes, path: "map")
    #expect(samples.width == Self.size && samples.height == Self.size)
    let step = samples.bitDepth / 8
    return (0..<Self.size * Self.size).map { texel in
      func channel(_ number: Int) -> Double {
        let place = (texel * samples.channels + min(number, samples.channels - 1)) * step
        if step == 1 { return Double(samples.bytes[place]) / 255 }
        return Double(UInt16(samples.bytes[place]) | UInt16(samples.bytes[place + 1]) << 8) / 65535
      }
      return SIMD3(channel(0), channel(1), channel(2))
    }
  }

  @Test func `positions are those in the box of the source`() throws {
    let context = StageContext()
    let result = try baked(
      Scene(meshes: [square(1)]), from: Scene(meshes: [square(6)]), [.position], context)
    for (texel, value) in try values(result, .position).enumerated() {
      let (column, row) = (texel % Self.size, texel / Self.size)
      // The box has no height.
      let truth = SIMD3((Double(column) + 0.5) / 64, 0, (Double(row) + 0.5) / 64)
      #expect(((value - truth) * (value - truth)).sum() < 1e-8)
    }
    #expect(
      context.notes.first { $0.key == "positionBox" }?.value.compactText == "[[0, 0, 0], [2, 0, 1]]"
    )
    // Materials are what they were.
    #expect(result.materials == [] && result.textures == [] && result.meshes == [square(1)])
    #expect(result.features.contains(.surfaceMaps))
  }

  @Test(arguments: [(Float(0.02), 0.7), (-0.02, 0.3), (0, 0.5)])
  func `heights are distances along the normal`(_ height: Float, _ truth: Double) throws {
    let result = try baked(
      Scene(meshes: [square(1)]), from: Scene(meshes: [square(6, height: height)]), [.height]
    ) { $0.maximumDistance = Length(meters: 0.05) }
    for value in try values(result, .height) { #expect(abs(value.x - truth) < 1e-4) }
    // The file says what black and white are.
    let bytes = try #require(result.surfaceMaps.first?.pages.first?.bytes)
    let text = String(decoding: bytes.prefix(200), as: Unicode.ASCII.self)
    #expect(text.contains("height along the normal: 0 is -50 mm, 65535 is 50 mm"))
  }

  @Test(arguments: [false, true])
  func `a ball has the curvature of its radius`(_ isHollow: Bool) throws {
    func ball(_ segments: Int, _ rings: Int) -> Mesh {
      var mesh = MeshFixtures.sphere(segments: segments, rings: rings)
      mesh.positions = mesh.positions.map { Vector3(3 * $0.x, 3 * $0.y, 3 * $0.z) }
      if isHollow {
        for face in 0..<mesh.faceCount { mesh.indices.swapAt(3 * face, 3 * face + 1) }
      }
      return mesh
    }
    var unwrap = Unwrap.Parameters()
    unwrap.size = Self.size
    let light = try Unwrap(unwrap).run(Scene(meshes: [ball(16, 12)]), in: StageContext())
    let result = try baked(light, from: Scene(meshes: [ball(96, 64)]), [.curvature]) {
      $0.curvatureRadius = .length(Length(meters: 1.5))
    }
    // Half of what a ball of 1.5 m has.
    let truth = isHollow ? 0.25 : 0.75
    let values = try values(result, .curvature).map(\.x)
    let mean = values.reduce(0, +) / Double(values.count)
    #expect(abs(mean - truth) < 0.01, "\(mean)")
    #expect(values.count { abs($0 - truth) < 0.03 } > values.count * 9 / 10)
  }

  @Test func `what is flat has no curvature, and an edge has its own`() throws {
    let flat = try baked(
      Scene(meshes: [square(1)]), from: Scene(meshes: [square(8)]), [.curvature])
    #expect(try values(flat, .curvature).allSatisfy { abs($0.x - 0.5) < 1e-4 })
    // A roof whose ridge is at x = 1.
    var roof = square(16)
    roof.positions = roof.positions.map { Vector3($0.x, 0.2 - 0.2 * abs($0.x - 1), $0.z) }
    let result = try baked(Scene(meshes: [square(1)]), from: Scene(meshes: [roof]), [.curvature]) {
      $0.curvatureRadius = .length(Length(meters: 0.1))
    }
    let row = try values(result, .curvature)[32 * Self.size..<33 * Self.size].map(\.x)
    #expect(row[32] > 0.52 && row[31] > 0.52 && abs(row[8] - 0.5) < 1e-4)
  }

  @Test func `classes have the colours of renderings and don't mix`() throws {
    var heavy = square(8)
    let labels: [UInt16] = (0..<heavy.faceCount).map { $0 % 16 < 8 ? 1 : 2 }
    heavy.classes = FaceClasses(labels: labels, names: ["none", "wall", "floor"])
    let context = StageContext()
    let result = try baked(
      Scene(meshes: [square(1)]), from: Scene(meshes: [heavy]), [.classification], context)
    #expect(
      context.notes.first { $0.key == "classColors" }?.value.compactText
        == ##"{ "floor": "#c3a27c", "wall": "#e7e3d9" }"##)
    let map = try #require(result.surfaceMaps.first)
    let image = try Image.decoded(from: map.pages[0].bytes, path: "map")
    let colors = [(0xE7, 0xE3, 0xD9), (0xC3, 0xA2, 0x7C)].map { SIMD3<Int>($0.0, $0.1, $0.2) }
    for texel in 0..<Self.size * Self.size {
      let isRight = texel % Self.size >= Self.size / 2
      let color = SIMD3<Int>(
        Int(image.pixels[3 * texel]), Int(image.pixels[3 * texel + 1]),
        Int(image.pixels[3 * texel + 2]))
      let difference = color &- colors[isRight ? 1 : 0]
      #expect(difference.x.magnitude <= 1 && difference.y.magnitude <= 1)
    }
  }

  @Test func `colours that the source does not have are not baked grey`() throws {
    func message(_ heavy: Scene, _ maps: [BakeMaps.Map], _ colors: ColorSource) -> String {
      do {
        _ = try baked(Scene(meshes: [square(1)]), from: heavy, maps) { $0.colors = colors }
        return ""
      } catch {
        return (error as? any UserError)?.message ?? "\(error)"
      }
    }
    let plain = Scene(meshes: [square(2)])
    #expect(
      message(plain, [.color], .vertex)
        == "the scene of 'heavy' has no vertex colours for a map; it has no colours at all")
    #expect(message(plain, [.color], .auto) == "")
    #expect(message(plain, [.normal], .vertex) == "")
    var classed = plain
    classed.meshes[0].classes = FaceClasses(
      labels: [UInt16](repeating: 0, count: 8), names: ["none"])
    #expect(
      message(classed, [.color], .texture)
        == "the scene of 'heavy' has no textures for a map; it has classes: name one of them in "
        + "'colors', or leave it out")
    #expect(message(classed, [.color], .classification) == "")
    #expect(message(plain, [.classification], .auto).contains("has no classes for a map"))
  }

  // MARK: Files

  /// What writing a square with maps warns of, and the names of the files.
  private func written(_ maps: String, _ outputs: [String]) throws -> ([String], [String]) {
    let folder = try TemporaryFolder()
    let plain = Scene(meshes: [square(4)])
    let names = maps.split(separator: " ").map { String($0) }
    let scene = try baked(plain, from: plain, names.compactMap { BakeMaps.Map(rawValue: $0) })
    let context = WritingContext()
    for name in outputs {
      let set = OutputSet(folder: folder.path, mainFileName: name)
      if name.lowercased().hasSuffix(".png") {
        try SurfaceMapPNG.write(scene, to: set, in: context)
      } else {
        try GLB.write(scene, to: set, in: context)
      }
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (context.stage.warnings, files.sorted())
  }

  @Test func `each map is a file that its name chooses`() throws {
    let (warnings, names) = try written("height position", ["a.height.png", "b.POSITION.PNG"])
    #expect(warnings == [])
    #expect(names == ["a.height.png", "b.POSITION.PNG"])
    #expect(throws: (any Error).self) { try written("height", ["a.curvature.png"]) }
    #expect(throws: (any Error).self) { try written("height", ["a.png"]) }
    #expect(throws: (any Error).self) { try written("normal", ["a.height.png"]) }
  }

  @Test func `a model that leaves them out says so`() throws {
    let (warnings, _) = try written("height position", ["a.glb"])
    #expect(
      warnings == [
        "\(GLB.name) can't hold everything: surface maps (position, height) will be lost; an output "
          + "whose name ends with .position.png writes such a map"
      ])
  }

  /// A plate of 2 m with a knob of 4 cm on it, whose area is far less than half a percent of the plate's, or with a plate
  /// that floats above its middle.
  private func plate(isFloating: Bool) -> Scene {
    guard isFloating else {
      return Scene(meshes: [
        MeshFixtures.sheet(100, size: SIMD2(2, 2)) { x, z in
          max(abs(x - 1), abs(z - 1)) < 0.03 ? 0.04 : 0
        }
      ])
    }
    var part = MeshFixtures.sheet(2, size: SIMD2(0.5, 0.5)) { _, _ in 0.04 }
    for index in part.positions.indices {
      part.positions[index] = Vector3(part.positions[index].simd + SIMD3(0.75, 0, 0.75))
    }
    return Scene(meshes: [MeshFixtures.sheet(10, size: SIMD2(2, 2)), part])
  }

  private func heights(
    from heavy: Scene, _ hit: BakeMaps.Hit
  ) throws -> (middle: Double, corner: Double, distance: Double) {
    let context = StageContext()
    let scene = try BakeMaps.baked(
      Scene(meshes: [MeshFixtures.sheet(1, size: SIMD2(2, 2))]), from: heavy, context
    ) {
      ($0.maps, $0.hit) = ([.height], hit)
    }
    let distance = try #require(
      context.notes.first { $0.key == "distanceMillimeters" }?.value.number)
    let gray = try values(scene, .height)
    func height(_ texel: Int) -> Double { (gray[texel].x * 2 - 1) * distance }
    return (height(32 * 64 + 32), height(0), distance)
  }

  @Test func `a detail far smaller than the mesh is reached`() throws {
    let found = try heights(from: plate(isFloating: false), .nearest)
    #expect(abs(found.middle - 40) < 0.1 && abs(found.corner) < 0.1)
    #expect(found.distance > 40 && found.distance < 50)
  }

  @Test func `what stands on a surface without being joined to it is seen from outside alone`()
    throws
  {
    let nearest = try heights(from: plate(isFloating: true), .nearest)
    #expect(abs(nearest.middle) < 0.1)
    let outermost = try heights(from: plate(isFloating: true), .outermost)
    #expect(abs(outermost.middle - 40) < 0.1 && abs(outermost.corner) < 0.1)
  }

  @Test(arguments: [("height", true), ("normal", false), ("position", false)])
  func `an output for a map that no stage makes is an error before the run`(
    map: String, isMade: Bool
  ) {
    let document = PipelineDocument(
      parsing: """
        { "meshpipe": 1, "stages": [
            { "use": "unwrap" }, { "use": "bake-maps", "with": { "maps": ["\(map)"] } } ],
          "outputs": [ { "path": "a.HEIGHT.png" } ] }
        """, file: "test.json")
    let environment = PipelineEnvironment(stages: builtInStages, formats: builtInFormats)
    let resolution = document.resolve(in: environment, for: PipelineRequest())
    let errors = resolution.diagnostics.filter { $0.severity == .error }
    #expect(
      errors.map(\.message)
        == (isMade ? [] : ["stage 'bake-maps' makes no height map; add \"height\" to its maps"]))
  }

  @Test func `further pages are files beside the first`() throws {
    var scene = Scene(meshes: [square(1), square(1)], materials: [Material(), Material()])
    scene.meshes[0].faceMaterials = [0, 0]
    scene.meshes[1].faceMaterials = [1, 1]
    scene.meshes[1].positions = scene.meshes[1].positions.map { Vector3($0.x, 1, $0.z) }
    let result = try baked(scene, from: scene, [.position])
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "a.b.position.png")
    try SurfaceMapPNG.write(result, to: output, in: WritingContext())
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["a.b-2.position.png", "a.b.position.png"])
    // New coordinates end them.
    #expect(try Unwrap(.init()).run(result, in: StageContext()).surfaceMaps == [])
  }

  @Test func `maps are there once after a stage for a part, and where branches meet`() throws {
    let scene = try baked(Scene(meshes: [square(1)]), from: Scene(meshes: [square(2)]), [.height])
    #expect(scene.surfaceMaps.count == 1)
    var both = scene
    both.append(scene)
    #expect(both.surfaceMaps.count == 1)
    var split = scene
    split.meshes.append(square(1))
    split.meshes[1].name = "other"
    let folder = try TemporaryFolder()
    let document = PipelineDocument(
      parsing: """
        { "meshpipe": 1, "stages": [
            { "use": "unwrap", "where": ["other"], "with": { "size": 64, "checker": 8 } } ],
          "outputs": [ { "path": "\(folder.path)/a.height.png" } ] }
        """, file: "test.json")
    let environment = PipelineEnvironment(stages: builtInStages, formats: builtInFormats)
    let pipeline = try document.resolve(in: environment, for: PipelineRequest()).get()
    // The coordinates of the part are new, so that the map is no longer of the scene.
    #expect(throws: RunFailure.self) { try PipelineRunner(pipeline).run(on: split) }
    #expect(try FileSystem.names(inFolder: folder.path) == [])
  }
}
