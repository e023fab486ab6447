import MeshPipeline
import MeshTestSupport
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

  @Test func `a long run of one byte is a literal, a copy and the last five`() {
    // 1 literal, distance 1, 4 + 15 + 255 + 25 = 299 - 5 - 1 = 293 copied; then five literals.
    let block = LZ4.compressed([UInt8](repeating: 7, count: 299))
    #expect(block == [0x1F, 7, 1, 0, 255, 19, 0x50, 7, 7, 7, 7, 7])
  }

  @Test func `integers of equal steps have no bytes of their own`() {
    let coded = CrateCoding.coded((0..<16).map { UInt32(3 * $0 + 3) })
    // One chunk, which is literals: the common step, and four bytes of codes.
    #expect(coded == [0, 0x80, 3, 0, 0, 0, 0, 0, 0, 0])
  }
}
