package import MeshPipeline

/// glTF 2.0 in one binary file.
package enum GLB: Format {
  package static let id = "glb"
  package static let name = "Binary glTF 2.0"
  package static let extensions = ["glb"]
}

extension GLB: WritableFormat {
  package typealias Options = GLTFOptions

  package static let keeps = GLTF.keeps
  package static let axes = GLTF.axes
  package static let remark = "A single file with everything. \(GLTF.contents)"

  package static let holdsLevels = true
  package static let holdsProvenance = Provenance.Extent.full
  package static let smallerForms = GLTFOptions.smallerForms
  package static let smallestForms = GLTFOptions.smallestForms

  package static func missing(for options: GLTFOptions) -> (any UserError)? {
    GLTF.missing(for: options)
  }

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let options = try context.options(of: Self.self)
    let levels = try checkedLevels(of: scene, options, in: context)
    let document = try GLTFDocument(levels, images: .embedded, options, in: context)
    var text = document.json(bufferName: nil).compactBytes
    text += [UInt8](repeating: 0x20, count: paddedToFour(text.count) - text.count)

    let headerLength = 12
    let chunkHeaderLength = 8
    let length = headerLength + 2 * chunkHeaderLength + text.count + document.buffer.length
    guard let total = UInt32(exactly: length) else {
      throw UnwritableScene.tooLarge(format: name, limit: "4 GiB")
    }
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try writer.write("glTF")
    try writer.write(elements: [2, total, UInt32(text.count)] as [UInt32])
    try writer.write("JSON")
    try writer.write(text)
    try writer.write(UInt32(document.buffer.length))
    try writer.write("BIN\0")
    try document.buffer.write(to: writer)
    try writer.finish()
  }
}
