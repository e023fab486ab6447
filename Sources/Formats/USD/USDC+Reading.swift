package import MeshPipeline

extension USDC: USDForm {
  package static func recognizes(_ head: FileHead) -> Bool {
    head.begins(with: CrateReader.identifier)
  }
}
