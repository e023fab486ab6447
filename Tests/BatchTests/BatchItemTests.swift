import Batch
import Testing

struct BatchItemTests {
  @Test func `an item that can't be worked on is unusable data unless said otherwise`() {
    #expect(BatchItem.Fault(message: "room.zip: its name leads out").exitCode == .data)
  }
}
