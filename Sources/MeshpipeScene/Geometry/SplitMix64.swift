/// A small random number generator, the same on every machine (Steele, Lea and Flood 2014).
package struct SplitMix64 {
  private var state: UInt64
  package init(seed: UInt64) { state = seed }

  /// A number from 0 up to but not including 1.
  package mutating func unit() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((mixed ^ (mixed >> 31)) >> 11) * 0x1p-53
  }
}
