import MeshPipeline
import NativeLibraries
import Workers

/// One run of a plugin's program: the handshake, the scene in both directions, and errors.
struct ProcessCall {
  let manifest: PluginManifest
  var stage = ""
  var parameters: [JSONValue.Member] = []
  /// The file to read or write, for messages; empty for a stage.
  var file = ""
  /// Files and folders that it works on.
  var data: [String] = []

  /// Smaller arrays in bytes go through the stream, which costs less than mapping memory.
  private static let sharedLength = 1 << 20

  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    let unsent = PluginResult.Unsent(scene)
    let length = WireEncoder.payloadLength(of: scene)
    let task = WireTask(stage: stage, parameters: parameters, seed: PluginCall.seed(of: parameters))
    var call = self
    call.data += Self.pictures(of: unsent.capture)
    let (result, _) = try call.ask(
      .run(task, WireScene(consume scene)), arrays: length, in: context, answer: result)
    do throws(PluginResult.Fault) {
      return try PluginResult.joined(
        result.scene, givingOrigin: result.hasOrigin, with: unsent)
    } catch {
      throw self.error(.nonsense(error.message), nil)
    }
  }

  /// The folders with the images of frames, whose paths are sent to the program.
  private static func pictures(of capture: Capture?) -> [String] {
    let personal = PersonalPlaces()
    let files = (capture?.frames ?? []).compactMap { FileSystem.canonicalPath(of: $0.image.path) }
    return Set(files.map(personal.place)).sorted()
  }

  /// Starts the program, sends one request, and waits for its end.
  ///
  /// - Parameters:
  ///   - length: The size of the request in bytes: arrays sent, or a file to read.
  ///   - answer: Handles the answer, given whether arrays may be in shared memory.
  /// - Returns: The answer, with the program, whose working folder exists as long as it does.
  /// - Throws: ``PluginError``, or ``Cancelled``.
  func ask<Answer>(
    _ request: consuming WireMessage, arrays length: Int, in context: StageContext,
    answer: (SupervisedProgram, _ sharesArrays: Bool, StageContext) throws -> Answer
  ) throws -> (Answer, SupervisedProgram) {
    let limits = limits(forBytes: length)
    let program = try start(limits, arrays: length, in: context)
    // Also of one that fails, which may have said where.
    defer { for line in program.errorLines.prefix(RemarkCount.maximum) { context.log(line) } }
    do {
      let terms = try greet(program)
      let sharesArrays = terms.sharesArrays
      let request =
        terms.takesEverything ? request : withoutUnknownAttributes(request, terms, in: context)
      if case .write = request { try FileSystem.createFolder(outputFolder(of: program)) }
      try program.send(
        request, sharesArrays: sharesArrays && length >= Self.sharedLength)
      let result = try answer(program, sharesArrays, context)
      let ending = try program.waitForEnd()
      guard ending.exitStatus == 0 else { throw fault(of: ending, program) }
      if program.surplus > 0 { throw error(.surplus(bytes: program.surplus), program) }
      return (result, program)
    } catch let interruption as ProcessInterruption {
      program.end()
      switch interruption {
      case .cancelled: throw Cancelled()
      case .deadline: throw error(.timedOut(seconds: limits.seconds), program)
      case .memory: throw error(.outOfMemory(limit: limits.memory), program)
      }
    } catch let fault as WireError {
      throw try explained(fault, program)
    }
  }

  /// Performs the handshake, then sends an invalid message, and waits for its end.
  ///
  /// - Throws: ``PluginError``, or ``Cancelled``.
  func provoke(in context: StageContext, seconds: Double) throws -> ProcessEnding {
    var limits = limits(forBytes: 0)
    limits.seconds = min(limits.seconds, seconds)
    let program = try start(limits, arrays: 0, in: context)
    do {
      _ = try greet(program)
      try program.send(bytes: Array("there once was a mesh with many faces".utf8))
      return try program.waitForEnd()
    } catch let interruption as ProcessInterruption {
      program.end()
      if interruption == .cancelled { throw Cancelled() }
      throw error(.timedOut(seconds: limits.seconds), program)
    } catch let fault as WireError {
      throw try explained(fault, program)
    }
  }

  // MARK: Start

  private func limits(forBytes size: Int) -> WorkerLimits {
    // Machine learning libraries are large.
    var limits = WorkerLimits(forBytes: size, costing: 40, atLeast: 2 << 30)
    limits.seconds = manifest.limits.seconds ?? 600 + limits.seconds
    limits.memory = manifest.limits.memory ?? limits.memory
    return limits
  }

  private func start(
    _ limits: WorkerLimits, arrays: Int, in context: StageContext
  ) throws -> SupervisedProgram {
    try manifest.checkDigest()
    do {
      var start = SupervisedProgram.Start(
        supervisor: try OwnProgram.path(), command: try command, limits: limits)
      // Room for the request, and for as much in return as may come through the stream.
      start.sharedMemory = arrays + limits.memory
      if let variable = PythonModule.variable { start.variables.append(variable) }
      start.variables += manifest.grantedVariables
      start.allowsNetwork = manifest.mayUseNetwork
      start.readable = readable(start.command[0])
      for wish in manifest.wishes where !wish.isAllowed && wish.isThere {
        context.log("\(wish.text), which \(wish.option) allows")
      }
      return try SupervisedProgram(start, for: context)
    } catch let failure as WorkerError {
      throw error(.notStarted(failure.message), nil)
    }
  }

  /// What it may read besides system files.
  private func readable(_ program: String) -> [String] {
    var programs = ProgramPlaces()
    if !manifest.program.interpreter.isEmpty {
      programs.add(program: program)
    } else if let interpreter = ProgramPlaces.interpreter(ofScript: manifest.programPath) {
      programs.add(program: interpreter)
    }
    var places = programs.places + data + [PersonalPlaces().place(of: manifest.path)]
    // A link in its folder may point to anything.
    let path = FileSystem.canonicalPath(of: manifest.programPath) ?? ""
    if path.hasPrefix("\(manifest.folder)/") { places.append(path) }
    if let folder = PythonModule.folder { places.append(folder) }
    if manifest.mayReadMore {
      places += manifest.readableFolders.compactMap(\.place)
    }
    return places
  }

  /// The path of the program and its arguments.
  private var command: [String] {
    get throws(PluginError) {
      let file = manifest.programPath
      let arguments = manifest.program.arguments
      guard let interpreter = manifest.program.interpreter.first else {
        guard FileSystem.isExecutable(file) else {
          throw error(
            .notStarted(
              "\(file) is not executable; 'chmod +x' it, or give the manifest an "
                + "\"interpreter\""), nil)
        }
        return [file] + arguments
      }
      guard let path = FileSystem.program(named: interpreter) else {
        throw error(.notStarted("its interpreter '\(interpreter)' is not in PATH"), nil)
      }
      return [path] + manifest.program.interpreter.dropFirst() + [file] + arguments
    }
  }

  // MARK: Talking

  /// What both sides have said of themselves.
  private struct Terms {
    /// Whether arrays may go through the shared memory.
    var sharesArrays: Bool
    var takesCustomAttributes: Bool
    /// The other attributes that the program takes.
    var attributes: Set<String>

    var takesEverything: Bool {
      takesCustomAttributes && attributes.isSuperset(of: WireHello.allAttributes)
    }
  }

  private func withoutUnknownAttributes(
    _ request: WireMessage, _ terms: Terms, in context: StageContext
  ) -> WireMessage {
    func stripped(_ content: WireScene) -> WireScene {
      var content = content
      let unknown = content.scene.attributes(besides: terms.attributes)
      if !unknown.isEmpty {
        context.warn(
          "plugin '\(manifest.name)' does not take \(unknown.joined(separator: " and ")): "
            + "they will be lost")
        content.scene.removeAttributes(besides: terms.attributes)
      }
      // Programs for earlier versions don't know the type.
      let type: NumberType? = terms.takesCustomAttributes ? .uint64 : nil
      let takesAll =
        terms.takesCustomAttributes && terms.attributes.contains(WireHello.wideIntegers)
      let custom = takesAll ? [] : content.scene.customAttributeNames(type: type)
      if !custom.isEmpty {
        context.warn(
          "plugin '\(manifest.name)' does not take custom attributes\(type == nil ? "" : " of 64-bit integers"): "
            + "\(custom.joined(separator: ", ")) will be lost")
        content.scene.removeCustomAttributes(type: type)
      }
      return content
    }
    switch request {
    case .run(let task, let content): return .run(task, stripped(content))
    case .write(let file, let content): return .write(file, stripped(content))
    default: return request
    }
  }

  private func greet(_ program: SupervisedProgram) throws -> Terms {
    let version = Int(WireFormat.version)
    let sharing = program.sharing
    try program.send(
      .hello(
        WireHello(
          protocolVersion: version, name: "meshpipe", version: meshpipeVersion, sharing: sharing,
          takesCustomAttributes: true, attributes: WireHello.allAttributes)))
    switch try program.receive() {
    case .hello(let hello) where hello.protocolVersion == version:
      return Terms(
        sharesArrays: sharing != .none && hello.sharing == .accepted,
        takesCustomAttributes: hello.takesCustomAttributes, attributes: hello.attributes)
    case .hello(let hello):
      throw error(.version(Self.refusal(hello.protocolVersion)), program)
    case .failure(let code, let message): throw error(Self.told(code, message), program)
    default: throw error(.nonsense("its first message is not a 'hello'"), program)
    }
  }

  private static func refusal(_ version: Int) -> String {
    "it speaks version \(version) of the protocol, this meshpipe version \(WireFormat.version)"
  }

  /// Waits for a scene.
  func result(
    of program: SupervisedProgram, sharesArrays: Bool, in context: StageContext
  ) throws -> WireScene {
    let remarks = RemarkCount()
    guard
      case .scene(let content) = try answer(
        of: program, sharesArrays: sharesArrays, remarks, in: context)
    else { throw error(.nonsense("it sent 'done' instead of a scene"), program) }
    for warning in content.warnings { Self.note(.warning(warning), remarks, in: context) }
    return content
  }

  /// Waits for the end of a request without a result.
  func done(
    of program: SupervisedProgram, sharesArrays: Bool, in context: StageContext
  ) throws {
    guard
      case .done = try answer(
        of: program, sharesArrays: sharesArrays, RemarkCount(), in: context)
    else { throw error(.nonsense("it sent a scene where a file was to be written"), program) }
  }

  /// Handles remarks until there is a `scene` or a `done`.
  private func answer(
    of program: SupervisedProgram, sharesArrays: Bool, _ remarks: RemarkCount,
    in context: StageContext
  ) throws -> WireMessage {
    while true {
      let message = try program.receive(sharesArrays: sharesArrays)
      switch message {
      case .scene, .done: return message
      case .failure(let code, let message): throw error(Self.told(code, message), program)
      case .progress(let fraction): try context.progress(fraction)
      case .hello, .run, .read, .write:
        throw error(.nonsense("a message that only meshpipe may send"), program)
      case .log, .warning, .report:
        Self.note(message, remarks, in: context)
      }
    }
  }

  private static func note(
    _ message: WireMessage, _ remarks: RemarkCount, in context: StageContext
  ) {
    switch message {
    case .log(let text) where remarks.hasRoom(forLength: text.utf8.count):
      context.log(text.withoutControlCharacters)
    case .warning(let text) where remarks.hasRoom(forLength: text.utf8.count):
      context.warn(text.withoutControlCharacters)
    case .report(let key, let value)
    where remarks.hasRoom(forLength: key.utf8.count + value.compactText.utf8.count):
      context.note(key, value)
    default: break
    }
  }

  /// The program's own error message, if it is only a few lines.
  private static func told(_ code: ExitCode, _ message: String) -> PluginError.Fault {
    .told(code, String(message.prefix(4000)).withoutControlCharacters)
  }

  // MARK: Faults

  func error(_ fault: PluginError.Fault, _ program: SupervisedProgram?) -> PluginError {
    PluginError(
      plugin: manifest.name, fault: fault, lastErrorLines: Self.end(of: program?.errorLines ?? []),
      file: file)
  }

  /// The lines of a message, and the characters of each: a traceback ends with the place, its statement and the error.
  private static let (mostErrorLines, longestErrorLine) = (3, 300)

  /// The last lines that say something: Python underlines parts of a statement.
  private static func end(of errorLines: [String]) -> [String] {
    errorLines.lazy.map { $0.withoutControlCharacters.drop { $0 == " " } }
      .filter { !$0.allSatisfy { " ^~".contains($0) } }
      .suffix(mostErrorLines).map { String($0.prefix(longestErrorLine)) }
  }

  /// The cause of an invalid message, which is often the end of the program.
  private func explained(
    _ fault: WireError, _ program: SupervisedProgram
  ) throws -> PluginError {
    switch fault {
    case .version(let version, _): return error(.version(Self.refusal(Int(version))), program)
    case .truncated:
      do {
        return self.fault(of: try program.waitForEnd(), program)
      } catch let interruption as ProcessInterruption where interruption != .cancelled {
        return error(.nonsense(fault.message), program)
      }
    default:
      program.end()
      return error(.nonsense(fault.message), program)
    }
  }

  private func fault(of ending: ProcessEnding, _ program: SupervisedProgram) -> PluginError {
    switch (ending.exitStatus, ending.signal) {
    case (SupervisedProgram.notConfined, _):
      error(.notStarted("it can't be confined: \(program.lastErrorLine)"), nil)
    case (SupervisedProgram.notStarted, _): error(.notStarted(program.lastErrorLine), nil)
    case (let status?, _): error(.endedEarly(status: status), program)
    case (nil, let signal): error(.crashed(signal: signal ?? 0), program)
    }
  }
}
