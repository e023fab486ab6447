package import MeshPipeline

extension USDZ: USDForm {
  package static func recognizes(_ head: FileHead) -> Bool { USDContents.isPackage(head) }
}
