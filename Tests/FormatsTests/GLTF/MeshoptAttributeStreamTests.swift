import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import NativeLibraries

/// The codec of attributes that `KHR_meshopt_compression` has added, on what meshoptimizer 0.30 encodes.
@Suite struct MeshoptAttributeStreamTests {
  /// The elements that were encoded: bytes, words, a float and a constant, of sixteen bytes.
  private func elements(_ count: Int) -> [UInt8] {
    (0..<count).flatMap { index in
      let seed = UInt32(truncatingIfNeeded: index) &* 1_103_515_245 &+ 12345
      let bytes = [index, index * index, Int(seed >> 16) & 7, 7]
      let words = [30_000 + index * 37 % 1000 * 60, index * index * 3]
      let float: Float = index % 3 == 0 ? -2 * Float(index) : 1000 + Float(index) * 0.25
      let constant = UInt32(bitPattern: -5)
      return bytes.map { UInt8(truncatingIfNeeded: $0) }
        + words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        + [float.bitPattern, constant].flatMap { word in
          (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) }
        }
    }
  }

  /// Streams by the number of elements; the first has all kinds of channels and two blocks.
  private static let streams: [Int: String] = [
    300: """
    oZ0/XapVVVVVKqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq\
    qqqqqgACBgoOEhYaHiImKi4yNjo+QkZKTlJWWl5iZmpucnZ6foKGio6SlpqeoqaqrrK2ur7CxsrO0tba3uLm6u7y9vr+\
    /fn18e3p5eHd2dXRzcnFwb25tbGtqaWhnZmVkY2JhYF9eXVxbWllYV1ZVVFNSUVBPTk1MS0pJSEdGRURDQkFAQIGCg4S\
    FhoeIiYqLjI2Oj5CRkpOUlZaXmJmam5ydnp+goaKjpKWmp6ipqqusra6vsLGys7S1tre4ubq7vL2+v79+fXx7enl4d3Z\
    1dHNycXBvbm1sa2ppaGdmZWRjYmFgX15dXFtaWVhXVlVUU1JRUE9OTUxLSklIR0ZFRENCQWqqqqqDDE8EzPjMTwTMcMx\
    wxM+MzHDE8EzHDMTwTMcMTwxM+MxPBM8EzHDEz4zMcMTwTM+MxPBMxwzHDEz4zE8MTwTMcMTPBMxwxPDEz4zE8EzwTMc\
    MTPjMxwxPBMxwzE8EzHDE8MTPjMTwxPBMxwxM8EzHDE8EzPjMTwTMcMxwxM+MxMAWFhYWFhYWFhYWFhYWFhYWFhYWFhY\
    WFhYWFhYmFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYmFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYmFhYWFhYWFhY\
    WFhYWFhYWFhYWFhYWFhYWFhYmFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYmFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhY\
    WFhYmFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYmFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYmFhYWFhYWFhYWFhY\
    WFhYWFhYWFhYWFhYWFhYmFhYWFhYWFhYWFhYABERERERERERERERERERERERERERERERERERETwRERERERERERERERER\
    ERERERERERERERERETwRERERERERERERERERERERERERERERERERETwRERERERERERERERERERERERERERERERERETwR\
    ERERERERERERERERERERERERERERERERETwRERERERERERERERERERERERERERERERERETwRERERERERERERERERERER\
    ERERERERERERETwRERERERERERERERERERERERERERERERERETwRERERERERERERERERERERERERERERERERETwRERER\
    EREREREREQAGEh4qNkJOWmZyfoqWoq66xtLe6vYCDhomMj5KVmJueoaSnqq2ws7a5vL+ChYiLjpGUl5qdoKOmqayvsrW\
    4u76BhIeKjZCTlpmcn6KlqKuusbS3ur2Ag4aJjI+SlZibnqGkp6qtsLO2uby/goWIi46RlJeanaCjpqmsr7K1uLu+gYS\
    Hio2Qk5aZnJ+ipairrrG0t7q9gIOGiYyPkpWYm56hpKeqrbCztrm8v4KFiIuOkZSXmp2go6aprK+ytbi7voGEh4qNkJO\
    WmZyfoqWoq66xtLe6vYCDhomMj5KVmJueoaSnqq2ws7a5vL+ChYiLjpGUl5qdoKOmqayvsrW4u6o////AAVVVVVVVaqq\
    qqqqIzMzMzMzMzMzMzNERERERERERERERFVVVVVVVVVVVVVWZmZmZmZmZmZmZnd3d3d3d3d3d3d3iIiIiIiIiIiIiImZ\
    mZmZmZmZmZmZqqqqqqqqqqqqqqq7u7u7u7u7u7u7VVVVVRFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF\
    FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEAIGBAgCCg4OAAQCBgoGDAACAgYOCAwCDgIGBAgCCg4OAAQCBgoGDA\
    ACAgYOCAwCDgIGBAgCCg4OAAQCBgoGDAACAgYOCAwCDgIGBAgCCg4OAAQCBgoGDAACAgYOCAwCDgEDAgQBBQcPCAoBCw\
    0DDgABAQMHBAYBBwkDCgwBDQ8PAAIBAwUDBggBCQsHDA4BDwEDAgQBBQcPCAoBCw0DDgABAQMHBAYBBwkDCgwBDQ8PAA\
    IBAwUDBggBCQsHDA4BDwEDAgQBBQcPCAoBCw0DDgABAQMHBAYBBwkDCgwBDQ8PAAIBAwUDBggBCQsHDA4BDwEDAgQBBQ\
    cPCAoBCw0DDgAAAAANq39HR0dHQB1dV1dRVt2xbW1qamdndHRxcXt20P8PDY2MDBqamRkdu3eXpiYkpKATMzGxsDbdsE\
    9PTo6Nzd0dHFxbdtA7q6rq6io5eXi4vbtn+AjIyYmKSksLC8bdu9ycnV1eHh7e35+bFtAwoKDAwWFhgY27YiIyUlLy8x\
    MTs7PW3bOkBATk5UVFJSWFi3bQFnZ21ta2txcX9/27aFhoCAioqUlJ6emG3bmaOjra23t7Gxu7u3bQ/KysDAxsbc3NLS\
    27bo6e/v5eX7+/Hx96oKqqoPCZCqC7C7C4iwzAzAzAzAzA3Q3Q3Q3Q3Q3Q3Q3Q3Q3Q3Q7g7g7g7g7g7g7g7g7g7g27YO\
    Dw8PDw8PDw8PD23bDw8PDw8PDw8PDw8O4O4O4O4O4O4O4O4O4O4O4O4O4O4O4O4O4O4O4O4O4O4O4O4O4O4O4O4O4O4O\
    4O4O4O4O4O4O4O4O4O4O4O4OnX9dqhWqqqqqqqqqqqqqqgABAgYKDhIWGh4iJiouMjY6PkJGSk5SVlpeYmZqbnJ2en6C\
    hoqOkpaanqKmqirDE8EzHDMTwTMcMTwxM+MxPBM8EzHDAABYWFhYWFhYWFhYWFhYWFiYWFhYWFhYWFhYWFhYWFhYWFhY\
    WFhYWFhYWFiYWBERERERERERERERERERETwRERERERERERERERERERERERERERERERERETwR+gYSHio2Qk5aZnJ+ipai\
    rrrG0t7q9gIOGiYyPkpWYm56hpKeqrbCztrm8v4qvMzMzMzMzMzMzMzd3d3d3d3d3d3d3QAAFUUUUUUUUUUUUUUUAAAQ\
    EDBwQGAQcJAwoMAQ0PDwACAQMFAwYIAQkLBwwOAQ8BAwIEAQUHDwgKAQAc88oU/0CAgPDwQEt20BGhofHxwcEREWFtsG\
    KywvLyoqJSUVxRRRRQ4UUUUUUUUUAAAAAAAAAAAHMHUAAAAAAID7////AAESAA==
    """,
    17: """
    oZ2/XqoBKqqqqgEAAgACBgoOEhYaHiImKi4yNjo+AgwxPBMz4zE8AQABAFhYWFhYWFhYWFhYWFhYWFgAERERERERERER\
    EREREREREQAGEh4qNkJOWmZyfoqWoq66ACAgP4Agn+Ag/78goF8gQAAA2rb0jItzdCwrjIvsAQDpANq2d/j3+vn6+fr5\
    +gEA+QAAAAAAAAAHMHUAAAAAAID7////AAEAAA==
    """,
    1: """
    oaqqqqoAAAAAAAAABzB1AAAAAACA+////wAAAAA=
    """,
  ]

  private func stream(_ count: Int) throws -> [UInt8] {
    let text = try #require(Self.streams[count])
    return Array(try #require(Data(base64Encoded: text)))
  }

  private func decode(_ bytes: [UInt8], _ count: Int) throws -> [UInt8] {
    var stream = try MeshoptAttributeStream(bytes, stride: 16)
    return try stream.elements(count)
  }

  @Test(arguments: [300, 17, 1])
  func `elements come back as they were`(count: Int) throws {
    #expect(try decode(stream(count), count) == elements(count))
  }

  @Test func `all kinds of deltas are in the longest stream`() throws {
    // Bytes, words, exclusive ors turned by a bit, bytes.
    #expect(try stream(300).suffix(4) == [0, 1, 0x12, 0])
  }

  @Test func `a stream that is too short or too long is damaged`() throws {
    let bytes = try stream(300)
    for count in [1, 256, 299, 301, 100_000] where count != 299 {
      #expect(throws: MeshoptAttributeStream.Damage.self) { try decode(bytes, count) }
    }
    for length in 0..<bytes.count {
      var cut = Array(bytes.prefix(length))
      // With a tail that is valid, where there is room for it.
      if length > 60 { cut.replaceSubrange((length - 20)..., with: bytes.suffix(20)) }
      #expect(throws: MeshoptAttributeStream.Damage.self) { try decode(cut, 300) }
    }
  }

  @Test(arguments: [3, 4, 0x10, 0x21, 0xFF] as [UInt8])
  func `a channel that does not exist is damage`(channel: UInt8) throws {
    var bytes = try stream(300)
    bytes[bytes.count - 2] = channel
    #expect(throws: MeshoptAttributeStream.Damage.self) { try decode(bytes, 300) }
  }

  @Test func `whatever bytes there are, decoding ends`() throws {
    var bytes = try stream(300)
    var state: UInt32 = 7
    for _ in 0..<2000 {
      state = state &* 1_664_525 &+ 1_013_904_223
      bytes[Int(state >> 8) % bytes.count] = UInt8(truncatingIfNeeded: state)
      bytes[0] = MeshoptAttributeStream.header
      if let found = try? decode(bytes, 300) { #expect(found.count == 4800) }
    }
  }

  @Test func `colours of eight and sixteen bits`() {
    // Luma, the differences of orange and green, and opacity below its highest bit.
    var bytes: [UInt8] = [255, 0, 0, 255, 64, 127, 192, 255, 127, 0, 0, 0xC0]
    MeshoptDecoder.Filter.color.undo(&bytes, stride: 4)
    #expect(bytes == [255, 255, 255, 255, 255, 0, 1, 255, 127, 127, 127, 128])
    // Of six bits.
    var words: [UInt8] = [63, 0, 0, 0, 0, 0, 63, 0]
    MeshoptDecoder.Filter.color.undo(&words, stride: 8)
    #expect(words == [UInt8](repeating: 255, count: 8))
  }

  @Test func `directions, rotations and floats`() {
    // Up, and down by the edge of the octahedron.
    var directions: [UInt8] = [0, 0, 127, 9, 127, 127, 127, 0]
    MeshoptDecoder.Filter.octahedral.undo(&directions, stride: 4)
    #expect(directions == [0, 0, 127, 9, 0, 0, 129, 0])
    // A quarter turn about x: both components are the root of a half, and w, the third, is left out.
    var rotation: [UInt8] = [0xFF, 0x7F, 0, 0, 0, 0, 0xFF, 0x7F]
    MeshoptDecoder.Filter.quaternion.undo(&rotation, stride: 8)
    #expect(rotation == [0x82, 0x5A, 0, 0, 0, 0, 0x82, 0x5A])
    // -3 times two to the power of -1.
    var float: [UInt8] = [0xFD, 0xFF, 0xFF, 0xFF]
    MeshoptDecoder.Filter.exponential.undo(&float, stride: 4)
    #expect(float == [0, 0, 0xC0, 0xBF])
  }

  @Test func `a file with the second name of the extension is read like one with the first`() throws
  {
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "a.glb")
    try GLB.write(
      Scene(meshes: [MeshFixtures.grid(columns: 9, rows: 9)]), to: output,
      in: WritingContext(options: ["compression": "meshopt"]))
    let bytes = try Data(contentsOf: URL(filePath: output.mainPath))
    var renamed = bytes
    let (first, second) = (Data("EXT_meshopt".utf8), Data("KHR_meshopt".utf8))
    while let range = renamed.range(of: first) { renamed.replaceSubrange(range, with: second) }
    #expect(renamed != bytes)
    try renamed.write(to: URL(filePath: folder.path + "/b.glb"))
    let scenes = try ["a", "b"].map {
      try GLB.read("\(folder.path)/\($0).glb", in: ReadingContext())
    }
    #expect(scenes[0].faceCount == 162)
    #expect(scenes[0].meshes[0].positions == scenes[1].meshes[0].positions)
    #expect(scenes[0].meshes[0].indices == scenes[1].meshes[0].indices)
  }
}
