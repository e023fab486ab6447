import MeshPipeline

/// A point that several images of a model show.
struct COLMAPPoint {
  var position: SIMD3<Double>
  var color: Color
  /// The mean distance in pixels between where images show it and where their cameras see it.
  var error: Double
  /// The number of images that show it.
  var imageCount: Int
}

extension COLMAPBinary {
  /// The points of a file `points3D.bin`, in the order of their numbers.
  static func points(_ bytes: [UInt8], path: String) throws(CaptureError) -> [COLMAPPoint] {
    var reader = BinaryReader(bytes: bytes, path: path)
    var points: [(id: UInt64, point: COLMAPPoint)] = []
    for _ in 0..<(try reader.count(ofElementsOf: 51)) {
      let id = try reader.unsigned(8)
      let position = SIMD3(try reader.double(), try reader.double(), try reader.double())
      let color = Color(
        red: UInt8(try reader.unsigned(1)), green: UInt8(try reader.unsigned(1)),
        blue: UInt8(try reader.unsigned(1)))
      let error = try reader.double()
      let count = try reader.count(ofElementsOf: 8)
      try reader.skip(8 * count)
      points.append(
        (id, COLMAPPoint(position: position, color: color, error: error, imageCount: count)))
    }
    return points.sorted { $0.id < $1.id }.map(\.point)
  }
}
