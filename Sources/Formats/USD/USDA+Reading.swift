package import MeshPipeline

extension USDA: USDForm {
  package static func recognizes(_ head: FileHead) -> Bool {
    head.begins(with: USDTextReader.identifier)
  }
}
