import MeshPipeline

/// What of a file is left out.
extension GLTFReader {
  /// Warns of material variants, of which only the default is read.
  func warnOfVariants() {
    let variants = json["extensions"]?["KHR_materials_variants"]?["variants"]?.elements ?? []
    guard !variants.isEmpty else { return }
    let names = variants.prefix(8).map { "'\(($0["name"]?.text ?? "").prefix(64))'" }
    let more = variants.count > names.count ? " and \(variants.count - names.count) more" : ""
    warn(
      "the material variants \(names.joined(separator: ", "))\(more) are left out; the default materials are read"
    )
  }

  /// Warns of Gaussian splats, unless that was said of them as a required extension.
  func warnOfSplats() {
    func isNamed(in list: String) -> Bool {
      json[list]?.elements.contains { $0.text == GLTFExtensions.splats } == true
    }
    guard isNamed(in: "extensionsUsed"), !isNamed(in: "extensionsRequired") else { return }
    warn("\(GLTFExtensions.lossOfSplats) (\(GLTFExtensions.splats))")
  }

  /// Warns of the shine of older materials, of which only the colours are read.
  func warnOfGlossiness() {
    let isUsed = json["materials"]?.elements.contains {
      GLTFExtensions.glossySurface(of: $0)?["specularGlossinessTexture"] != nil
    }
    if isUsed == true {
      warn(
        "the shine of specular-glossiness materials is left out, while their colours are read")
    }
  }

  /// Warns of what moves, which is read as it is at rest.
  func warnOfMotion(isSkinned: Bool) {
    let animations = json["animations"]?.elements.count ?? 0
    let parts = [
      isSkinned ? "skinned meshes are read as their joints hold them at rest" : "",
      animations > 0 ? "\(animations) animation\(animations == 1 ? " is" : "s are") left out" : "",
    ].filter { !$0.isEmpty }
    if !parts.isEmpty { warn(parts.joined(separator: ", and ")) }
  }
}
