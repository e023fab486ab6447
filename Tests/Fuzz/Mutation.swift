import CFuzzer
import MeshTestSupport

/// Changes an input for libFuzzer: half of the time by its own means, which follow what the readers
/// compare, and half of the time as files come to harm: numbers that are others, lines that moved.
@_cdecl("LLVMFuzzerCustomMutator")
func mutate(
  _ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ maximum: Int, _ seed: UInt32
) -> Int {
  guard seed % 2 == 0 else { return LLVMFuzzerMutate(data, size, maximum) }
  var mutator = Mutator(seed: UInt64(seed))
  let input = Array(UnsafeBufferPointer(start: data, count: size))
  let output = seed % 4 == 0 ? mutator.mutateNumbers(input) : mutator.mutate(input)
  for (index, byte) in output.prefix(maximum).enumerated() { data[index] = byte }
  return min(output.count, maximum)
}
