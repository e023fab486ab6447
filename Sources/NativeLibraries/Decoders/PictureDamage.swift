/// Why a picture can't be decoded.
struct PictureDamage: Error {
  /// For the message of its file.
  var reason: String

  init(_ reason: String) { self.reason = reason }

  /// Throws if a header claims more than a number of pixels.
  static func check(_ size: SIMD2<Int>, mostPixels: Int) throws(PictureDamage) {
    guard size.x > mostPixels / max(size.y, 1) else { return }
    throw PictureDamage(
      "claims to be \(size.x) x \(size.y), more than \(mostPixels / 1_000_000) megapixels")
  }
}

extension DecoderService {
  /// What a decoder makes of a picture, or what is wrong with that.
  static func answer(_ decode: () throws -> CellMessage) -> CellMessage {
    do {
      return try decode()
    } catch {
      return CellMessage(.damaged, text: (error as? PictureDamage)?.reason ?? "\(error)")
    }
  }
}
