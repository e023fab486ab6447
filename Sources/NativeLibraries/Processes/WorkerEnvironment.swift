import MeshPipeline

/// The environment of processes for foreign code.
enum WorkerEnvironment {
  /// Only what the loader, sanitizers and reproducible output need; no crash reporter, which would
  /// start a debugger within the limits, and a single malloc arena, since many would exhaust the
  /// limits.
  static var variables: [String] {
    let kept = [
      "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "ASAN_OPTIONS",
      "TSAN_OPTIONS", "LLVM_PROFILE_FILE", "SOURCE_DATE_EPOCH",
    ]
    let inherited = kept.compactMap { name in
      FileSystem.environment(name).map { "\(name)=\($0)" }
    }
    return inherited + ["SWIFT_BACKTRACE=enable=no", "MALLOC_ARENA_MAX=1", "LC_ALL=C", "TZ=UTC"]
  }
}
