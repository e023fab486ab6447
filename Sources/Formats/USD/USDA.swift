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

  package static let remark = "To look into; large scenes make large files. \(USDContents.remark)"

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    try writeLayer(of: scene, to: output, in: context) { try USDText(to: $1).write($0) }
  }
}
