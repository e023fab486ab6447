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

  package static let remark = "Textures are separate files. \(USDContents.remark)"

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    try writeLayer(of: scene, to: output, in: context) { try CrateFile($0).write(to: $1) }
  }
}
