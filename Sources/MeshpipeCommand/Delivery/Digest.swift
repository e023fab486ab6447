import MeshPipeline
import NativeLibraries

/// The SHA-256 of a file in the headers of HTTP.
struct Digest: Sendable {
  /// In lower case.
  let hexadecimal: String

  /// The headers that tell a server the hash: RFC 9530's, and the one of servers for artifacts.
  var headers: [String] {
    ["Repr-Digest: sha-256=:\(base64):", "X-Checksum-Sha256: \(hexadecimal)"]
  }

  /// Whether a server says that it has these bytes.
  func isThat(of answer: HTTPTransfer.Response) -> Bool {
    hashes(of: answer).contains(hexadecimal) || answer.entityTag?.lowercased() == hexadecimal
  }

  /// Whether a server says that it has other bytes.
  func isOther(than answer: HTTPTransfer.Response) -> Bool {
    let hashes = hashes(of: answer)
    return !hashes.isEmpty && !hashes.contains(hexadecimal)
  }

  /// In hexadecimal.
  private func hashes(of answer: HTTPTransfer.Response) -> [String] {
    var hashes = answer.checksum.map { [$0.lowercased()] } ?? []
    for part in (answer.digest ?? "").split(separator: ",") {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, pair[0].filter({ $0 != " " }).lowercased() == "sha-256" else {
        continue
      }
      // With colons in RFC 9530, without in RFC 3230.
      let value = pair[1].filter { !": ".contains($0) }
      hashes.append(value == base64 ? hexadecimal : "")
    }
    return hashes
  }

  /// The 32 bytes in Base64.
  private var base64: String { SHA256.base64(ofHexadecimal: hexadecimal) }
}
