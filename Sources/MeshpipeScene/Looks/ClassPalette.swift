/// The colours of classes in renderings.
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
  ]

  /// The sRGB colour of a class; names other than ARKit's get one by their position in the list.
  package static func color(of name: String, label: Int) -> Color {
    let code = known[name] ?? hue(label)
    return Color(
      red: UInt8(code >> 16 & 255), green: UInt8(code >> 8 & 255), blue: UInt8(code & 255))
  }

  /// Twelve hues, with different neighbours in the list.
  private static func hue(_ label: Int) -> UInt32 {
    let hues: [UInt32] = [
      0xD98880, 0x7FB3D5, 0x7DCEA0, 0xF0B27A, 0xBB8FCE, 0xF7DC6F, 0x76D7C4, 0xE59866, 0x85929E,
      0xA9DFBF, 0xD7BDE2, 0xF9E79F,
    ]
    return hues[label % hues.count]
  }
}
