package import MeshPipeline
import NativeLibraries
import Workers

/// A scene in the form that plugins receive, in a file: one message of ``WireFormat``.
///
/// Lossless and without parsing: for programs in other languages, and to continue where a pipeline
/// ended.
package enum MeshScene: Format {
  package static let id = "meshscene"
  package static let name = "meshpipe scene"
  package static let extensions = ["meshscene"]
}

extension MeshScene: ReadableFormat {
  package static let canBring: Set<SceneFeature> = keeps

  package static func recognizes(_ head: FileHead) -> Bool {
    head.bytes.starts(with: WireFormat.magic)
  }

  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    try context.reading(path) { try scene(of: $0, in: context) }
  }

  private static func scene(of file: MappedFile, in context: ReadingContext) throws -> Scene {
    let path = file.path
    var bytes = FileBytes(file: file)
    do {
      let decoder = WireDecoder(maximumPayloadLength: file.count, requiresFiniteNumbers: false)
      guard case .scene(var content) = try decoder.read(from: &bytes) else {
        throw ReadingError.content(path: path, "contains a message, but no scene")
      }
      guard bytes.offset == file.count else {
        throw ReadingError.byte(path: path, offset: bytes.offset, "the scene ends before the file")
      }
      // Images of frames are separate files, which belong to the scan's own capture.
      content.scene.capture = nil
      try context.stage.progress(1)
      return content.scene
    } catch let error as WireError {
      throw ReadingError.byte(path: path, offset: bytes.offset, error.message)
    }
  }
}

extension MeshScene: WritableFormat {
  /// The wire sends every attribute of the table.
  package static let keeps = Set(SceneFeature.allCases).subtracting(SceneFeature.besideModels)
  package static let axes = AxisConvention.declared
  package static let holdsProvenance = Provenance.Extent.full
  package static let holdsFaceColors = true
  package static let remark = """
    For meshpipe and its Python module: every attribute bit by bit, axes and unit, and the \
    images; docs/plugin-protocol.md describes it.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    try context.requireFinitePositions(of: scene)
    var scene = scene
    scene.capture = nil
    var sink = FileSink(writer: try FileWriter(creating: output.mainPath, in: context.stage))
    var content = WireScene(scene)
    content.provenance = context.provenance
    try WireEncoder.write(.scene(content), to: &sink)
    try sink.writer.finish()
  }
}

/// The bytes of a file, one after another.
struct FileBytes: WireInput {
  let file: MappedFile
  private(set) var offset = 0

  init(file: MappedFile) { self.file = file }

  mutating func read(into buffer: inout MutableRawSpan) throws {
    let count = buffer.byteCount
    guard count <= file.count - offset else { throw WireError.truncated }
    let start = offset
    file.withBytes { bytes in
      unsafe buffer.withUnsafeMutableBytes { target in
        unsafe bytes.bytes.withUnsafeBytes { source in
          unsafe target.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: source[start..<start + count]))
        }
      }
    }
    offset += count
  }
}

/// A file that receives the bytes of a message.
struct FileSink: WireOutput {
  let writer: FileWriter

  mutating func write(_ bytes: RawSpan) throws {
    try unsafe bytes.withUnsafeBytes { unsafe try writer.write($0) }
  }
}
