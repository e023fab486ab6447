#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The linear value of an sRGB-encoded one; both from 0 to 1 (IEC 61966-2-1).
func linearFromSRGB(_ encoded: Double) -> Double {
  encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4)
}
