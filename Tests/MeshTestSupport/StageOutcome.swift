import MeshPipeline
import Testing

extension StageContext {
  /// A number that a stage noted for the report.
  package func figure(_ name: String) throws -> Double {
    let note = try #require(notes.first { $0.key == name }, "no figure \(name)")
    guard case .number(let number) = note.value.content else {
      Issue.record("\(name) is no number")
      return .nan
    }
    return number
  }
}

extension Stage {
  /// The message of the error of bad data with which the stage refuses a scene; empty if it takes it.
  package func refusal(of scene: Scene) -> String {
    do {
      _ = try run(scene, in: StageContext())
      return ""
    } catch let error as any UserError {
      #expect(error.exitCode == .data)
      return error.message
    } catch {
      return "\(error)"
    }
  }
}
