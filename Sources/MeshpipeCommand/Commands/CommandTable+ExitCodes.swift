import MeshPipeline

extension CommandTable {
  /// What each exit code means, in the order of the codes.
  static let exitCodes: [(code: ExitCode, meaning: String)] = [
    (.success, "Success, or nothing to do."),
    (.partial, "Some inputs failed: of a batch, or with --keep-going."),
    (.usage, "Wrong usage: an unknown option, a missing argument."),
    (
      .data,
      "A scan is damaged or unusable, an 'expect' failed, or there was a warning with --strict."
    ),
    (.noInput, "An input or the pipeline file does not exist or can't be read."),
    (.unavailable, "Unknown stage or format, or a plugin can't be used."),
    (.software, "An internal error of meshpipe or of a plugin."),
    (.cannotCreate, "An output can't be created or must not be replaced."),
    (
      .inputOutput,
      "Reading or writing failed, for example on a full disk, or an upload was refused."
    ),
    (
      .temporary,
      "Time, memory or threads ran out, a file changed while it was read, or an upload did not get through; a retry may "
        + "succeed."
    ),
    (.configuration, "The pipeline file is invalid."),
    (.hungUp, "The terminal was closed (SIGHUP); no partial outputs are left."),
    (.interrupted, "Interrupted by Ctrl-C; no partial outputs are left."),
    (.terminated, "Terminated by SIGTERM; no partial outputs are left."),
  ]

  /// The environment variables that the command reads.
  static let environment: [(name: String, meaning: String)] = [
    ("TMPDIR", "Where scans from standard input are kept while they are processed; /tmp if unset."),
    (
      "MESHPIPE_PLUGIN_PATH",
      "Folders with plugins, separated by colons; searched before the user's and the installed ones."
    ),
    (
      "MESHPIPE_CACHE",
      "The folder of the cache, or 'none' for no cache; --cache takes precedence."
    ),
    ("MESHPIPE_CACHE_SIZE", "What the cache has at most, such as 20GB; 5GB if unset."),
    (
      "MESHPIPE_REQUIRE_CONFINEMENT",
      "If set, the same as --require-confinement: refuse formats read and written by Assimp where it can't be confined."
    ),
    (
      "MESHPIPE_EXECUTABLE",
      "The program to start for Assimp and plugins, for programs that embed the library; meshpipe itself if unset."
    ),
    (
      "MESHPIPE_UPLOAD_TOKEN",
      "The token of --upload, sent as 'Authorization: Bearer' to the host of the URL alone."
    ),
    (
      "CURL_CA_BUNDLE",
      "A file of certificates that --upload trusts instead of the system's, as for curl."
    ),
    (
      "TERM",
      "If 'dumb' or unset, no progress bar is drawn unless --progress bar is given."
    ),
  ]

  /// The files that the command writes besides its outputs.
  static let files: [(name: String, meaning: String)] = [
    (".OUTPUT.meshpipe", "The stamp of --if-changed, next to the first output."),
    ("OUTPUT.d", "The dependency file of -MD."),
    (
      ".meshpipe-batch/",
      "The journal of 'batch' and related files, in the output folder."
    ),
  ]

  /// Advice for build systems.
  static let builds = """
    With make, use --touch: make compares only times, and an output that would not change is otherwise \
    left untouched. With ninja, use 'restat = 1' in the rule. A dependency file names the outputs that \
    the pipeline writes; if the build uses another name, give it with -MT.
    """
}
