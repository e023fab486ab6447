import POSIX

/// A monotonic clock for measuring durations.
public enum MonotonicClock {
  /// Seconds since an arbitrary moment in the past.
  public static var seconds: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
