import POSIX

/// A monotonic clock for measuring durations.
package enum MonotonicClock {
  /// Seconds since an arbitrary moment in the past.
  package static var seconds: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
