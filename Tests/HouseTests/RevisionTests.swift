import MeshTestSupport
import MeshpipeBase
import Testing

/// The commit in `meshpipe --version`.
struct RevisionTests {
  /// A folder with the script, as a checkout with one commit.
  private struct Copy {
    let folder: TemporaryFolder

    init() throws {
      folder = try TemporaryFolder()
      try folder.write("packaging/revision.sh", Checkout.text("packaging/revision.sh"))
      try folder.write("Sources/a.swift", "")
      try git("init", "-q")
      try git("add", ".")
      try git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "a")
    }

    @discardableResult
    func git(_ arguments: String...) throws -> String {
      let run = try Program.run(
        Checkers.program("git"), ["-c", "safe.directory=*"] + arguments, in: folder.path)
      guard run.status == 0 else { throw ProgramFailure(run) }
      return run.output
    }

    func revision(in place: String = "") throws -> String {
      let script = folder.path + place + "/packaging/revision.sh"
      let run = try Program.run(Checkers.program("sh"), [script])
      #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
      return run.output
    }
  }

  @Test func `a checkout has eight digits of its commit, and says whether sources differ`() throws {
    let copy = try Copy()
    let commit = try copy.git("rev-parse", "HEAD").prefix(8)
    #expect(try copy.revision() == "\(commit)\n")
    try copy.folder.write("notes.txt", "a")
    #expect(try copy.revision() == "\(commit)\n", "what is not built does not count")
    try copy.folder.write("Sources/b.swift", "")
    #expect(try copy.revision() == "\(commit)+changes\n")
  }

  @Test func `an unpacked archive has none, not even inside the checkout of something else`() throws
  {
    let copy = try Copy()
    try copy.folder.write(
      "unpacked/packaging/revision.sh", Checkout.text("packaging/revision.sh"))
    #expect(try copy.revision(in: "/unpacked") == "")
  }

  @Test(arguments: ["7b579117", "7e579117+changes", "00000000"])
  func `the build puts it into one file`(revision: String) throws {
    #expect(try text("-DMESHPIPE_REVISION=\(revision)") == revision)
    #expect(try text() == "")
  }

  /// What the file says when it is compiled with some options.
  private func text(_ options: String...) throws -> String {
    let folder = try TemporaryFolder()
    let main = try folder.write(
      "main.c",
      """
      #include <stdio.h>
      #include "CRevision.h"
      int main(void) { fputs(meshpipe_revision(), stdout); }

      """)
    let sources = Checkout.path("Sources/CLibraries/CRevision")
    let build = try Program.run(
      Checkers.program("cc"),
      options + [
        "-I", sources + "/include", sources + "/revision.c", main, "-o", folder.path + "/main",
      ])
    guard build.status == 0 else { throw ProgramFailure(build) }
    return try Program.run(folder.path + "/main", []).output
  }

  @Test func `the version is shown with the commit in brackets, or alone`() {
    #expect(
      meshpipeBuild == meshpipeRevision.map { "\(meshpipeVersion) (\($0))" } ?? meshpipeVersion)
  }
}
