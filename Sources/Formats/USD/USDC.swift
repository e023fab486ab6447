package import MeshPipeline

/// Universal Scene Description as a binary *crate*.
package enum USDC: Format {
  package static let id = "usdc"
  package static let name = "USD crate"
  package static let extensions = ["usdc", "usd"]
}

extension USDC: USDForm {
  package static func recognizes(_ head: FileHead) -> Bool {
    head.begins(with: CrateReader.identifier)
  }
}

extension USDC: WritableFormat {
  package typealias Options = USDOptions

  package static let keeps = USDContents.keeps
  package static let holdsFaceColors = true
  package static let axes = AxisConvention.fixed(.arkit)
  package static let remark = "Textures are separate files. \(USDContents.remark)"

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let scene = try scene.withCommonTextures(.pngAndJPEG, onlyIn: name, in: context)
    let (layer, textures) = try USDContents.layer(
      of: scene, for: output, as: Self.self, in: context)
    try textures.write(scene, to: output, in: context)
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try CrateFile(layer).write(to: writer)
    try writer.finish()
  }
}
