package import MeshPipeline

extension USDZ: ReadableFormat {
  package static let canBring = USDContents.keeps

  package static func recognizes(_ head: FileHead) -> Bool { USDContents.isPackage(head) }

  /// Reads what a file of any form of USD shows; see ``USDContents/read(_:in:)``.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    try USDContents.read(path, in: context)
  }
}
