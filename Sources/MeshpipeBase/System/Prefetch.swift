internal import CMemory

/// Asks the processor to have some bytes in its cache soon.
///
/// Reads nothing, so there is no race with threads that write them meanwhile.
@usableFromInline
package func prefetch(_ bytes: UnsafeRawBufferPointer) {
  guard let start = bytes.baseAddress else { return }
  unsafe meshpipe_prefetch(start, bytes.count)
}
