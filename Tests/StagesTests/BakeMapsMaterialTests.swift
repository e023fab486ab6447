import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Stages
import SurfaceKernels
import Testing

/// What maps have of the materials of their source: opacity, normal maps, metalness, roughness and emitted light.
struct BakeMapsMaterialTests {
  /// A square of two by two cells, whose texture is a picture of these pixels, with opacity unless `isOpaque`.
  private func square(
    _ material: Material, side: Int = 64, isOpaque: Bool = false,
    _ pixel: (Int, Int) -> SIMD4<UInt8>
  ) throws -> Scene {
    let pixels = (0..<side * side).map { pixel($0 % side, $0 / side) }
    let image = Image(width: side, height: side, pixels: pixels.flatMap { [$0.x, $0.y, $0.z] })
    var scene = Scene(meshes: [MeshFixtures.sheet(2)], materials: [material])
    scene.meshes[0].faceMaterials = [UInt32](repeating: 0, count: scene.faceCount)
    let bytes = isOpaque ? try PNG.encode(image) : try PNG.encode(image, alpha: pixels.map(\.w))
    scene.textures = [Texture(fileName: "a.png", encoding: .png, bytes: bytes)]
    return scene
  }

  private func light() -> Scene { Scene(meshes: [MeshFixtures.sheet(1)]) }

  private func samples(_ texture: Texture) throws -> PNG.Samples {
    #expect(texture.encoding == .png)
    return try PNG.samples(of: texture.bytes, path: texture.fileName)
  }

  /// The pixels of a picture with opacity.
  private func pixels(_ texture: Texture) throws -> [SIMD4<UInt8>] {
    let samples = try samples(texture)
    try #require(samples.channels == 4)
    return stride(from: 0, to: samples.bytes.count, by: 4).map { first in
      SIMD4(samples.bytes[first..<first + 4])
    }
  }

  // MARK: Opacity

  @Test func `what is cut out of the source is cut out of the map, without a dark border`() throws {
    let cut = Material(baseColorTexture: 0, alphaMode: .mask(cutoff: 0.4))
    // Red on the left; nothing, which is black, on the right.
    let heavy = try square(cut) { x, _ in x < 32 ? SIMD4(200, 20, 20, 255) : .zero }
    let context = StageContext()
    let result = try BakeMaps.baked(light(), from: heavy, context) { $0.maps = [.color] }
    #expect(context.warnings == [])
    #expect(context.notes.first { $0.key == "alphaMode" }?.value == "mask")
    #expect(result.materials.map(\.alphaMode) == [.mask(cutoff: 0.4)])
    #expect(result.textures.map(\.fileName) == ["color.png"])
    for (texel, pixel) in try pixels(result.textures[0]).enumerated() {
      // A filter that mixes neighbours mixes red with red.
      #expect(pixel.x == 200 && pixel.y == 20, "\(texel)")
      #expect(pixel.w == (texel % 64 < 32 ? 255 : 0), "\(texel)")
    }
  }

  @Test func `an opaque source has no opacity, whatever its texture says`() throws {
    let opaque = Material(baseColorTexture: 0, alphaMode: .opaque)
    let fading = try square(opaque) { x, y in SIMD4(UInt8(2 * x), UInt8(2 * y), 9, UInt8(x)) }
    let plain = try square(opaque, isOpaque: true) { x, y in
      SIMD4(UInt8(2 * x), UInt8(2 * y), 9, 0)
    }
    let context = StageContext()
    let results = try [fading, plain].map { heavy in
      try BakeMaps.baked(light(), from: heavy, context) { $0.maps = [.color] }
    }
    #expect(results[0].textures == results[1].textures)
    #expect(results[0].textures.map(\.fileName) == ["color.jpg"])
    #expect(results[0].materials.map(\.alphaMode) == [.opaque])
    #expect(!context.notes.contains { $0.key == "alphaMode" })
  }

  @Test func `opacities of material, texture and vertices multiply`() throws {
    var glass = Material(baseColorTexture: 0)
    (glass.baseColor.w, glass.alphaMode) = (0.5, .blend)
    var heavy = try square(glass) { _, _ in SIMD4(90, 90, 90, 204) }
    heavy.meshes[0].colors = heavy.meshes[0].positions.map { _ in
      Color(red: 255, green: 255, blue: 255, alpha: 128)
    }
    let result = try BakeMaps.baked(heavy, from: heavy) { $0.maps = [.color] }
    let opacity = 0.5 * 204 / 255 * 128.0 / 255
    #expect(
      try pixels(result.textures[0]).allSatisfy { abs(Double($0.w) - 255 * opacity) <= 0.51 })
    #expect(result.materials.map(\.alphaMode) == [.blend])
    // The map has it.
    #expect(result.materials.map(\.baseColor) == [.one])
  }

  @Test func `colours are means of what can be seen`() throws {
    let leaf = Material(baseColorTexture: 0, alphaMode: .blend)
    // Sixteen texels of the source for each of the map: a quarter is green, the rest nothing.
    let heavy = try square(leaf, side: 256) { x, y in
      x % 2 == 0 && y % 2 == 0 ? SIMD4(0, 180, 0, 255) : .zero
    }
    let result = try BakeMaps.baked(light(), from: heavy) { $0.maps = [.color] }
    for pixel in try pixels(result.textures[0]) {
      #expect(abs(Int(pixel.y) - 180) <= 2 && pixel.x == 0, "\(pixel)")
      #expect(abs(Int(pixel.w) - 64) <= 1, "\(pixel)")
    }
  }

  /// Two materials side by side, the first on the left, and the light square with one.
  private func halves(_ first: Material, _ second: Material) throws -> Scene {
    var heavy = try square(first) { _, _ in SIMD4(90, 90, 90, 128) }
    heavy.materials.append(second)
    let mesh = heavy.meshes[0]
    heavy.meshes[0].faceMaterials = (0..<mesh.faceCount).map { face in
      let corners = (0..<3).map { mesh.positions[Int(mesh.indices[3 * face + $0])].x }
      return corners.reduce(0, +) / 3 < 0.5 ? 0 : 1
    }
    return heavy
  }

  @Test func `what is cut out by several cutoffs, or blended, looks the same in one material`()
    throws
  {
    func baked(
      _ first: Material.AlphaMode, _ second: Material.AlphaMode
    ) throws -> (Material.AlphaMode, left: UInt8, right: UInt8) {
      let heavy = try halves(
        Material(baseColorTexture: 0, alphaMode: first),
        Material(baseColorTexture: 0, alphaMode: second))
      let result = try BakeMaps.baked(light(), from: heavy) { $0.maps = [.color] }
      let row = try pixels(result.textures[0])[32 * 64..<33 * 64].map(\.w)
      return (result.materials[0].alphaMode, row[8], row[56])
    }
    // Shown and not shown, with an opacity of a half.
    let cut = try baked(.mask(cutoff: 0.2), .mask(cutoff: 0.8))
    #expect(cut.0 == .mask(cutoff: 0.5))
    #expect(abs(Int(cut.left) - 175) <= 1 && abs(Int(cut.right) - 80) <= 1, "\(cut)")
    let mixed = try baked(.mask(cutoff: 0.2), .blend)
    #expect(mixed.0 == .blend && mixed.left == 255 && mixed.right == 128, "\(mixed)")
    let hidden = try baked(.blend, .mask(cutoff: 0.8))
    #expect(hidden.0 == .blend && hidden.left == 128 && hidden.right == 0, "\(hidden)")
    let solid = try baked(.opaque, .mask(cutoff: 0.6))
    #expect(solid.0 == .mask(cutoff: 0.6) && solid.left == 255 && solid.right == 128, "\(solid)")
  }

  @Test func `a material that shows only what is opaque stays opaque`() throws {
    let heavy = try halves(
      Material(name: "wall", baseColorTexture: 0, alphaMode: .opaque),
      Material(name: "leaf", baseColorTexture: 0, alphaMode: .blend))
    let result = try BakeMaps.baked(heavy, from: heavy) { $0.maps = [.color] }
    #expect(result.textures.count == 1)
    #expect(
      result.materials.map { [$0.name: $0.alphaMode] } == [["wall": .opaque], ["leaf": .blend]])
  }

  @Test func `opacity goes on beyond the borders of charts`() throws {
    let glass = Material(baseColor: SIMD4(0.5, 0.5, 0.5, 0.6))
    var heavy = Scene(meshes: [MeshFixtures.sheet(2)], materials: [glass])
    heavy.meshes[0].faceMaterials = [UInt32](repeating: 0, count: heavy.faceCount)
    var small = light()
    small.meshes[0].textureCoordinates = small.meshes[0].textureCoordinates?.map {
      Vector2(0.3 + 0.4 * $0.x, 0.3 + 0.4 * $0.y)
    }
    let result = try BakeMaps.baked(small, from: heavy) { $0.maps = [.color] }
    let pixels = try pixels(result.textures[0])
    #expect(Set(pixels).count == 1 && pixels[0].w == 153)
    // Colours of classes are no looks of a material.
    var classed = heavy
    classed.meshes[0].classes = FaceClasses(
      labels: [UInt16](repeating: 0, count: 8), names: ["wall"])
    let colored = try BakeMaps.baked(small, from: classed) {
      ($0.maps, $0.colors, $0.format) = ([.color], .classification, .png)
    }
    #expect(try samples(colored.textures[0]).channels == 3)
    #expect(colored.materials[0].alphaMode == .opaque)
  }

  // MARK: Normal maps

  private static let tilt = SIMD3<Float>(0.6, 0, 0.8).normalized

  /// A square whose normal map has one direction everywhere.
  private func tilted(_ direction: SIMD3<Float> = tilt) throws -> Scene {
    let code = (direction * 0.5 + 0.5) * 255
    return try square(Material(normalTexture: 0), isOpaque: true) { _, _ in
      SIMD4(
        UInt8(code.x.rounded()), UInt8(code.y.rounded()), UInt8(code.z.rounded()), 255)
    }
  }

  /// The one direction in the normal map of a light square with these coordinates; without a map, outwards.
  private func direction(
    from heavy: Scene, _ place: (Vector2) -> Vector2 = { $0 }
  ) throws -> SIMD3<Float> {
    var light = light()
    light.meshes[0].textureCoordinates = light.meshes[0].textureCoordinates?.map(place)
    let result = try BakeMaps.baked(light, from: heavy) { $0.maps = [.normal] }
    guard let map = result.textures.first else { return SIMD3(0, 0, 1) }
    let bytes = try samples(map).bytes
    let codes = Set(
      stride(from: 0, to: bytes.count, by: 3).map { SIMD3(bytes[$0..<$0 + 3]) })
    try #require(codes.count == 1, "\(codes)")
    let code = try #require(codes.first)
    return SIMD3<Float>(code) / 127.5 - 1
  }

  private func expect(
    _ found: SIMD3<Float>, is truth: SIMD3<Float>, location: SourceLocation = #_sourceLocation
  ) {
    #expect((found - truth).length < 0.012, "\(found) \(truth)", sourceLocation: location)
  }

  @Test func `the normal map of the source turns with the coordinates`() throws {
    let heavy = try tilted()
    expect(try direction(from: heavy), is: Self.tilt)
    // The heavy mesh leans along x. A quarter turn makes x the opposite of the picture's up.
    expect(
      try direction(from: heavy) { Vector2($0.y, 1 - $0.x) },
      is: SIMD3(0, -Self.tilt.x, Self.tilt.z))
    expect(
      try direction(from: heavy) { Vector2(1 - $0.x, 1 - $0.y) },
      is: SIMD3(-Self.tilt.x, 0, Self.tilt.z))
    // In a mirror only x changes its sign.
    let up = try tilted(SIMD3(0.3, 0.5, 0.8).normalized)
    let truth = SIMD3<Float>(0.3, 0.5, 0.8).normalized
    expect(
      try direction(from: up) { Vector2(1 - $0.x, $0.y) }, is: SIMD3(-truth.x, truth.y, truth.z))
  }

  @Test(arguments: [0, 1, 2, 3]) func `a flat map makes none, however it is turned`(turns: Int)
    throws
  {
    let heavy = try tilted(SIMD3(0, 0, 1))
    let found = try direction(from: heavy) { place in
      (0..<turns).reduce(place) { place, _ in Vector2(place.y, 1 - place.x) }
    }
    #expect(found == SIMD3(0, 0, 1))
  }

  @Test func `a normal map is in the tangents that the scan has`() throws {
    var heavy = try tilted()
    // They point up the picture, as if it were turned.
    let cornerCount = heavy.meshes[0].cornerCount
    heavy.meshes[0].tangents = [Tangent](
      repeating: Tangent(SIMD3(0, 0, -1), w: 1), count: cornerCount)
    expect(try direction(from: heavy), is: SIMD3(0, Self.tilt.x, Self.tilt.z))
    heavy.meshes[0].tangents = nil
    heavy.meshes[0].textureCoordinates = nil
    expect(try direction(from: heavy), is: SIMD3(0, 0, 1))
  }

  @Test func `a normal map is a detail on the relief of the mesh`() throws {
    // A slope along x of 0.25, on which the map leans as far back.
    let slope: Float = 0.25
    let back = SIMD3<Float>(slope, 0, 1).normalized
    var heavy = try tilted(back)
    heavy.meshes[0].positions = heavy.meshes[0].positions.map {
      Vector3($0.x, slope * $0.x, $0.z)
    }
    var level = light()
    level.meshes[0].positions = level.meshes[0].positions.map { Vector3($0.x, 0.125, $0.z) }
    let result = try BakeMaps.baked(level, from: heavy) {
      ($0.maps, $0.maximumDistance) = ([.normal], Length(meters: 0.2))
    }
    #expect(result.textures.isEmpty && result.materials.allSatisfy { $0.normalTexture == nil })
  }

  // MARK: Metalness, roughness and light

  @Test func `metalness and roughness are textures times factors`() throws {
    var steel = Material(metallic: 1, roughness: 0.5, metallicRoughnessTexture: 0)
    let heavy = try square(steel, isOpaque: true) { _, _ in SIMD4(0, 100, 200, 255) }
    let result = try BakeMaps.baked(light(), from: heavy) { $0.maps = [.metallicRoughness] }
    #expect(result.textures.map(\.fileName) == ["metallic-roughness.png"])
    let bytes = try samples(result.textures[0]).bytes
    #expect(Set(stride(from: 1, to: bytes.count, by: 3).map { bytes[$0] }) == [50])
    #expect(Set(stride(from: 2, to: bytes.count, by: 3).map { bytes[$0] }) == [200])
    #expect(result.materials.map { SIMD2($0.metallic, $0.roughness) } == [SIMD2(1, 1)])
    #expect(result.materials.map(\.metallicRoughnessTexture) == [0])
    steel.metallicRoughnessTexture = nil
    var plain = heavy
    plain.materials = [steel]
    let other = try BakeMaps.baked(light(), from: plain) { $0.maps = [.metallicRoughness] }
    #expect(Array(try samples(other.textures[0]).bytes[0..<3]) == [0, 128, 255])
  }

  @Test func `emitted light may be brighter than white`() throws {
    let lamp = Material(emissive: SIMD3(2, 1, 0), emissiveTexture: 0)
    let heavy = try square(lamp, isOpaque: true) { _, _ in SIMD4(255, 255, 255, 255) }
    let result = try BakeMaps.baked(light(), from: heavy) {
      ($0.maps, $0.format) = ([.emissive], .png)
    }
    #expect(result.materials.map(\.emissive) == [SIMD3(2, 2, 2)])
    #expect(result.materials.map(\.emissiveTexture) == [0])
    // A half of the light is 188 in sRGB.
    #expect(Array(try samples(result.textures[0]).bytes[0..<3]) == [255, 188, 0])
  }
}
