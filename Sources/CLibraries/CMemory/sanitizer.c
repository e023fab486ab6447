#if defined(__has_feature)
#if __has_feature(thread_sanitizer)

// Asked for by ThreadSanitizer: what it reports without there being a race, since it doesn't see what
// happens in Swift's own libraries, which are not instrumented. Compiled in and not a file, so that
// confined children have it too.
const char *__tsan_default_suppressions(void);

const char *__tsan_default_suppressions(void) {
    return
        // A Mutex that another thread holds is waited for in the runtime, so that taking it then
        // orders nothing for ThreadSanitizer. Only these are held long enough for others to wait.
        "race:StagingFolders\n"
        "race:VideoReader\n"
        "race:Journal.swift\n"
        "race:Handover\n"
        // All empty arrays are one; making one writes the count that is there.
        "race:_swiftEmptyArrayStorage\n";
}

#endif
#endif
