import MeshPipeline
import MeshTestSupport
import Testing

/// What holds of every setting; the tests go over the declarations, so that none is forgotten.
struct RunSettingsTests {
  private static let keys = RunSettings.declarations.map(\.key)

  private func declaration(_ key: String) throws -> SettingDeclaration {
    try #require(RunSettings.declarations.first { $0.key == key })
  }

  private func read(_ json: JSONValue) throws -> JSONValue {
    try #require(JSONReader.read(Array(json.compactText.utf8)).value)
  }

  @Test(arguments: keys)
  func `a setting arrives in another process as it was given`(key: String) throws {
    let settings = try RunSettings.sample(of: declaration(key))
    #expect(try RunSettings(read(settings.json)) == settings)
    guard case .object(let members) = settings.json.content else { return #expect(Bool(false)) }
    #expect(members.map(\.key) == [key])
  }

  @Test(arguments: keys)
  func `a setting is in the recipe unless its declaration says why not`(key: String) throws {
    let declaration = try declaration(key)
    let settings = try RunSettings.sample(of: declaration)
    let results = [.results, .outputs].contains(declaration.effect)
    #expect((settings.recipe() != RunSettings().recipe()) == results)
    let deliveries = [.results, .delivery].contains(declaration.effect)
    #expect((settings.recipe(of: [.results, .delivery]) != RunSettings().recipe()) == deliveries)
  }

  @Test func `results depend on every setting but these`() {
    func keys(_ effect: SettingDeclaration.Effect) -> [String] {
      RunSettings.declarations.filter { $0.effect == effect }.map(\.key)
    }
    #expect(
      keys(.pipeline) == [
        "variables", "variableFiles", "settings", "outputFormat", "pluginFolders", "usesNoPlugins",
        "allowedVariables", "networkPlugins", "readingPlugins",
      ])
    #expect(
      keys(.input) == [
        "levels", "firstStage", "lastStage", "inputFormat", "frames", "room", "mesh",
        "framesConvention", "framesUp", "framesUnit", "masks", "misfits",
      ])
    #expect(keys(.outputs) == ["omitsProvenance", "isPrivate", "warningsAreErrors"])
    #expect(keys(.delivery) == ["signingCommand", "upload"])
    #expect(keys(.success) == ["requiresConfinement", "replacesReadOnly", "keepsExisting"])
    #expect(
      keys(.nothing) == [
        "touchesUnchanged", "uploadRetries", "uploadStallSeconds", "cacheFolder", "usesNoCache",
        "cacheSize", "rerunFrom",
      ])
  }

  @Test func `all settings together arrive, and defaults cost nothing`() throws {
    var words: [String: [String]] = [:]
    for declaration in RunSettings.declarations {
      switch declaration.option.value {
      case nil: words[declaration.option.name] = []
      case .integer(_, let range): words[declaration.option.name] = ["\(range.lowerBound)"]
      case .choice(_, let names): words[declaration.option.name] = [names[0]]
      default: break
      }
    }
    words["--var"] = ["a=1", "b=x \"y\""]
    words["--frames"] = ["none"]
    words["--room"] = ["ä/room.json"]
    words["--frames-convention"] = ["cv,w2c"]
    let settings = try RunSettings(words: { words[$0] }, environment: { _ in nil })
    #expect(settings.variables == ["a=1", "b=x \"y\""])
    #expect(settings.frames == .none && settings.misfits == .kept)
    #expect(try RunSettings(read(settings.json)) == settings)
    #expect(RunSettings().json == [:])
    #expect(RunSettings([:]) == RunSettings())
  }

  @Test func `what another version wrote is no settings`() {
    #expect(RunSettings(["inputUp": "up"]) == nil)
    #expect(RunSettings(["inputPu": "y"]) == nil)
    #expect(RunSettings(["misfits": true]) == nil)
    #expect(RunSettings([]) == nil)
  }

  @Test func `the environment allows plugins, too`() throws {
    func settings(_ names: [String]?, _ variable: String?) throws -> RunSettings {
      try RunSettings(
        words: { $0 == "--allow-network" ? names : nil },
        environment: { $0 == "MESHPIPE_PLUGIN_NETWORK" ? variable : nil })
    }
    #expect(try settings(nil, nil).networkPlugins == [])
    #expect(try settings(["a", "b"], "c,a").networkPlugins == ["c", "a", "b"])
    #expect(try settings(nil, "c") == settings(["c"], nil))
  }

  @Test func `a file of variables is read once`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("v.json", #"{ "$schema": "x", "faces": 12, "keep": ["a"] }"#)
    let settings = try RunSettings(words: { $0 == "--var-file" ? [path] : nil })
    try folder.write("v.json", "[]")
    #expect(settings.variableFiles[0].values.map(\.key) == ["faces", "keep"])
    #expect(try RunSettings(read(settings.json)) == settings)
    #expect(throws: InvalidPipeline.self) {
      try RunSettings(words: { $0 == "--var-file" ? [path] : nil })
    }
  }

  @Test(arguments: [
    ("--frames-convention", "gl,cw", "'--frames-convention gl,cw': give one of gl and cv, of rows"),
    ("--input-classes", "no/such", "'--input-classes no/such' is neither 'arkit', 'asprs' nor"),
  ])
  func `a word that an option doesn't know is refused`(
    option: String, word: String, message: String
  ) {
    let fault = #expect(throws: InvalidSetting.self) {
      try RunSettings(words: { $0 == option ? [word] : nil })
    }
    #expect(fault?.message.hasPrefix(message) == true)
    #expect(fault?.exitCode == .usage)
  }

  @Test func `requests and options have the settings as their own`() {
    var request = PipelineRequest(input: "a.obj", variables: ["a=1"], settings: ["b.c=2"])
    #expect(request.run.variables == ["a=1"] && request.settings == ["b.c=2"])
    request.inputReading.up = .z
    request.framesReading.misfits = .shown
    #expect(request.run.inputUp == .z && request.run.misfits == .shown)
    var options = PipelineRunner.Options(request.run)
    #expect(options.overwriting == .allowed)
    options.overwriting = .never
    #expect(options.run.keepsExisting && !options.run.replacesReadOnly)
    #expect(!request.run.keepsExisting)
  }
}
