import MeshPipeline

extension [CustomAttribute] {
  /// The same with the halves of integers of 64 bits together: `identifier_low32` and `identifier_high32` are `identifier`.
  var joiningHalves: [CustomAttribute] {
    var result = self
    for low in self {
      guard low.name.hasSuffix("_low32"), case .uint32(let lows) = low.values else { continue }
      let name = String(low.name.dropLast(6))
      guard let high = self[name + "_high32"], case .uint32(let highs) = high.values,
        low.width == high.width, self[name] == nil,
        let index = result.firstIndex(where: { $0.name == low.name })
      else { continue }
      let words: [UInt64] = Parallel.array(count: lows.count) {
        UInt64(highs[$0]) << 32 | UInt64(lows[$0])
      }
      result[index] = CustomAttribute(name, width: low.width, values: .uint64(words))
      result[high.name] = nil
    }
    return result
  }
}
