/// The colours of classes: in renderings, in baked maps and of the materials that formats get for them.
package enum ClassPalette {
  private static let known: [String: UInt32] = [
    "none": 0xA9A6AD, "wall": 0xE7E3D9, "floor": 0xC3A27C, "ceiling": 0xEDEDED, "table": 0xDDAE5A,
    "seat": 0x5B9AC6, "window": 0x89D0E6, "door": 0xB0C38A, "wall-decoration": 0xD28FB4,
    "blinds": 0xB9C8D6, "fireplace": 0xC96A4A, "stairs": 0xA98F6B, "bed": 0x8F8BD0,
    "counter": 0xC7C08B, "cabinet": 0xB98560, "home-appliance": 0x7FA6A0, "door-frame": 0x97A878,
    "tv": 0x5A6072, "whiteboard": 0xF2F6F7, "plant": 0x6FB067, "opening": 0xF0E4B8,
    "storage": 0xB98560, "refrigerator": 0xA7C6C0, "stove": 0x8A9A97, "sink": 0x9CC3D6,
    "washer-dryer": 0x8FB4AE, "toilet": 0xC9C4E0, "bathtub": 0xA9B8E0, "oven": 0x6F8A86,
    "dishwasher": 0x7FA6A0, "sofa": 0x4F9AA8, "chair": 0x5B9AC6, "television": 0x5A6072,
    "ground": 0x9B7653, "low-vegetation": 0xA9CF85, "medium-vegetation": 0x6FB067,
    "high-vegetation": 0x3F7D3A, "building": 0xC65B4B, "low-noise": 0xE58FD0,
    "high-noise": 0xB45FC9,
    "water": 0x3F7FC4, "rail": 0x5C4A66, "road-surface": 0x6E7076, "wire-conductor": 0xD9A441,
    "transmission-tower": 0xC9762F, "snow": 0xF4F8FB, "bridge-deck": 0xB7A58C,
  ]

  /// The sRGB colour of a class.
  ///
  /// A name other than ARKit's, RoomPlan's and those of aerial scans gets a hue: by its number if it
  /// ends with one, as `plane-2`, otherwise by its characters, so that it is the same in each scan.
  package static func color(of name: String) -> Color {
    if let code = known[name] {
      return Color(
        red: UInt8(code >> 16 & 255), green: UInt8(code >> 8 & 255), blue: UInt8(code & 255))
    }
    let code = SRGBTable.shared.code
    let hue = 0.12 + 0.45 * NumberedHue.rgb(number(of: name) ?? hash(of: name))
    return Color(red: code(hue.x), green: code(hue.y), blue: code(hue.z))
  }

  /// The same colour in linear light.
  package static func linearColor(of name: String) -> SIMD3<Float> {
    let color = color(of: name)
    return SRGBTable.shared.linear(color.red, color.green, color.blue)
  }

  /// The number after the last hyphen.
  private static func number(of name: String) -> Float? {
    guard let hyphen = name.lastIndex(of: "-"), let number = Float(name[hyphen...].dropFirst()),
      number.isFinite
    else { return nil }
    return number
  }

  /// A number below 1000: Fowler, Noll and Vo's hash (FNV-1a), since Swift's own differs from run to run.
  private static func hash(of name: String) -> Float {
    let hash = name.utf8.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    return Float(hash % 1000)
  }
}
