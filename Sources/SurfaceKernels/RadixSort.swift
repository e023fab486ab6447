import MeshpipeScene

/// One pass of a radix sort, stable, on all cores.
///
/// - Parameter digit: Of an element, from 0 to 1023.
@inline(__always)
func radixPass<Element: BitwiseCopyable & Sendable>(
  _ elements: borrowing ScratchBuffer<Element>, into sorted: borrowing ScratchBuffer<Element>,
  digit: @Sendable (Element) -> Int
) {
  // Few chunks, so that summing their counts stays cheap.
  let chunkSize = max(1 << 14, (elements.count + 15) / 16)
  let chunks = (elements.count + chunkSize - 1) / chunkSize
  let starts = ScratchBuffer<UInt32>(repeating: 0, count: chunks << 10)
  Parallel.forEachChunk(of: elements.count, chunkSize: chunkSize) { chunk, range in
    for index in range { starts[chunk << 10 | digit(elements[index])] += 1 }
  }
  var before: UInt32 = 0
  for digit in 0..<1024 {
    for chunk in 0..<chunks {
      let count = starts[chunk << 10 | digit]
      starts[chunk << 10 | digit] = before
      before += count
    }
  }
  Parallel.forEachChunk(of: elements.count, chunkSize: chunkSize) { chunk, range in
    for index in range {
      let place = chunk << 10 | digit(elements[index])
      sorted[starts[place]] = elements[index]
      starts[place] += 1
    }
  }
}
