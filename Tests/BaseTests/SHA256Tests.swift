import Foundation
import MeshpipeBase
import Testing

@Test(arguments: [
  ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
  ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
  (
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
  ),
])
func `hashes are those of the standard`(text: String, hash: String) {
  #expect(SHA256.hexadecimal(of: Array(text.utf8)) == hash)
}

@Test func `a hash doesn't depend on how the bytes arrive`() {
  let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 31) }
  let whole = SHA256.hexadecimal(of: bytes)
  for size in [1, 55, 56, 63, 64, 65, 127, 500] {
    var hash = SHA256()
    for start in stride(from: 0, to: bytes.count, by: size) {
      hash.update(bytes[start..<min(start + size, bytes.count)])
    }
    #expect(hash.finish() == whole, "blocks of \(size)")
  }
}

@Test func `a million letters in a file hash as the standard says`() throws {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
  try Data(repeating: 0x61, count: 1_000_000).write(to: URL(fileURLWithPath: path))
  defer { try? FileManager.default.removeItem(atPath: path) }
  #expect(
    try SHA256.hexadecimal(ofFile: path)
      == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
}
