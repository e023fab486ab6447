/// PCD files, made apart from the project's own writer.
enum PCDFixture {
  static let text = """
    # .PCD v0.7 - Point Cloud Data file format
    VERSION 0.7
    FIELDS x y z rgb normal_x normal_y normal_z curvature label stamp hist _
    SIZE 4 4 4 4 4 4 4 4 4 8 4 1
    TYPE F F F F F F F F U U F U
    COUNT 1 1 1 1 1 1 1 1 1 1 2 1
    WIDTH 2
    HEIGHT 2
    VIEWPOINT 0 0 1 1 0 0 0
    POINTS 4
    DATA ascii
    1 2 3 9.183409e-41 0 0 1 0.5 1 1600000000000000 1 2 0
    nan nan nan 0 0 0 1 0.5 2 7 1 2 0
    4 5 6 2.3509886e-38 0 2 0 0.25 2 8 3 4 0
    nan 0 0 0 0 0 1 0.5 2 9 1 2 0

    """

  static func header(
    _ data: String, points: String = "POINTS 2", fields: String = "x y z rgba _ stamp",
    size: String = "4 4 4 4 1 8", type: String = "F F F U U I", count: String = "1 1 1 1 3 1"
  ) -> String {
    """
    VERSION .7
    FIELDS \(fields)
    SIZE \(size)
    TYPE \(type)
    COUNT \(count)
    WIDTH 2
    HEIGHT 1
    \(points)
    DATA \(data)

    """
  }

  /// The fields of two points, one after another.
  private static let fields: [[[UInt8]]] = [
    [little(Float(1).bitPattern), little(Float(4).bitPattern)],
    [little(Float(2).bitPattern), little(Float(5).bitPattern)],
    [little(Float(3).bitPattern), little(Float(6).bitPattern)],
    [[3, 2, 1, 255], [6, 5, 4, 128]],
    [[9, 9, 9], [9, 9, 9]],
    [little(Int64(-2)), little(Int64(1) << 40)],
  ]

  static var records: [UInt8] {
    (0..<2).flatMap { point in fields.flatMap { $0[point] } }
  }

  /// The fields one after another, in LZF: as they are, but the threes of the padding as a
  /// reference.
  static var lzf: [UInt8] {
    let all = fields.flatMap { $0.joined() }
    func plain(_ range: Range<Int>) -> [UInt8] { [UInt8(range.count - 1)] + all[range] }
    // The padding begins at byte 32: one byte, then five as a copy of the byte before.
    return plain(0..<32) + plain(32..<33) + [3 << 5, 0] + plain(38..<54)
  }

  static var binary: [UInt8] { Array(header("binary").utf8) + records }

  static var compressed: [UInt8] {
    Array(header("binary_compressed").utf8) + little(UInt32(lzf.count)) + little(UInt32(54)) + lzf
  }

  static func little(_ number: some FixedWidthInteger) -> [UInt8] { LASFixture.little(number) }
}
