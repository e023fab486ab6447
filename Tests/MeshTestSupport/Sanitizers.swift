import Foundation
import Testing

extension Trait where Self == ConditionTrait {
  /// For tests of how processes end and of bytes that nobody has set: AddressSanitizer and ThreadSanitizer
  /// have ways of their own with both.
  package static var notSanitized: Self {
    let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
    return .enabled(if: !isSanitized, "sanitizers end processes and fill memory in their own way")
  }
}
