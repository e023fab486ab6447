import Foundation
import MeshTestSupport
import Testing

#if os(Linux)
  /// Runs in which one of the system's functions for memory fails.
  @Suite(.notSanitized)
  struct OutOfMemoryTests {
    /// A library that makes the call fail whose number `FAILING_CALL` says, and writes how many there were into
    /// the file that `CALL_COUNT` names.
    private static let failing = """
      #define _GNU_SOURCE
      #include <errno.h>
      #include <malloc.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      extern char **environ;
      extern void *__libc_malloc(size_t size);
      static long calls, failing;
      static int fails(void) {
        if (!environ) return 0;
        if (!failing) failing = getenv("FAILING_CALL") ? atol(getenv("FAILING_CALL")) : -1;
        if (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) != failing) return 0;
        errno = ENOMEM;
        return 1;
      }
      static __attribute__((destructor)) void tell(void) {
        FILE *file = getenv("CALL_COUNT") ? fopen(getenv("CALL_COUNT"), "w") : NULL;
        if (file) fprintf(file, "%ld", calls), fclose(file);
      }
      #ifdef CALLOC
      void *__libc_calloc(size_t count, size_t size) {
        void *memory = fails() ? NULL : __libc_malloc(count * size);
        return memory ? memset(memory, 0, count * size) : NULL;
      }
      void *calloc(size_t count, size_t size) { return __libc_calloc(count, size); }
      #else
      void *__libc_realloc(void *old, size_t size) {
        void *memory = fails() ? NULL : __libc_malloc(size);
        size_t known = old ? malloc_usable_size(old) : 0;
        if (!memory) return NULL;
        if (old) memcpy(memory, old, known < size ? known : size), free(old);
        return memory;
      }
      void *realloc(void *old, size_t size) { return __libc_realloc(old, size); }
      #endif
      """

    @Test(arguments: ["CALLOC", "REALLOC"])
    func `a failing call ends a run with a line and the code for trying again`(
      call: String
    ) throws {
      let compiler = try Checkers.program("cc")
      let folder = try TemporaryFolder()
      // Lists of libraries to load are separated by spaces.
      let tools = try MeshTestSupport.TemporaryFolder()
      try folder.writeScan()
      try tools.write("failing.c", Self.failing)
      let made = try Program.run(
        compiler,
        ["-shared", "-fPIC", "-fno-builtin", "-D\(call)", "failing.c", "-o", "failing.so"],
        in: tools.path)
      try #require(made.status == 0, "\(made.errors)")
      let first = try CommandProcess.run(["run", "scan.obj", "-o", "scan.3mf"], in: folder)
      #expect(first.status == 0, "\(first.errors)")
      // The library that writes archives allocates in the process itself; reading has one of its own.
      func outcome(failingCall number: Int) throws -> Outcome {
        var environment = CommandProcess.environment
        environment["LD_PRELOAD"] = tools.path + "/failing.so"
        environment["FAILING_CALL"] = "\(number)"
        environment["CALL_COUNT"] = folder.path + "/count"
        environment["SWIFT_BACKTRACE"] = "enable=no"
        return try CommandProcess.run(
          CommandProcess.executable,
          ["run", "scan.3mf", "-s", "weld", "-o", "out.3mf", "-j", "1"], in: folder,
          environment: environment)
      }
      #expect(try outcome(failingCall: -1).status == 0)
      let count = try #require(Int(try folder.text(of: "count")))
      try #require(count > 10)
      var endings = 0
      // The first calls are made before the command begins.
      for part in 0..<10 {
        let outcome = try outcome(failingCall: count - part * count / 30)
        #expect([0, 75].contains(outcome.status), "\(outcome.status): \(outcome.errors)")
        guard outcome.status == 75 else { continue }
        endings += 1
        #expect(outcome.errors.contains("error: out of memory: "), "\(outcome.errors)")
      }
      #expect(endings > 0)
    }
  }
#endif
