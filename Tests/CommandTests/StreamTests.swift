import Foundation
import Testing

@testable import meshpipe

private func shell(_ script: String) throws -> Outcome {
  let bash = try #require(CommandProcess.program("bash"))
  return try CommandProcess.run(bash, ["-c", script])
}

@Test func `a full disk behind standard output is told`() throws {
  let outcome = try shell("meshpipe --help > /dev/full")
  #expect(outcome.status == 74)
  #expect(
    outcome.errors
      == "meshpipe: error: standard output: can't write: no space left on device\n")
}

@Test func `a reader that goes away is not worth a word`() throws {
  // The reader is gone before the first byte is written.
  let outcome = try shell("set -o pipefail; { sleep 0.2; meshpipe help run; } | true")
  #expect(outcome.status == 74)
  #expect(outcome.errors.isEmpty)
}

@Test func `a closed standard error doesn't change the exit code`() throws {
  #expect(try shell("meshpipe rnu 2>&-").status == 64)
}
