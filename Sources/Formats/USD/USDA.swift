package import MeshPipeline

/// Universal Scene Description as text.
package enum USDA: Format {
  package static let id = "usda"
  package static let name = "USD as text"
  package static let extensions = ["usda"]
}

extension USDA: USDForm {
  package static func recognizes(_ head: FileHead) -> Bool {
    head.begins(with: USDTextReader.identifier)
  }
}

extension USDA: WritableFormat {
  package typealias Options = USDOptions

  package static let keeps = USDContents.keeps
  package static let holdsFaceColors = true
  package static let axes = AxisConvention.fixed(.arkit)
  package static let remark = "To look into; large scenes make large files. \(USDContents.remark)"

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let scene = try scene.withCommonTextures(.pngAndJPEG, onlyIn: name, in: context)
    let (layer, textures) = try USDContents.layer(
      of: scene, for: output, as: Self.self, in: context)
    try textures.write(scene, to: output, in: context)
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try USDText(to: writer).write(layer)
    try writer.finish()
  }
}
