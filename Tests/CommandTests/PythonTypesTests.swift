import Foundation
import MeshTestSupport
import Testing

/// Type checkers know what the Python module takes and gives.
struct PythonTypesTests {
  private func mypy(_ arguments: [String]) throws -> Outcome {
    var environment = CommandProcess.environment
    environment["MYPYPATH"] = Checkout.path("bindings/python")
    // What it found out about numpy is kept: without it a run takes seconds.
    let options = ["-m", "mypy", "--strict", "--cache-dir", Checkout.path(".build/mypy")]
    return try CommandProcess.run(
      URL(fileURLWithPath: Checkers.python), options + arguments, in: TemporaryFolder(),
      environment: environment)
  }

  @Test(.needs("mypy", "numpy"))
  func `the Python module and a script with it have no mistake of type`() throws {
    let folder = Checkout.path("bindings/python")
    let outcome = try mypy(["\(folder)/meshpipe", "\(folder)/tests/typed_sample.py"])
    #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
    #expect(outcome.text.hasPrefix("Success"), "\(outcome.text)")
  }
}
