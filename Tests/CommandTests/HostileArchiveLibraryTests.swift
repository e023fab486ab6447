#if os(Linux)
  import Foundation
  import MeshTestSupport
  import Testing

  /// A libarchive that an archive has taken over: a library in its place that does what hostile code would.
  @Suite(.notSanitized, .neverHangs)
  struct HostileArchiveLibraryTests {
    /// It finds a triangle in every file.
    private static let source = """
      static int entries, reads;
      static void act_here(void) {
        act();
      #if defined(SPY)
        if (write(open("/proc/self/fd/4", O_WRONLY), "x", 1) == 1 || can_do_harm()) abort();
      #endif
      }
      void *archive_read_new(void) { entries = reads = 0; return calloc(1, 64); }
      int archive_read_free(void *a) { free(a); return 0; }
      #define DONE(name) int name(void) { return 0; }
      DONE(archive_read_support_format_zip) DONE(archive_read_support_format_7zip)
      DONE(archive_read_support_format_tar) DONE(archive_read_support_filter_gzip)
      DONE(archive_read_support_filter_bzip2) DONE(archive_read_support_filter_xz)
      DONE(archive_read_support_filter_zstd) DONE(archive_read_open_fd) DONE(archive_filter_code)
      DONE(archive_entry_is_encrypted) DONE(archive_entry_size_is_set)
      int archive_read_next_header(void *a, void **e) {
        act_here();
        if (entries++) return 1;
        *e = a;
        return 0;
      }
      long archive_read_data(void *a, void *to, size_t n) {
        static const char mesh[] = "v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1 2 3\\n";
        act_here();
        if (reads++) return 0;
        memcpy(to, mesh, sizeof mesh - 1);
        return sizeof mesh - 1;
      }
      const char *archive_entry_pathname_utf8(void *e) { return NAME; }
      const char *archive_entry_pathname(void *e) { return NAME; }
      const char *archive_entry_hardlink(void *e) { return 0; }
      const char *archive_error_string(void *a) { return 0; }
      unsigned archive_entry_filetype(void *e) { return 0100000; }
      int64_t archive_entry_size(void *e) { return 0; }
      int64_t archive_filter_bytes(void *a, int n) { return 1000; }
      int archive_format(void *a) { return 0x50000; }
      """

    private func run(
      _ way: String, name: String = "scan.obj"
    ) throws -> (outcome: Outcome, folder: CommandTests.TemporaryFolder) {
      let folder = try CommandTests.TemporaryFolder()
      try folder.write(
        String(repeating: "what the library makes of it\n", count: 100), to: "in.zip")
      let library = HostileLibrary(file: "libarchive.so.13", source: Self.source)
      let outcome = try library.run(
        ["run", "in.zip", "-s", "center", "-o", "out.ply"], way,
        definitions: ["NAME=\"\(name)\""], in: folder)
      return (outcome, folder)
    }

    @Test(arguments: [
      ("CRASH", "in.zip: the archive can't be decoded: libarchive ended with SIGSEGV"),
      ("MEMORY", "in.zip: the archive can't be decoded: libarchive exceeded its memory limit of"),
      ("END", "libarchive gave an invalid result: the process ended with status 0"),
    ])
    func `a library that ends costs its archive, which is named with the cause`(
      way: String, words: String
    ) throws {
      let (outcome, folder) = try run(way)
      #expect(outcome.status == 65)
      #expect(outcome.errors.contains(words), "\(outcome.errors)")
      #expect(!folder.exists("out.ply"))
    }

    @Test func `a library can do no harm beyond the bytes of its files`() throws {
      let (outcome, folder) = try run("SPY")
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(folder.exists("out.ply"))
      #expect(try folder.text(of: "secret") == "of nobody's concern")
      #expect(!folder.exists("secret.new"))
    }

    @Test(arguments: ["../scan.obj", "/tmp/scan.obj", "a/../../scan.obj"])
    func `names that it makes up are judged outside of it`(name: String) throws {
      let (outcome, _) = try run("SPY", name: name)
      #expect(outcome.status == 65)
      #expect(outcome.errors.contains("is refused"), "\(outcome.errors)")
    }
  }
#endif
