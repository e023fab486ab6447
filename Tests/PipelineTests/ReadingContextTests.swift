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
    expectProportionalTime(upTo: 100_000) { count in
      let context = ReadingContext()
      for index in 0..<count { context.didMiss("images/frame_\(index).jpg") }
      #expect(context.missingFiles.count == count)
    }
  }
}
