/// The options for sending outputs to a server.
extension Option {
  static let upload = Option(
    "--upload", in: .output, value: .text("URL"),
    help:
      "Also send each output to URL/NAME by HTTP PUT with its SHA-256, unless the server says that it has these bytes. "
      + "It must answer with that SHA-256, or answer HEAD with it or the length. "
      + "In a batch NAME has the folders below the output folder. A token is taken from MESHPIPE_UPLOAD_TOKEN."
  )
  static let uploadRetries = Option(
    "--upload-retries", in: .output, value: .integer("N", 0...20),
    help:
      "Try again this often when a server is busy or out of reach, after 1 s, 2 s, 4 s and so on, or when it says; default 4."
  )
  static let uploadStall = Option(
    "--upload-stall", in: .output, value: .integer("SECONDS", 1...3600),
    help: "Give up a try after this many seconds with less than 1 kB each; default 60.")
}
