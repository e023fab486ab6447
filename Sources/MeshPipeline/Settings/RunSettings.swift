public import MeshpipeScene

/// What a user chooses for a run, besides pipeline, input and destination: one property for each option that 'run' and
/// 'batch' share.
///
/// The declarations are the only place that knows them. From them come the options of the command, the JSON in which a
/// batch sends them to its workers, and the recipe by which a later run finds that a result is out of date. To add one,
/// declare it here and use it: requests and runners have it as a property of their own.
public struct RunSettings: Sendable, Equatable {
  // MARK: Pipeline

  @Setting(
    "--var", in: .pipeline, takes: .named("NAME=VALUE", .variable), affects: .pipeline,
    help: "Set a variable that the pipeline declares.")
  public var variables: [String] = []

  @Setting(
    "--var-file", in: .pipeline, takes: .file("FILE"), affects: .pipeline,
    help: "Set variables from a JSON file, { \"name\": value }; --var takes precedence.")
  public var variableFiles: [VariableFile] = []

  @Setting(
    "--set", in: .pipeline, takes: .named("STAGE.OPTION=VALUE", .setting), affects: .pipeline,
    help:
      "Set an option of the stage with this id or name, or of outputs with FORMAT.OPTION=VALUE; OPTION=VALUE if only one stage has that option, or only outputs."
  )
  public var settings: [String] = []

  @Setting(
    "--level", in: .pipeline, takes: .named("LEVEL", .level), affects: .input,
    help: "Run only this of the pipeline's levels, even if it is disabled.")
  public var levels: [String] = []

  @Setting(
    "--from", in: .pipeline, takes: .named("STAGE", .stageID), affects: .input,
    help: "Skip the stages before the one with this id.")
  public var firstStage: String? = nil

  @Setting(
    "--to", in: .pipeline, takes: .named("STAGE", .stageID), affects: .input,
    help: "Skip the stages after the one with this id.")
  public var lastStage: String? = nil

  // MARK: Input

  @Setting(
    "--input-format", in: .input, takes: .format("ID", .reading), affects: .input,
    help: "Read the input as this format, whatever its extension; see 'meshpipe formats'.")
  public var inputFormat: String? = nil

  @Setting(
    "--input-up", in: .input, takes: .choice("AXIS", SignedAxis.allCases.map(\.rawValue)),
    help: "The up axis of an input that doesn't specify it (OBJ, PLY, STL); default y.")
  public var inputUp: SignedAxis? = nil

  @Setting(
    "--input-unit", in: .input, takes: .choice("UNIT", LengthUnit.names),
    help: "The unit of an input that doesn't specify it (OBJ, PLY, STL); default m.")
  public var inputUnit: LengthUnit? = nil

  @Setting(
    "--input-classes", in: .input, takes: .text("SCHEME"),
    help:
      "What numbers of classes without names stand for: 'arkit', 'asprs' (LAS), 'none', or a JSON file of names by number."
  )
  public var inputClasses: ClassScheme? = nil

  // MARK: Frames

  @Setting(
    "--frames", in: .frames, takes: .file("PATH"), affects: .input,
    help:
      "The capture with the scan's frames: a folder, or a file in it; 'none' ignores frames. "
      + "Default: a capture in the scan's own folder.")
  public var frames = CompanionRequest.besideInput

  @Setting(
    "--room", in: .frames, takes: .file("FILE"), affects: .input,
    help:
      "The scan's room, as exported by RoomPlan; 'none' ignores it. Default: room.json, CapturedRoom.json or another "
      + "such file in the scan's own folder.")
  public var room = CompanionRequest.besideInput

  @Setting(
    "--mesh", in: .frames, takes: .text("NAME"), affects: .input,
    help:
      "The file of the capture's mesh, if it has several: 'export.obj'. Default: the one on which most of the measured "
      + "depths lie.")
  public var mesh: String? = nil

  @Setting(
    "--frames-convention", in: .frames, takes: .text("WORDS"), affects: .input,
    help:
      "The convention of the frames' poses, overriding their layout: 'gl' or 'cv' axes, 'rows' or "
      + "'columns', 'c2w' or 'w2c', separated by commas.")
  public var framesConvention: PoseConvention? = nil

  @Setting(
    "--frames-up", in: .frames, takes: .choice("AXIS", SignedAxis.allCases.map(\.rawValue)),
    affects: .input,
    help:
      "The up axis of the frames' poses, overriding their layout. If neither specifies it, the mesh's, "
      + "y or z, whichever fits.")
  public var framesUp: SignedAxis? = nil

  @Setting(
    "--frames-unit", in: .frames, takes: .choice("UNIT", LengthUnit.names), affects: .input,
    help:
      "The unit of the frames' poses, overriding their layout. If neither specifies it, the mesh's or m, "
      + "whichever fits.")
  public var framesUnit: LengthUnit? = nil

  @Setting(
    "--masks", in: .frames, takes: .choice("USE", MaskUse.allCases.map(\.rawValue)),
    affects: .input,
    help:
      "'ignore' uses the frames' images and depth maps whole, even what masks beside them or their own opacity hide."
  )
  public var masks = MaskUse.use

  @Setting(
    "--force-poses", in: .frames, affects: .input,
    help: "Use frames even if they don't fit the mesh, with a warning instead of an error.")
  public var misfits = Misfits.refused

  // MARK: Permissions

  @Setting(
    "--allow-external", in: .input, help: "Let the scan refer to files outside its own folder.")
  public var allowsExternalFiles = false

  @Setting(
    "--require-confinement", in: .input, affects: .success,
    help: "Refuse formats read and written by Assimp where it can't be confined.")
  public var requiresConfinement = false

  // MARK: Output

  @Setting(
    "--output-format", in: .output, takes: .format("ID", .writing), affects: .pipeline,
    help: "Write this format, whatever the output's extension; required with '-o -'.")
  public var outputFormat: String? = nil

  @Setting(
    "--force", "-f", in: .output, affects: .success,
    help: "Also replace read-only outputs.")
  public var replacesReadOnly = false

  @Setting(
    "--no-overwrite", in: .output, affects: .success,
    help: "Refuse to replace existing files.")
  public var keepsExisting = false

  @Setting(
    "--touch", in: .output, affects: .nothing,
    help: "Update the time of outputs even if their bytes don't change.")
  public var touchesUnchanged = false

  @Setting(
    "--no-provenance", in: .output, affects: .outputs,
    help: "Leave out of outputs what made them: pipeline, options, and names and hashes of inputs.")
  public var omitsProvenance = false

  @Setting(
    "--private", in: .output, affects: .outputs,
    help:
      "Leave out of outputs where on Earth and with which device a scan was made, and the names of its photographs."
  )
  public var isPrivate = false

  @Setting(
    "--sign", in: .output, takes: .text("COMMAND"), affects: .delivery,
    help:
      "Run this command of the shell on each output file when it is in place, to sign it: the file is its last argument, "
      + "or \"$1\" where the command has that. In a batch the command can't ask for a password, and of an archive as the "
      + "output it signs the archive."
  )
  public var signingCommand: String? = nil

  @Setting(
    "--upload", in: .output, takes: .text("URL"), affects: .delivery,
    help:
      "Also send each output to URL/NAME by HTTP PUT with its SHA-256, unless the server says that it has these bytes. "
      + "It must answer with that SHA-256, or answer HEAD with it or the length. "
      + "In a batch NAME has the folders below the output folder. A token is taken from MESHPIPE_UPLOAD_TOKEN."
  )
  public var upload: String? = nil

  @Setting(
    "--upload-retries", in: .output, takes: .integer("N", 0...20), affects: .nothing,
    help:
      "Try again this often when a server is busy or out of reach, after 1 s, 2 s, 4 s and so on, or when it says; default 4."
  )
  public var uploadRetries = 4

  @Setting(
    "--upload-stall", in: .output, takes: .integer("SECONDS", 1...3600), affects: .nothing,
    help: "Give up a try after this many seconds with less than 1 kB each; default 60.")
  public var uploadStallSeconds = 60

  // MARK: Plugins

  // The plugins that are used are part of the resolved pipeline.
  @Setting(
    "--plugins", in: .plugins, takes: .file("DIR"), affects: .pipeline,
    help: "Look for plugins in this folder first.")
  public var pluginFolders: [String] = []

  @Setting("--no-plugins", in: .plugins, affects: .pipeline, help: "Use no plugins.")
  public var usesNoPlugins = false

  // What a plugin gets of what it asks for is part of its fingerprint.
  @Setting(
    "--allow-env", in: .plugins, takes: .text("NAME"), alsoFrom: "MESHPIPE_PLUGIN_ENVIRONMENT",
    affects: .pipeline,
    help: "Pass this environment variable to plugins that ask for it.")
  public var allowedVariables: [String] = []

  @Setting(
    "--allow-network", in: .plugins, takes: .text("PLUGIN"), alsoFrom: "MESHPIPE_PLUGIN_NETWORK",
    affects: .pipeline,
    help: "Let this plugin use the network, if it asks for it.")
  public var networkPlugins: [String] = []

  @Setting(
    "--allow-reading", in: .plugins, takes: .text("PLUGIN"), alsoFrom: "MESHPIPE_PLUGIN_READING",
    affects: .pipeline,
    help: "Let this plugin read the files and folders its manifest asks for.")
  public var readingPlugins: [String] = []

  // MARK: Running

  @Setting("--strict", in: .running, affects: .outputs, help: "Treat warnings as errors.")
  public var warningsAreErrors = false

  // MARK: Cache

  @Setting(
    "--cache", in: .cache, takes: .file("DIR"), affects: .nothing,
    help:
      "Keep results of costly stages in this folder, and take them from there. Default: MESHPIPE_CACHE ('none' for no "
      + "cache), or meshpipe in the user's cache folder.")
  public var cacheFolder: String? = nil

  @Setting("--no-cache", in: .cache, affects: .nothing, help: "Keep no results, and use none.")
  public var usesNoCache = false

  @Setting(
    "--cache-size", in: .cache, takes: .text("SIZE"), alsoFrom: "MESHPIPE_CACHE_SIZE",
    affects: .nothing,
    help:
      "Remove results that were used longest ago when the cache has more than this; default MESHPIPE_CACHE_SIZE or 5GB."
  )
  public var cacheSize: StorageSize? = nil

  @Setting(
    "--rerun-from", in: .cache, takes: .named("STAGE", .stageID), affects: .nothing,
    help:
      "Run the stage with this id and all that depend on it, even if the cache has their results.")
  public var rerunFrom: String? = nil

  /// Creates the settings of a run without options.
  public init() {}
}

extension RunSettings {
  /// What the user says of the input, overriding its file.
  public var inputReading: InputReading {
    get { InputReading(up: inputUp, metersPerUnit: inputUnit?.meters, classes: inputClasses) }
    set {
      inputUp = newValue.up
      inputUnit = newValue.metersPerUnit.map { LengthUnit(meters: $0) }
      inputClasses = newValue.classes
    }
  }

  /// The interpretation of the frames' poses.
  public var framesReading: PoseReading {
    get {
      PoseReading(
        convention: framesConvention, up: framesUp, metersPerUnit: framesUnit?.meters,
        misfits: misfits, ignoresMasks: masks == .ignore, mesh: mesh)
    }
    set {
      framesConvention = newValue.convention
      framesUp = newValue.up
      framesUnit = newValue.metersPerUnit.map { LengthUnit(meters: $0) }
      misfits = newValue.misfits
      masks = newValue.ignoresMasks ? .ignore : .use
      mesh = newValue.mesh
    }
  }
}
