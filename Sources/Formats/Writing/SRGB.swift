#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The linear value of an sRGB-encoded one; both from 0 to 1 (IEC 61966-2-1).
func linearFromSRGB(_ encoded: Double) -> Double {
  encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4)
}

/// The sRGB-encoded value of a linear one; both from 0 to 1.
func sRGBFromLinear(_ linear: Double) -> Double {
  linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055
}
