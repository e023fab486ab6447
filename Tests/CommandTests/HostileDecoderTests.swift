#if os(Linux)
  import Foundation
  import MeshPipeline
  import MeshTestSupport
  import NativeLibraries
  import Testing

  /// A decoder that a picture has taken over: a library in its place that does what hostile code would.
  @Suite(.notSanitized, .neverHangs)
  struct HostileDecoderTests {
    private static let source = """
      int WebPGetInfo(const uint8_t *b, size_t n, int *w, int *h) { *w = 120; *h = 90; return 1; }
      static uint8_t *decode(uint8_t *p, size_t size) {
        act();
      #if defined(SPY)
        if (can_do_harm()) return NULL;
      #endif
        memset(p, 90, size);
        return p;
      }
      uint8_t *WebPDecodeRGBInto(const uint8_t *b, size_t n, uint8_t *p, size_t s, int r) { return decode(p, s); }
      uint8_t *WebPDecodeRGBAInto(const uint8_t *b, size_t n, uint8_t *p, size_t s, int r) { return decode(p, s); }
      #define OTHER(name) size_t name(void) { return 0; }
      OTHER(WebPEncodeRGB) OTHER(WebPEncodeRGBA) OTHER(WebPEncodeLosslessRGB) OTHER(WebPEncodeLosslessRGBA)
      OTHER(WebPFree)
      """

    /// Colours a mesh from ten frames, of which one is decoded by the library; the folder has the result.
    private func run(
      _ way: String
    ) throws -> (outcome: Outcome, folder: CommandTests.TemporaryFolder) {
      let folder = try CommandTests.TemporaryFolder()
      let capture = try SyntheticCapture {
        ($0.frameCount, $0.size, $0.samples) = (10, SIMD2(120, 90), 1)
      }
      try folder.writeBundle(of: capture, hasPictures: true)
      let picture = try WebP.encode(
        [SIMD4<UInt8>](repeating: SIMD4(90, 90, 90, 255), count: 120 * 90), size: SIMD2(120, 90),
        quality: nil)
      try Data(picture).write(to: folder.url.appendingPathComponent("room/images/2.png"))
      let library = HostileLibrary(file: "libwebp.so.7", source: Self.source)
      let outcome = try library.run(
        ["run", "room", "-s", "bake-colors", "-o", "out.glb"], way, in: folder)
      return (outcome, folder)
    }

    @Test(arguments: [
      ("CRASH", "libwebp ended with SIGSEGV"), ("MEMORY", "libwebp exceeded its memory limit of"),
      ("END", "libwebp gave an invalid result: the process ended with status 0"),
    ])
    func `a decoder that ends costs its frame, which is named with the cause`(
      way: String, words: String
    ) throws {
      let (outcome, folder) = try run(way)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(folder.exists("out.glb"))
      #expect(outcome.errors.contains(words), "\(outcome.errors)")
      #expect(outcome.errors.contains("images/2.png"), "\(outcome.errors)")
    }

    @Test func `a decoder can do no harm beyond the pixels of its picture`() throws {
      let (outcome, folder) = try run("SPY")
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(!outcome.errors.contains("images/2.png"), "\(outcome.errors)")
      #expect(try folder.text(of: "secret") == "of nobody's concern")
      #expect(!folder.exists("secret.new"))
    }
  }
#endif
