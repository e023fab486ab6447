import Foundation

/// glTF files as text, with the buffer inside.
enum GLTFText {
  /// A document with one buffer as a data URI, whose views are the given arrays, one after another.
  static func document(_ arrays: [[UInt8]], _ members: String) -> String {
    var offset = 0
    let views = arrays.map { array in
      defer { offset += array.count }
      return #"{"buffer":0,"byteOffset":\#(offset),"byteLength":\#(array.count)}"#
    }
    let content = Data(arrays.flatMap { $0 })
    return """
      {"asset":{"version":"2.0"},
      "buffers":[{"byteLength":\(content.count),"uri":"data:application/octet-stream;base64,\(content.base64EncodedString())"}],
      "bufferViews":[\(views.joined(separator: ","))],
      \(members)}
      """
  }

  /// Numbers as they are in a buffer.
  static func floats(_ values: [Float]) -> [UInt8] {
    values.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }
  }
}
