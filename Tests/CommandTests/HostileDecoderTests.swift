#if os(Linux)
  import Foundation
  import MeshPipeline
  import MeshTestSupport
  import NativeLibraries
  import Testing

  /// A decoder that a picture has taken over: a library in its place that does what hostile code would.
  @Suite(.notSanitized, .neverHangs)
  struct HostileDecoderTests {
    /// What each library does when it decodes, and what it says of the size.
    private static let decoding = """
      #if defined(LIE)
      #define WIDTH 60
      #define HEIGHT 45
      #else
      #define WIDTH 120
      #define HEIGHT 90
      #endif
      #define OTHER(name) size_t name(void) { return 0; }
      static int decode(uint8_t *p, size_t size) {
        act();
      #if defined(SPY)
        if (can_do_harm()) return -1;
      #endif
        memset(p, 90, size);
        return 0;
      }

      """

    private static let webp = """
      int WebPGetInfo(const uint8_t *b, size_t n, int *w, int *h) { *w = WIDTH; *h = HEIGHT; return 1; }
      uint8_t *WebPDecodeRGBInto(const uint8_t *b, size_t n, uint8_t *p, size_t s, int r) {
        return decode(p, s) ? NULL : p;
      }
      OTHER(WebPDecodeRGBAInto) OTHER(WebPFree)
      OTHER(WebPEncodeRGB) OTHER(WebPEncodeRGBA) OTHER(WebPEncodeLosslessRGB) OTHER(WebPEncodeLosslessRGBA)
      """

    private static let jpeg = """
      void *tjInitDecompress(void) { return calloc(1, 8); }
      void *tjInitCompress(void) { return calloc(1, 8); }
      int tjDestroy(void *t) { free(t); return 0; }
      int tjCompress2(void) { return -1; }
      const char *tjGetErrorStr2(void *t) { return "no"; }
      int tjDecompressHeader3(void *t, const uint8_t *b, unsigned long n, int *w, int *h, int *s, int *c) {
        *w = WIDTH; *h = HEIGHT; *s = 0; *c = 1;
        return 0;
      }
      int tjDecompress2(void *t, const uint8_t *b, unsigned long n, uint8_t *p, int w, int r, int h, int f, int g) {
        return decode(p, 3 * w * h);
      }
      OTHER(tjFree)
      """

    private static let png = """
      static long place[100];
      #define PLACE(name) void *name(void) { return place; }
      PLACE(png_create_read_struct) PLACE(png_create_info_struct) PLACE(png_set_longjmp_fn)
      uint32_t png_get_image_width(void *p, void *i) { return WIDTH; }
      uint32_t png_get_image_height(void *p, void *i) { return HEIGHT; }
      uint8_t png_get_channels(void *p, void *i) { return 3; }
      uint8_t png_get_bit_depth(void *p, void *i) { return 8; }
      size_t png_get_rowbytes(void *p, void *i) { return 3 * WIDTH; }
      void png_read_row(void *p, uint8_t *row, void *d) { if (decode(row, 3 * WIDTH)) abort(); }
      OTHER(png_create_write_struct) OTHER(png_destroy_read_struct) OTHER(png_destroy_write_struct)
      OTHER(png_error) OTHER(png_get_error_ptr) OTHER(png_get_interlace_type) OTHER(png_get_io_ptr)
      OTHER(png_get_libpng_ver) OTHER(png_longjmp) OTHER(png_read_end) OTHER(png_read_image)
      OTHER(png_read_info) OTHER(png_read_update_info) OTHER(png_set_IHDR) OTHER(png_set_chunk_cache_max)
      OTHER(png_set_chunk_malloc_max) OTHER(png_set_compression_level) OTHER(png_set_expand)
      OTHER(png_set_interlace_handling) OTHER(png_set_read_fn) OTHER(png_set_swap) OTHER(png_set_text)
      OTHER(png_set_user_limits) OTHER(png_set_write_fn) OTHER(png_write_end) OTHER(png_write_info)
      OTHER(png_write_row)
      """

    /// The decoder of one frame, while others decode the rest.
    struct Decoder: Sendable, CustomTestStringConvertible {
      var name: String
      var library: HostileLibrary
      /// The kinds of that frame and of the others.
      var kinds: (hostile: PictureKind, others: PictureKind)

      init(
        _ name: String, _ file: String, _ source: String, _ kind: PictureKind,
        among others: PictureKind
      ) {
        self.name = name
        library = HostileLibrary(file: file, source: HostileDecoderTests.decoding + source)
        kinds = (kind, others)
      }

      var testDescription: String { name }
    }

    static let decoders = [
      Decoder("libwebp", "libwebp.so.7", webp, .webp, among: .png),
      Decoder("libjpeg-turbo", "libturbojpeg.so.0", jpeg, .jpeg, among: .png),
      Decoder("libpng", "libpng16.so.16", png, .png, among: .jpeg),
    ]

    /// Colours a mesh from ten frames, of which one is decoded by the library; the folder has the result.
    private func run(
      _ decoder: Decoder, _ way: String
    ) throws -> (outcome: Outcome, folder: CommandTests.TemporaryFolder) {
      let folder = try CommandTests.TemporaryFolder()
      let capture = try SyntheticCapture {
        ($0.frameCount, $0.size, $0.samples) = (10, SIMD2(120, 90), 1)
      }
      try folder.writeBundle(of: capture, hasPictures: true)
      for index in 0..<10 {
        let url = folder.url.appendingPathComponent("room/images/\(index).png")
        let image = try PNG.decode([UInt8](Data(contentsOf: url)), path: url.path)
        let kind = index == 2 ? decoder.kinds.hostile : decoder.kinds.others
        try Data(Self.encoded(image, as: kind)).write(to: url)
      }
      let outcome = try decoder.library.run(
        ["run", "room", "-s", "bake-colors useDepth=false", "-o", "out.glb"], way, in: folder)
      return (outcome, folder)
    }

    private static func encoded(_ image: Image, as kind: PictureKind) throws -> [UInt8] {
      switch kind {
      case .png: try PNG.encode(image)
      case .jpeg: try JPEG.encode(image, quality: 95)
      default:
        try WebP.encode(
          [SIMD4<UInt8>](repeating: SIMD4(90, 90, 90, 255), count: image.width * image.height),
          size: image.size, quality: nil)
      }
    }

    @Test(
      arguments: decoders,
      [
        ("CRASH", "ended with SIGSEGV"), ("MEMORY", "exceeded its memory limit of"),
        ("END", "gave an invalid result: the process ended with status 0"),
        ("LIE", "gave an invalid result: 60 x 45 pixels instead of the 120 x 90 of the header"),
      ])
    func `a decoder that fails or lies costs its frame, which is named with the cause`(
      decoder: Decoder, way: (name: String, words: String)
    ) throws {
      let (outcome, folder) = try run(decoder, way.name)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(folder.exists("out.glb"))
      let words = "images/2.png: can't be decoded: \(decoder.name) \(way.words)"
      #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test(arguments: decoders)
    func `a decoder can do no harm beyond the pixels of its picture`(decoder: Decoder) throws {
      let (outcome, folder) = try run(decoder, "SPY")
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(!outcome.errors.contains("images/2.png"), "\(outcome.errors)")
      #expect(try folder.text(of: "secret") == "of nobody's concern")
      #expect(!folder.exists("secret.new"))
    }
  }
#endif
