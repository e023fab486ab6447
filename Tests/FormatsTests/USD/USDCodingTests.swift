import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Formats

struct USDCodingTests {
  @Test func `names become identifiers, each once`() {
    var names = USDNames()
    let found = ["a b", "a-b", "2nd", "_", "", "\u{e9}", "a_b", "a_b_2"].map {
      names.unique($0, or: "mesh")
    }
    #expect(found == ["a_b", "a_b_2", "_2nd", "mesh", "mesh_2", "mesh_3", "a_b_3", "a_b_2_2"])
  }

  /// The check value of the standard.
  @Test func `checksums are those of ZIP, in one piece or several`() {
    let text = Array("123456789".utf8)
    for split in 0...9 {
      var sum = CRC32()
      for part in [text[..<split], text[split...]] {
        Array(part).withUnsafeBytes { sum.update($0) }
      }
      #expect(sum.value == 0xCBF4_3926)
    }
  }

  @Test func `a short text is one literal run`() {
    #expect(LZ4.compressed([]) == [0])
    #expect(LZ4.compressed(Array("abcde".utf8)) == [0x50] + Array("abcde".utf8))
  }

  @Test func `blocks give their bytes back, and never more than is allowed`() {
    for bytes in [[], Array("abcde".utf8), [UInt8](repeating: 7, count: 29_999)] as [[UInt8]] {
      let block = LZ4.compressed(bytes)
      #expect(LZ4.decompressed(block.span, most: bytes.count) == bytes)
      #expect(LZ4.decompressed(block.span, most: 1 << 20) == bytes)
      if !bytes.isEmpty {
        #expect(LZ4.decompressed(block.span, most: bytes.count - 1) == nil)
        #expect(LZ4.decompressed(Array(block.dropLast()).span, most: 1 << 20) != bytes)
      }
    }
  }

  @Test func `integers of equal steps have no bytes of their own`() {
    let coded = CrateCoding.coded((0..<16).map { UInt32(3 * $0 + 3) })
    // One chunk, which is literals: the common step, and four bytes of codes.
    #expect(coded == [0, 0x80, 3, 0, 0, 0, 0, 0, 0, 0])
  }
}
