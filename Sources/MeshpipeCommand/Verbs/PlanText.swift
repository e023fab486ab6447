import MeshPipeline

/// The page that shows a plan to people.
enum PlanText {
  static func text(_ plan: PipelinePlan, of input: InputFile) -> String {
    let pipeline = plan.pipeline
    var lines = ["\(pipeline.file ?? "the stages given") on \(input.name)"]
    if !pipeline.about.isEmpty { lines += TextLayout.wrapped(pipeline.about, indent: 2) }
    lines += ["", "Scene:"] + TextLayout.wrapped(scene(plan), indent: 2)
    if !pipeline.variables.isEmpty {
      lines += ["", "Variables:"]
      lines += TextLayout.definitions(pipeline.variables.map { ($0.name, $0.value.shortText) })
    }
    if !pipeline.levels.isEmpty {
      lines += ["", "Levels:"]
      lines += TextLayout.definitions(
        pipeline.levels.map { level in
          let values = level.variables.map { "\($0.name)=\($0.value.shortText)" }
          return (level.name, values.joined(separator: " "))
        })
    }
    lines += ["", "Stages:"]
    for (index, step) in plan.steps.enumerated() { lines += self.lines(of: step, index, pipeline) }
    lines += ["", "Outputs:"]
    for output in pipeline.outputs { lines += self.lines(of: output, pipeline) }
    lines += ["", "Memory: up to about \(NumberText.byteCount(plan.estimatedMemory))"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func scene(_ plan: PipelinePlan) -> String {
    var counts: [String] = []
    for (count, noun) in [
      (plan.counts.faces, "faces"), (plan.counts.vertices, "vertices"),
      (plan.counts.points, "points"),
    ] where count > 0 { counts.append("\(NumberText.grouped(count)) \(noun)") }
    let features = plan.features.map(\.rawValue).joined(separator: ", ")
    return counts.joined(separator: ", ") + (features.isEmpty ? "" : "; has \(features)")
  }

  private static func lines(
    of step: PipelinePlan.Step, _ index: Int, _ pipeline: ResolvedPipeline
  ) -> [String] {
    let stage = step.stage
    let name = stage.id == stage.name ? stage.id : "\(stage.id) (\(stage.name))"
    let (word, reason) = step.decision.words
    var head = "  \(index + 1)  \(name): \(word)" + (reason.isEmpty ? "" : ", \(reason)")
    if step.facesAfter != step.facesBefore, !["skipped", "cached"].contains(word) {
      head += "; about \(NumberText.grouped(step.facesAfter)) faces left"
    }
    guard !["skipped", "cached"].contains(word) else { return [head] }
    var lines = [head]
    let before = stage.inputs.map { pipeline.id(of: $0) }
    let isNext = stage.inputs == [index == 0 ? .input : .stage(index - 1)]
    if !isNext { lines.append("       takes \(before.joined(separator: " and "))") }
    let options = stage.options.map { "\($0.key)=\($0.value.shortText)" }
    lines += TextLayout.wrapped(options.joined(separator: " "), indent: 7).filter { !$0.isEmpty }
    if let expect = stage.expect { lines.append("       expects \(expect.text)") }
    return lines
  }

  private static func lines(
    of output: ResolvedPipeline.ResolvedOutput, _ pipeline: ResolvedPipeline
  ) -> [String] {
    let path = output.path == "-" ? "standard output" : output.path
    let exists = output.path != "-" && (try? FileSystem.status(of: output.path)) != nil
    let origins = output.origins.map { pipeline.id(of: $0) }
    let facts = [
      output.format.name, "from \(origins.joined(separator: " and "))",
      output.when.map { "when \($0.text)" } ?? "", output.isOptional ? "optional" : "",
      exists ? "replaces the existing file" : "",
    ].filter { !$0.isEmpty }
    return ["  \(path)  \(facts.joined(separator: ", "))"]
  }
}
