package import MeshPipeline

/// Universal Scene Description in one file with its textures, as AR Quick Look opens it.
package enum USDZ: Format {
  package static let id = "usdz"
  package static let name = "USDZ package"
  package static let extensions = ["usdz"]
}

extension USDZ: USDForm {
  package static func recognizes(_ head: FileHead) -> Bool { USDContents.isPackage(head) }

  package static let remark = """
    A single file with everything, which iPhones, iPads and Macs show by themselves. \(USDContents.remark)
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let scene = try scene.withCommonTextures(.pngAndJPEG, onlyIn: name, in: context)
    let (layer, textures) = try USDContents.layer(
      of: scene, for: output, as: Self.self, in: context)
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    var package = USDZPackage(to: writer)
    try package.add(output.sideStem + ".usdc", CrateFile(layer).parts)
    for (texture, name) in zip(scene.textures, textures.names) {
      guard let name else { continue }
      try package.add(name, [.bytes(texture.bytes)])
    }
    try package.finish()
  }
}
