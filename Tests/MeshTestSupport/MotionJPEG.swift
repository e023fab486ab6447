import MeshPipeline
import NativeLibraries

/// The smallest video there is: an AVI file of JPEG pictures, two in a second.
package enum MotionJPEG {
  package static func avi(of pictures: [Image], quality: Int = 95) throws -> [UInt8] {
    let size = pictures.first?.size ?? .zero
    var movie: [UInt8] = Array("movi".utf8)
    var index: [UInt8] = []
    for picture in pictures {
      let data = try JPEG.encode(picture, quality: quality)
      index += Array("00dc".utf8) + words(0x10, movie.count, data.count)
      movie += chunk("00dc", data)
    }
    let header = words(
      500_000, 0, 0, 0x10, pictures.count, 0, 1, 0, size.x, size.y, 0, 0, 0, 0)
    let stream =
      Array("vidsMJPG".utf8) + words(0, 0, 0, 1, 2, 0, pictures.count, 0, -1, 0, 0, 0)
    let format =
      words(40, size.x, size.y, 1 | 24 << 16) + Array("MJPG".utf8)
      + words(3 * size.x * size.y, 0, 0, 0, 0)
    let streams = chunk("LIST", Array("strl".utf8) + chunk("strh", stream) + chunk("strf", format))
    let headers = chunk("LIST", Array("hdrl".utf8) + chunk("avih", header) + streams)
    return chunk(
      "RIFF", Array("AVI ".utf8) + headers + chunk("LIST", movie) + chunk("idx1", index))
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    Array(name.utf8) + words(content.count) + content + (content.count % 2 == 0 ? [] : [0])
  }

  private static func words(_ values: Int...) -> [UInt8] {
    values.flatMap { value in
      (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
  }
}
