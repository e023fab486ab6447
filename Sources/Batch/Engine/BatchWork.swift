package import MeshPipeline

/// The work for every item of a batch, in a form that is sent to the workers as a line of JSON.
package struct BatchWork: Sendable, Equatable {
  /// The source of the pipeline.
  package enum Pipeline: Sendable, Equatable {
    /// The text of a file, read once so that all items use the same.
    case file(name: String, text: String)
    /// Texts of one-line stages.
    case stages([String])
  }

  /// The pipeline, read once for all items.
  package var pipeline: Pipeline
  /// The included files, also read once.
  package var includes: [PipelineDocument.Include] = []
  /// What the user chooses for the run of each item.
  package var run: RunSettings
  /// The folder with the frames of all items, if the settings name an archive of them.
  package var unpackedFrames: String?
  /// The folder that holds all outputs, to which names on a server are relative.
  package var outputFolder = ""
  /// The folder of the batch for images of the results; nil for no images.
  package var pictures: BatchFolder?
  /// The most faces of a model in the page of an item; nil for no pages, which are beside the images.
  package var facesOfPages: Int?
  /// The number of threads of a worker.
  package var threads = 1

  package init(_ pipeline: Pipeline, run: RunSettings = RunSettings()) {
    self.pipeline = pipeline
    self.run = run
  }

  /// The pipeline as written.
  package var document: PipelineDocument {
    switch pipeline {
    case .file(let name, let text):
      PipelineDocument(parsing: text, file: name, includes: includes)
    case .stages(let stages): PipelineDocument(stages: stages)
    }
  }

  /// The request to the pipeline for one input, or for any.
  package func request(input: String? = nil, output: String? = nil) -> PipelineRequest {
    var request = PipelineRequest(input: input, output: output, run: run)
    request.unpackedFrames = unpackedFrames
    request.climbing = run.climbing
    return request
  }

  /// The archive of the frames in place of the folder into which this run has unpacked it.
  var shownPaths: ShownPaths {
    var shown = ShownPaths()
    if let unpackedFrames, case .path(let archive) = run.frames {
      shown.show(unpackedFrames, as: archive)
    }
    return shown
  }

  /// The options of a worker for each item.
  var runnerOptions: PipelineRunner.Options {
    var options = PipelineRunner.Options(run)
    options.hashesOutputs = true
    return options
  }

  /// Everything that outputs depend on, besides the resolved pipeline and the bytes of the inputs.
  var recipe: [JSONValue.Member] {
    [
      .init("includes", includesJSON),
      // An item that was sent elsewhere is not up to date.
      .init("settings", run.recipe(of: [.results, .outputs, .input, .delivery])),
    ]
  }
}

// MARK: JSON

extension BatchWork {
  var json: JSONValue {
    var members: [JSONValue.Member] = []
    switch pipeline {
    case .file(let name, let text): members += [.init("file", name.json), .init("text", text.json)]
    case .stages(let stages): members.append(.init("stages", stages.json))
    }
    members.append(.init("includes", includesJSON))
    members.append(.init("run", run.json))
    if let unpackedFrames { members.append(.init("unpackedFrames", unpackedFrames.json)) }
    members.append(.init("outputFolder", outputFolder.json))
    if let pictures { members.append(.init("pictures", pictures.root.json)) }
    if let facesOfPages { members.append(.init("facesOfPages", facesOfPages.json)) }
    members.append(.init("threads", threads.json))
    return JSONValue(.object(members))
  }

  private var includesJSON: JSONValue {
    JSONValue(.object(includes.map { .init($0.path, $0.text.json) }))
  }

  /// - Returns: Nil if it is not the result of ``json``.
  init?(_ json: JSONValue) {
    guard let run = json["run"].flatMap(RunSettings.init) else { return nil }
    if let text = json["text"]?.text {
      self.init(.file(name: json["file"]?.text ?? "", text: text), run: run)
    } else if let stages = json["stages"] {
      self.init(.stages(stages.elements.compactMap(\.text)), run: run)
    } else {
      return nil
    }
    if case .object(let members)? = json["includes"]?.content {
      includes = members.map { .init(path: $0.key, text: $0.value.text ?? "") }
    }
    unpackedFrames = json["unpackedFrames"]?.text
    outputFolder = json["outputFolder"]?.text ?? ""
    pictures = json["pictures"]?.text.map { BatchFolder(root: $0) }
    facesOfPages = json["facesOfPages"]?.wholeNumber
    threads = max(1, json["threads"]?.wholeNumber ?? 1)
  }
}
