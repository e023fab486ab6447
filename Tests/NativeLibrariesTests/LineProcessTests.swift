import MeshPipeline
import NativeLibraries
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct LineProcessTests {
  private func shell(_ script: String) throws -> LineProcess {
    try LineProcess(executable: "/bin/sh", arguments: ["-c", script], variables: ["GREETING=hi"])
  }

  /// Waits until the process has said so many lines, or nothing more comes.
  private func lines(_ count: Int, of process: LineProcess) -> [String] {
    var lines: [String] = []
    let end = MonotonicClock.seconds + 60
    while lines.count < count, !process.hasClosedOutput, MonotonicClock.seconds < end {
      LineProcess.wait(for: [process], or: [], seconds: 0.1)
      lines += process.receive()
    }
    return lines
  }

  @Test func `lines go to and fro`() throws {
    let process = try shell("while read line; do echo \"$GREETING $line\"; done")
    process.send("one")
    process.send("two")
    #expect(lines(2, of: process) == ["hi one", "hi two"])
    process.closeInput()
    #expect(lines(1, of: process).isEmpty)
    process.kill()
    #expect(process.pollEnd()?.exitStatus == 0)
  }

  @Test func `a long line goes over in pieces`() throws {
    let process = try shell("cat")
    let line = String(repeating: "x", count: 5 << 20)
    process.send(line)
    #expect(lines(1, of: process) == [line])
  }

  @Test func `its end and its last words are told`() throws {
    let process = try shell("echo something >&2; echo the reason >&2; kill -SEGV $$")
    #expect(lines(1, of: process).isEmpty)
    process.kill()
    #expect(process.pollEnd()?.signal == SIGSEGV)
    #expect(process.lastErrorLine == "the reason")
  }

  @Test func `all that it has started ends with it`() throws {
    let process = try shell("sleep 100 & echo $!; wait")
    let child = try #require(lines(1, of: process).first.flatMap { Int32($0) })
    #expect(process.pollEnd() == nil)
    #if os(Linux)
      #expect(process.residentMemory > 100_000)
    #endif
    process.kill()
    #expect(process.pollEnd()?.signal == SIGKILL)
    var isGone = false
    for _ in 0..<1000 where !isGone {
      isGone = kill(child, 0) != 0 || Self.isZombie(child)
      usleep(10_000)
    }
    #expect(isGone)
  }

  private static func isZombie(_ process: Int32) -> Bool {
    let bytes = (try? FileSystem.contents(of: "/proc/\(process)/stat")) ?? []
    return String(decoding: bytes, as: UTF8.self).contains(") Z ")
  }
}
