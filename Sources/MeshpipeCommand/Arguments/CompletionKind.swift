/// What the shell completes a value with by asking the command.
enum CompletionKind: String, Sendable {
  /// A pipeline by name or file, or a scan.
  case pipeline
  case scan
  /// A stage, or after its name one of its options.
  case stage
  /// The id of a stage of the pipeline.
  case stageID = "stage-id"
  /// `STAGE.OPTION=`
  case setting
  /// `NAME=`, or a value after it.
  case variable
  /// The name of a level of the pipeline.
  case level
  case view
  /// The id of a readable or writable format.
  case readFormat = "read-format"
  case writtenFormat = "written-format"
}
