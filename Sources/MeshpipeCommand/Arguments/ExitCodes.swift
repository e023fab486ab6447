import MeshPipeline

extension CommandTable {
  /// What each exit code means, in the order of the codes.
  static let exitCodes: [(code: ExitCode, meaning: String)] = [
    (.success, "All was done, or nothing was to be done."),
    (.partial, "Some of the inputs failed: of a batch, or with --keep-going."),
    (.usage, "The call is wrong: an unknown option, a missing argument."),
    (.data, "A scan is damaged or unusable, an 'expect' did not hold, or --strict met a warning."),
    (.noInput, "An input or the pipeline file does not exist or can't be read."),
    (.unavailable, "There is no such stage or format, or a plugin can't be used."),
    (.software, "A fault of meshpipe's own, or of a plugin."),
    (.cannotCreate, "An output can't be created or must not be replaced."),
    (.inputOutput, "Reading or writing failed, as on a full disk."),
    (
      .temporary,
      "Time, memory or threads ran out, or a file changed while it was read; it may work another time."
    ),
    (.configuration, "The pipeline file is invalid."),
    (.hungUp, "The terminal was closed (SIGHUP); nothing is left half-written."),
    (.interrupted, "Interrupted by Ctrl-C; nothing is left half-written."),
    (.terminated, "Terminated by SIGTERM; nothing is left half-written."),
  ]

  /// What else the command looks at, and leaves behind.
  static let environment: [(name: String, meaning: String)] = [
    ("TMPDIR", "Where scans from standard input are kept while they are worked on; /tmp if unset."),
    (
      "MESHPIPE_PLUGIN_PATH",
      "Folders with plugins, with colons between; looked at before the user's and the installed ones."
    ),
    (
      "MESHPIPE_REQUIRE_CONFINEMENT",
      "When set, as with --require-confinement: formats that Assimp reads and writes are refused where nothing confines it."
    ),
    (
      "MESHPIPE_EXECUTABLE",
      "The program that does this work, for programs that embed the library; meshpipe itself if unset."
    ),
    (
      "TERM",
      "With 'dumb', or when it is not set, no progress bar is drawn unless --progress bar asks for it."
    ),
  ]

  /// Files that the command knows about.
  static let files: [(name: String, meaning: String)] = [
    (".OUTPUT.meshpipe", "The stamp of --if-changed, beside the first output."),
    ("OUTPUT.d", "The dependency file of -MD."),
    (
      ".meshpipe-batch/",
      "The journal of 'batch' and what belongs to it, in the folder of the outputs."
    ),
  ]

  /// What builds must know.
  static let builds = """
    For make, give --touch: it goes by times alone, and an output that would not change is otherwise \
    left untouched. For ninja, give the rule 'restat = 1'. A dependency file names the outputs that \
    the pipeline writes; where a build knows them by another name, give that with -MT.
    """
}
