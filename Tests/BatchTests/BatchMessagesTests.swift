import MeshPipeline
import Testing

@testable import Batch

@Suite struct BatchMessagesTests {
  private func read(_ json: JSONValue) throws -> JSONValue {
    try #require(JSONReader.read(Array(json.compactText.utf8)).value)
  }

  @Test func `a worker understands what is to be done`() throws {
    var work = BatchWork(.file(name: "a \"b\".json", text: "{ // hello\n}"))
    #expect(BatchWork(try read(work.json)) == work)
    work.pipeline = .stages(["decimate faces=20%", "weld"])
    work.includes = [.init(path: "c.json", text: "{}")]
    work.run.variables = ["a=1", "b=x y"]
    work.run.inputReading = InputReading(
      up: .negativeY, metersPerUnit: 0.0254, classes: .named([2: "floor"]))
    work.run.frames = .path("capture.zip")
    work.run.overwriting = .forced
    work.run.upload = "https://a.example/b"
    work.unpackedFrames = "/tmp/x/capture"
    work.outputFolder = "/out"
    work.pictures = BatchFolder(root: "out")
    work.threads = 3
    #expect(BatchWork(try read(work.json)) == work)
  }

  @Test func `items and replies come over as they were`() throws {
    let request = ItemRequest(
      name: "a\nb/ä.obj", path: "/tmp/x/ä.obj", folder: "/tmp/x", archive: "a.zip",
      output: "out/ä.glb")
    #expect(ItemRequest(try read(request.json)) == request)
    var entry = JournalEntry(item: "a", state: .failed, exitCode: .data)
    entry.error = "line 1\nline 2"
    for reply in [WorkerReply.progress(0.5, step: "weld"), .finished(entry)] {
      let line = reply.json.compactText
      #expect(!line.contains("\n"))
      #expect(WorkerReply(line) == reply)
    }
    #expect(WorkerReply("Once upon a time") == nil)
  }

  @Test func `how a worker ended tells what is recorded`() {
    func entry(signal: Int32? = nil, status: Int32? = nil) -> JournalEntry {
      WorkerFailure.entry(
        for: .init(exitStatus: status, signal: signal, peakMemory: 5), words: "oh")
    }
    #expect(entry(signal: 9).state == .temporary)
    #expect(entry(signal: 11).state == .failed)
    #expect(entry(signal: 11).exitCode == .software)
    #expect(entry(signal: 11).error == "its worker crashed (signal 11); its last output: oh")
    #expect(entry(status: 75).state == .temporary)
    #expect(entry(status: 1).error == "its worker ended with status 1; its last output: oh")
    #expect(entry(status: 1).peakMemory == 5)
  }
}
