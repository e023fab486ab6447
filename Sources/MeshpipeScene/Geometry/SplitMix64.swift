/// A small random number generator, the same on every machine (Steele, Lea and Flood 2014).
@usableFromInline
package struct SplitMix64 {
  private var state: UInt64
  package init(seed: UInt64) { state = seed }

  /// A number from 0 up to but not including 1.
  package mutating func unit() -> Double {
    state &+= Self.step
    return Double(Self.mixed(state) >> 11) * 0x1p-53
  }

  @usableFromInline static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// A number without pattern for an index.
  @inlinable
  package static func hash(of index: UInt32) -> UInt64 { mixed((UInt64(index) + 1) &* step) }

  @inlinable
  static func mixed(_ state: UInt64) -> UInt64 {
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
