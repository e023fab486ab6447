package import MeshPipeline
import NativeLibraries

/// The options of both forms of glTF.
package struct GLTFOptions: StageParameters {
  @Parameter(
    """
    Storage of geometry: `none`, as floats; `quantize`, as integers (KHR_mesh_quantization), about two thirds as \
    large; `meshopt`, these compressed too (EXT_meshopt_compression), for viewers that support it; `draco`, smallest \
    and slowest to open (KHR_draco_mesh_compression), for viewers that support that.
    """)
  package var compression = GLTFCompression.none
  @Parameter(
    """
    Largest step to which positions are rounded with `compression`. Positions for which 16 bits are \
    too few, or with `draco` 24, stay floats.
    """, in: 1e-6...largestStep)
  package var step = Length(meters: 0.0005)
  @Parameter(
    """
    Storage of textures: `keep`, as they are; `jpeg`, though PNG for transparency and for maps of numbers (normals, \
    occlusion, metalness and roughness); `png`; `webp` (EXT_texture_webp) and `avif` (EXT_texture_avif), without loss for such \
    maps, for viewers that support them; `ktx2` (KHR_texture_basisu) by a program in the PATH, for little memory of graphics \
    processors. One that would not become smaller by `jpeg`, `webp` or `avif` is kept.
    """)
  package var textures = GLTFTextureEncoding.keep
  @Parameter("JPEG and WebP quality of `textures`, and of an AVIF that looks like it.", in: 1...100)
  package var quality = 85
  @Parameter(
    "Sides from which faces are seen: `both`, or `front` alone, as to look into a room; by default as materials say, and from both sides where they say nothing."
  )
  package var sides: Sides? = nil

  /// The forms to try for an output with `maximumBytes`, the largest first.
  static let smallerForms = forms([.quantize, .meshopt])

  /// The forms for viewers that have Google's decoder, smaller than all of ``smallerForms``.
  static let smallestForms = forms([.draco])

  private static func forms(_ compressions: [GLTFCompression]) -> [[String: JSONValue]] {
    compressions.map { ["compression": $0.rawValue.json] }
  }

  /// In metres.
  private static let largestStep = 1.0

  package init() {}

  /// The grid of the positions of a scene; nil if they stay floats, which the user is told if it is for their size.
  func positionGrid(of scene: Scene, in context: WritingContext) -> GLTFPositionGrid? {
    guard compression != .none else { return nil }
    let boxes = scene.meshes.map { Box($0.positions) } + scene.pointClouds.map { Box($0.positions) }
    let box = boxes.reduce(into: Box()) { $0.add($1) }
    let system = scene.coordinateSystem
    let bits = compression == .draco ? 24 : 16
    do throws(GLTFPositionGrid.Fault) {
      return try GLTFPositionGrid(
        around: box, largestStep: step.units(in: system), isCoarse: compression != .quantize,
        mostBits: bits)
    } catch {
      switch error {
      case .flat: break
      case .tooFar:
        context.stage.warn(
          "positions stay floats: the scene is too far from the origin for exact steps; move it there, as 'center' does"
        )
      case .tooFewBits:
        let needed = Length(
          units: Double(box.size.max()) / Double(1 << (bits - 1) - 1), in: system)
        context.stage.warn(
          """
          positions stay floats: \(bits) bits are too few for steps of \(step.json.text ?? "") over the scene's \
          extent\(Self.advice(toTake: needed))
          """)
      }
      return nil
    }
  }

  /// The step that would do; empty if none does.
  private static func advice(toTake step: Length) -> String {
    guard step.meters < largestStep else { return "" }
    let millimetres = (step.meters * 10_000).rounded(.up) / 10
    return "; for smaller files give the output \"step\": \"\(JSONValue.text(of: millimetres))mm\""
  }
}

/// How geometry is stored.
package enum GLTFCompression: String, CaseIterable, ParameterValue {
  case none, quantize, meshopt, draco

  /// Why it can't be written on this machine; nil if it can.
  var fault: NativeLibraryError? {
    guard self == .meshopt, var fault = MeshoptEncoder.fault else { return nil }
    fault.reason += "; needed for \"compression\": \"meshopt\", while \"quantize\" works without"
    return fault
  }
}
