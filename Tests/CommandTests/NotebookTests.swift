import Foundation
import MeshTestSupport
import Testing

/// The example notebook runs from its first cell to its last.
struct NotebookTests {
  private static let script = """
    import nbclient, nbformat
    notebook = nbformat.read("notebook.ipynb", 4)
    nbclient.NotebookClient(notebook, timeout=600).execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            print(output.get("data", {}).get("text/plain") or output.get("text"))
            print(*output.get("data", {}))
    """

  @Test(.needs("nbclient", "ipykernel", "numpy"))
  func `the example notebook runs`() throws {
    let folder = try TemporaryFolder()
    // Far smaller than the sample, under its name: two folders up from the notebook.
    try folder.writeScan("samples/living-room.obj", cells: 12)
    try folder.write(
      try Checkout.text("examples/notebook/meshpipe.ipynb"), to: "a/b/notebook.ipynb")
    var environment = CommandProcess.environment
    environment["MESHPIPE_EXECUTABLE"] = CommandProcess.executable.path
    environment["PYTHONPATH"] = Checkout.path("bindings/python")
    // What the kernel keeps of itself stays here.
    environment["HOME"] = folder.url.path
    let outcome = try CommandProcess.run(
      URL(fileURLWithPath: "/bin/sh"),
      ["-c", "cd a/b && exec '\(Checkers.python)' -c '\(Self.script.replacing("'", with: "\""))'"],
      in: folder, environment: environment)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.text.contains("Scene('living-room', 288 faces in 1 mesh"), "\(outcome.text)")
    #expect(outcome.text.contains("filter-classification 288"), "\(outcome.text)")
    #expect(outcome.text.components(separatedBy: "image/png").count == 3, "\(outcome.text)")
  }
}
