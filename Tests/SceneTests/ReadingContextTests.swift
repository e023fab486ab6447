import MeshPipeline
import MeshTestSupport
import Testing

struct ReadingContextTests {
  @Test func `side files are listed in order, each once`() {
    let context = ReadingContext()
    for path in ["b.png", "a.png", "b.png", "c.png", "a.png"] { context.didMiss(path) }
    #expect(context.missingFiles == ["b.png", "a.png", "c.png"])
    #expect(context.openedFiles == [])
  }

  @Test func `a hundred thousand missing files cost no search for each`() {
    let context = ReadingContext()
    let seconds = threadSeconds {
      for index in 0..<100_000 { context.didMiss("images/frame_\(index).jpg") }
    }
    #expect(context.missingFiles.count == 100_000)
    // Searching a list for each took fifty seconds in release, and more in debug.
    #expect(seconds < 5, "\(seconds) s")
  }
}
