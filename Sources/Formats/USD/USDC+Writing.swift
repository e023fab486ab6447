package import MeshPipeline

extension USDC: WritableFormat {
  package static let keeps = USDContents.keeps
  package static let axes = AxisConvention.fixed(.arkit)
  package static let remark = "Textures are separate files. \(USDContents.remark)"

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    _ = try context.options(of: Self.self)
    try USDContents.check(scene, Self.self, in: context)
    let textures = USDContents.textureFiles(of: scene, beside: output)
    try textures.write(scene, to: output, in: context)
    let crate = CrateFile(USDLayer(scene, textures: textures.names, named: output.stem))
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try crate.write(to: writer)
    try writer.finish()
  }
}
