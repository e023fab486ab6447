import Foundation

/// What the sample's living room would look like: a colour for each place of its surface.
///
/// The documentation's captures are photographs of it.
struct RoomPaint {
  typealias Color = (red: Float, green: Float, blue: Float)

  /// The turn of the room in the scan's world: YAW in `Tools/make_sample.py`.
  private static let (cosine, sine) = (cosf(17 * .pi / 180), sinf(17 * .pi / 180))

  /// The colour of a place in the scan's world, as sRGB codes from 0 to 255.
  ///
  /// Scalars, because vectors are slow in a debug build, and this runs for each sample of each photograph.
  static func color(_ worldX: Float, _ worldY: Float, _ worldZ: Float, class label: String) -> Color
  {
    // The room has its corner at (0, 0, 0), the scan began at (2.5, 1.42, 1.9).
    let x = cosine * worldX - sine * worldZ + 2.5
    let y = worldY + 1.42
    let z = sine * worldX + cosine * worldZ + 1.9
    switch label {
    case "floor": return floor(x, z)
    case "wall": return wall(x, y, z)
    case "ceiling": return (236, 233, 226)
    case "table": return wood(x, z, tone: 0.92 + 0.1 * sinf(60 * x + 3 * sinf(9 * z)))
    case "seat": return fabric(x, y, z)
    case "window": return (232, 235, 236)
    case "door": return door(y, z)
    default: return thing(x, y, z)
    }
  }

  private static func floor(_ x: Float, _ z: Float) -> Color {
    if x > 1.2, x < 3.1, z > 1.25, z < 3.1 { return rug(x, z) }
    let row = (z / 0.14).rounded(.down)
    let along = x + 1.3 * chance(row, 7)
    let board = (along / 1.3).rounded(.down)
    let tone = 0.8 + 0.3 * chance(row, board) + 0.05 * sinf(45 * x + 5 * sinf(31 * z + row))
    let joint = z / 0.14 - row < 0.06 || along / 1.3 - board < 0.006
    return wood(x, z, tone: joint ? 0.5 : tone)
  }

  private static func rug(_ x: Float, _ z: Float) -> Color {
    let border = min(min(x - 1.2, 3.1 - x), min(z - 1.25, 3.1 - z))
    if border < 0.06 || (border > 0.14 && border < 0.18) { return (226, 214, 190) }
    let diamond =
      abs((x / 0.3).truncatingRemainder(dividingBy: 1) - 0.5)
      + abs((z / 0.3).truncatingRemainder(dividingBy: 1) - 0.5)
    return diamond < 0.28 && border > 0.18 ? (214, 178, 120) : (150, 52, 48)
  }

  private static func wall(_ x: Float, _ y: Float, _ z: Float) -> Color {
    if y < 0.1 { return (243, 242, 238) }
    guard x < 0.3 else {
      let stripe = sinf((x + z) * 2 * .pi / 0.34) > 0
      return stripe ? (226, 219, 203) : (219, 211, 193)
    }
    let leaf = sinf(2 * .pi * (z / 0.36 + 0.5 * y)) * sinf(2 * .pi * (y / 0.36 - 0.4 * z))
    return leaf > 0.45 ? (182, 205, 190) : (118, 152, 142)
  }

  private static func fabric(_ x: Float, _ y: Float, _ z: Float) -> Color {
    if x > 1.7 {
      let weave = sinf(50 * x) * sinf(50 * z) * sinf(50 * y) > 0
      return weave ? (186, 112, 54) : (170, 98, 46)
    }
    let lines = min(part(x, 0.16), min(part(y, 0.16), part(z, 0.16)))
    return lines < 0.08 ? (192, 199, 210) : (62, 82, 122)
  }

  private static func door(_ y: Float, _ z: Float) -> Color {
    let (u, v) = (part(z - 2.5, 0.45), part(y, 0.68))
    let edge = min(min(u, 1 - u), min(v, 1 - v))
    return edge > 0.12 && edge < 0.17 ? (128, 106, 80) : (196, 172, 138)
  }

  /// What has no class: pictures on the wall, books, a plant, lamps.
  private static func thing(_ x: Float, _ y: Float, _ z: Float) -> Color {
    if x < 0.15 {
      let (a, b) = (sinf(7 * z + 3 * sinf(5 * y)), sinf(9 * y - 4 * sinf(3 * z)))
      return a > 0 ? (230, 150 + 50 * b, 70) : (50 + 40 * b, 90, 140 - 30 * b)
    }
    if z > 3.25, x > 2.1, x < 3.4 {
      let shelf = (y / 0.36).rounded(.down)
      let book = (x / 0.045).rounded(.down)
      let hue = chance(book, shelf)
      let tone = 0.6 + 0.4 * chance(shelf, book)
      return (
        tone * (110 + 120 * sinf(6.28 * hue)), tone * (110 + 80 * sinf(6.28 * hue + 2)),
        tone * (110 + 100 * sinf(6.28 * hue + 4))
      )
    }
    if x > 4, y < 0.9 {
      return wood(0.3 * y, z, tone: 0.62 + 0.05 * sinf(50 * y + 3 * sinf(8 * z)))
    }
    if x > 4 {
      let leaf = chance((y / 0.04).rounded(.down), ((x + z) / 0.05).rounded(.down))
      return (50 + 40 * leaf, 96 + 70 * leaf, 48 + 20 * leaf)
    }
    return (206, 196, 176)
  }

  private static func wood(_ x: Float, _ z: Float, tone: Float) -> Color {
    (tone * 178, tone * 128, tone * 82)
  }

  /// How far into its cell of a grid a place is, 0 to 1.
  private static func part(_ value: Float, _ cell: Float) -> Float {
    value / cell - (value / cell).rounded(.down)
  }

  /// A number from 0 to 1 that is always the same for a cell.
  private static func chance(_ a: Float, _ b: Float) -> Float {
    var mixed = UInt32(truncatingIfNeeded: Int(a)) &* 0x9E37_79B1
    mixed = (mixed ^ UInt32(truncatingIfNeeded: Int(b))) &* 0x85EB_CA6B
    mixed = (mixed ^ (mixed >> 13)) &* 0xC2B2_AE35
    return Float((mixed ^ (mixed >> 16)) & 0xFFFF) / 65535
  }
}
